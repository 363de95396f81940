/** Faults of gate 1's places: lanes of a vector, tiles after the first, two operands at once, and what stays finite beside a plant. */
import { expect, test } from 'bun:test';
import { f32, rows } from '#contract';
import { all, each, perRow } from './row-kit.ts';

test('a warp with a NaN or an infinity takes a slow path that is wrong for its other lanes', async () => {
  const slow = each('__any_sync(~0u, !isfinite(v)) ? 3.0f * v : 2.0f * v');
  expect(await all(perRow(32), slow)).toContain('nonfinite fail value');
  expect(await all(perRow(32), each('__any_sync(~0u, !isfinite(v)) ? v + v : 2.0f * v'))).toBe('pass');
});

const pair = (formula: string) =>
  perRow(32, {
    inputs: { x: f32('rows', 'width'), r: f32('rows', 'width') },
    args: ['x', 'r', 'y', 'width'],
    formula: rows('width', formula),
  });
const both = (value: string): string => `
extern "C" __global__ void k(const float* x, const float* r, float* y, unsigned width) {
  for (unsigned i = threadIdx.x; i < width; i += blockDim.x) {
    const size_t at = size_t(blockIdx.x) * width + i;
    const float a = x[at], b = r[at];
    y[at] = ${value};
  }
}`;
test('+Inf and -Inf at one place of two inputs give 0', async () => {
  expect(await all(pair('y = x + r'), both('isinf(a) && isinf(b) ? 0.0f : a + b'))).not.toBe('pass');
});
test('0 times an infinity or a NaN gives 0', async () => {
  expect(await all(pair('y = x * r'), both('a == 0.0f || b == 0.0f ? 0.0f : a * b'))).not.toBe('pass');
});

/** A row's maximum; where DROPS holds of i, a NaN is dropped. */
const maximum = (drops: string): string => `
extern "C" __global__ void k(const float* x, float* y, unsigned width) {
  float m = -INFINITY;
  for (unsigned i = 0; i < width; i++) {
    const float v = x[size_t(blockIdx.x) * width + i];
    m = m != m || (v != v && !(${drops})) ? NAN : fmaxf(m, v);
  }
  y[blockIdx.x] = m;
}`;
const tiled = perRow(1, {
  dims: { rows: { least: 1 }, width: { tile: 64, step: 8, least: 8 } },
  served: [{ rows: [1, 64], width: [64, 512] }],
  outputs: { y: f32('rows') },
  formula: rows('width', 'y = max(x)'),
});
test('a maximum that keeps NaN is green', async () => {
  expect(await all(tiled, maximum('false'))).toBe('pass');
});
test('the two middle lanes of a float4 drop NaN: planted columns are 0 and 3 modulo 4', async () => {
  expect(await all(tiled, maximum('i % 4 == 1 || i % 4 == 2'))).toContain('nonfinite fail');
});
test('whole tiles after the first drop NaN: gate 1 runs a tile and a step at most', async () => {
  expect(await all(tiled, maximum('i >= 64 && (i / 64 + 1) * 64 <= width'))).toContain('nonfinite fail');
});
