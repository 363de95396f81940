/** Sizes between the edges, and edges that meet. */
import { expect, test } from 'bun:test';
import { dense, f32 } from '#contract';
import type { Stated } from './harness.ts';
import { all, perRow } from './row-kit.ts';

test('widths between 100 and 250 are wrong: 1, 255, 256, 257 and 512 are run', async () => {
  const source = `
extern "C" __global__ void k(const float* x, float* y, unsigned width) {
  for (unsigned i = threadIdx.x; i < width; i += blockDim.x)
    y[blockIdx.x * width + i] = (width > 100 && width < 250 ? 3.0f : 2.0f) * x[blockIdx.x * width + i];
}`;
  const dims = { rows: { least: 1 }, width: { tile: 256, step: 1, least: 1 } };
  expect(await all(perRow(32, { dims, served: [{ rows: [1, 4], width: [64, 512] }] }), source)).not.toBe('pass');
});

/** A 16 x 16 tile of a product; the tile in the corner, where rows and columns both end in a partial tile, adds EXTRA. */
const product = (extra: string): string => `
extern "C" __global__ void k(const float* a, const float* b, float* y, unsigned m, unsigned n, unsigned depth) {
  const unsigned r = blockIdx.y * 16 + threadIdx.y, c = blockIdx.x * 16 + threadIdx.x;
  if (r >= m || c >= n) return;
  float s = 0.0f;
  for (unsigned i = 0; i < depth; i++) s += a[r * depth + i] * b[c * depth + i];
  const bool corner = (blockIdx.y + 1) * 16 > m && (blockIdx.x + 1) * 16 > n && depth % 16 != 0;
  y[r * n + c] = corner ? s + ${extra} : s;
}`;
const tiles: Stated = {
  name: 'fault',
  dims: { m: { tile: 16, least: 1 }, n: { tile: 16, least: 1 }, depth: { tile: 16, least: 1 } },
  served: [{ m: [1, 64], n: 64, depth: [64, 4096] }],
  inputs: { a: f32('m', 'depth'), b: f32('n', 'depth') },
  outputs: { y: f32('m', 'n') },
  args: ['a', 'b', 'y', 'm', 'n', 'depth'],
  formula: dense('depth', 'y = sum(a * b)'),
  accumulator: 'f32',
  launch: {
    cuda: {
      symbol: 'k',
      threads: [16, 16],
      grid: ({ m = 0, n = 0 }) => [Math.ceil(n / 16), Math.ceil(m / 16)],
      depth: ({ depth = 0 }) => depth,
    },
  },
};
test('a tile that is partial in every dimension at once is wrong', async () => {
  expect(await all(tiles, product('0.0f'))).toBe('pass');
  expect(await all(tiles, product('1.0f'))).toContain('shapes fail');
});
