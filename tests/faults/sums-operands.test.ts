/** Operands and pairs below fp32, and sums in half from some rows on: the stated depth is long, so gate 3's bound hides them. */
import { expect, test } from 'bun:test';
import { f16, f32, rows } from '#contract';
import { all, perRow } from './row-kit.ts';

const HEAD = `
#include <cuda_fp16.h>
#include <cuda_bf16.h>
__device__ float plain(float x) { return x; }
__device__ float half_(float x) { return __half2float(__float2half(x)); }
__device__ float brain(float x) { return __bfloat162float(__float2bfloat16(x)); }
__device__ float tf32(float x) {
  const unsigned b = __float_as_uint(x);
  return x - x != 0.0f ? x : __uint_as_float((b + 0x0fffu + ((b >> 13) & 1u)) & 0xffffe000u);
}
`;
const dot = perRow(1, {
  inputs: { x: f32('rows', 'width'), w: f32('width') },
  outputs: { y: f32('rows') },
  args: ['x', 'w', 'y', 'width'],
  accumulator: 'f32',
  formula: rows('width', 'y = sum(x * w)'),
  served: [{ rows: [1, 4, 16], width: 4096 }],
});
const product = (held: string, narrow: string): string => `${HEAD}
extern "C" __global__ void k(const float* x, const float* w, float* y, unsigned width) {
  float s = 0.0f;
  for (unsigned i = 0; i < width; i++) {
    s += ${narrow}(x[size_t(blockIdx.x) * width + i]) * ${narrow}(w[i]);
    ${held}
  }
  y[blockIdx.x] = s;
}`;
test('a dot product of fp32 operands is green', async () => {
  expect(await all(dot, product('', 'plain'))).toBe('pass');
});
for (const narrow of ['brain', 'tf32'])
  test(`fp32 operands are rounded to ${narrow}`, async () => {
    expect(await all(dot, product('', narrow))).toContain('sums fail');
  });

test('sums in half by 32 lanes from 9 rows on, the depth overstated: gate 4 runs 8 rows at most', async () => {
  const source = `${HEAD}
extern "C" __global__ void k(const float* x, const float* w, float* y, unsigned width) {
  float s = 0.0f;
  for (unsigned i = threadIdx.x; i < width; i += 32) {
    s += x[size_t(blockIdx.x) * width + i] * w[i] / 1024.0f;
    if (gridDim.x > 8) s = half_(s);
  }
  for (int d = 16; d; d /= 2) s += __shfl_xor_sync(~0u, s, d);
  if (threadIdx.x == 0) y[blockIdx.x] = s * 1024.0f;
}`;
  const { launch } = perRow(32, {}, 'cuda', 4096);
  expect(await all({ ...dot, launch }, source)).toContain('sums fail');
});

const sum = (type: typeof f16 | typeof f32) =>
  perRow(
    1,
    {
      inputs: { x: type('rows', 'width') },
      outputs: { y: f32('rows') },
      accumulator: 'f32',
      formula: rows('width', 'y = sum(x)'),
      served: [{ rows: [1, 4], width: 4096 }],
    },
    'cuda',
    2049,
  );
test('pairs of halves are added in half (HADD2), the pairs in fp32', async () => {
  const source = (pair: string): string => `${HEAD}
extern "C" __global__ void k(const __half* x, float* y, unsigned width) {
  const __half* r = x + size_t(blockIdx.x) * width;
  float s = 0.0f;
  for (unsigned i = 0; i < width; i += 2) s += ${pair};
  y[blockIdx.x] = s;
}`;
  expect(await all(sum(f16), source('__half2float(r[i]) + __half2float(r[i + 1])'))).toBe('pass');
  expect(await all(sum(f16), source('__half2float(__hadd(r[i], r[i + 1]))'))).toContain('sums fail');
});
test('pairs of fp32 values are added in half, scaled', async () => {
  const source = `${HEAD}
extern "C" __global__ void k(const float* x, float* y, unsigned width) {
  const float* r = x + size_t(blockIdx.x) * width;
  float s = 0.0f;
  for (unsigned i = 0; i < width; i += 2) s += 16.0f * half_(r[i] / 16.0f + r[i + 1] / 16.0f);
  y[blockIdx.x] = s;
}`;
  expect(await all(sum(f32), source)).toContain('sums fail');
});
