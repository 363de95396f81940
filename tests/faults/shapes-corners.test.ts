/** Faults of values that ordinary data never hold: each kernel is wrong at gate 3's corner rows alone, its mended twin green. */
import { expect, test } from 'bun:test';
import { bf16, rows } from '#contract';
import { all, each, perRow } from './row-kit.ts';

const NORM = (scale: string): string => `
#include <cuda_bf16.h>
extern "C" __global__ void k(const __nv_bfloat16* x, float* y, unsigned width, float eps) {
  const size_t row = size_t(blockIdx.x) * width;
  float s = 0.0f;
  for (unsigned i = 0; i < width; i++) { const float v = __bfloat162float(x[row + i]); s += v * v; }
  const float r = ${scale};
  for (unsigned i = 0; i < width; i++) y[row + i] = __bfloat162float(x[row + i]) * r;
}`;
const norm = perRow(1, {
  inputs: { x: bf16('rows', 'width') },
  scalars: { eps: 1e-6 },
  args: ['x', 'y', 'width', 'eps'],
  accumulator: 'f32',
  formula: rows('width', 'y = x * rsqrt(mean(x * x) + eps)'),
  served: [{ rows: [1, 4], width: 2048 }],
  fills: { x: 'normal' },
});
test('a norm with its eps is green', async () => {
  expect(await all(norm, NORM('rsqrtf(s / width + eps)'))).toBe('pass');
});
for (const scale of ['rsqrtf(s / width)', '1.0f / (sqrtf(s / width) + eps)', 'rsqrtf((s + eps) / width)'])
  test(`a norm whose eps is lost or misplaced: ${scale}`, async () => {
    expect(await all(norm, NORM(scale))).not.toBe('pass');
  });

const twice = perRow(32);
test('y = 2 x is green', async () => {
  expect(await all(twice, each('v + v'))).toBe('pass');
});
for (const [what, value] of [
  ['a magnitude of 4 and more is wrong, its class kept', 'fabsf(v) > 4.0f && fabsf(v) < INFINITY ? 7.0f : v + v'],
  ['a subnormal becomes 0 though subnormals are kept', 'fabsf(v) < 1.17549435e-38f ? 0.0f : v + v'],
  ['0 becomes 1', 'v == 0.0f ? 1.0f : v + v'],
] as const)
  test(what, async () => {
    expect(await all(twice, each(value))).not.toBe('pass');
  });

test('a tanh that is right on [-1, 1] alone', async () => {
  const stated = perRow(32, { formula: rows('width', 'y = tanh(x)') });
  expect(await all(stated, each('tanhf(v)'))).toBe('pass');
  expect(await all(stated, each('fabsf(v) <= 1.0f || v != v ? tanhf(v) : copysignf(1.0f, v)'))).not.toBe('pass');
});

test('-0 becomes +0', async () => {
  const stated = perRow(32, { formula: rows('width', 'y = neg(x)') });
  expect(await all(stated, each('0.0f - v'))).not.toBe('pass');
});
