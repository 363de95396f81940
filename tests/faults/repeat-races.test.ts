/** Public faults of gate 2, first part: races, barriers, and sums whose order is left to chance. */
import { expect, test } from 'bun:test';
import { bf16, f32, rows } from '#contract';
import { sizeOf } from '../../src/families/tensor.ts';
import type { Stated } from './harness.ts';
import { classes, judge, verdict } from './harness.ts';

const SOURCE = `
#include <cuda_bf16.h>
#define ROW extern "C" __global__ void

/** A group's maximum and sum through one array: a barrier before its reuse, and one before the new values are read. */
template <bool PUBLISH, bool REUSE>
__device__ void softmax(const float* x, float* y, unsigned width) {
  __shared__ float red[256];
  const unsigned t = threadIdx.x;
  const float mine = t < width ? x[blockIdx.x * width + t] : -INFINITY;
  red[t] = mine;
  __syncthreads();
  float m = -INFINITY;
  for (unsigned i = 0; i < 256; i++) m = fmaxf(m, red[i]);
  if (REUSE) __syncthreads();
  const float e = t < width ? expf(mine - m) : 0.0f;
  red[t] = e;
  if (PUBLISH) __syncthreads();
  float sum = 0.0f;
  for (unsigned i = 0; i < 256; i++) sum += red[i];
  if (t < width) y[blockIdx.x * width + t] = e / sum;
}
ROW softmax_right(const float* x, float* y, unsigned width) { softmax<true, true>(x, y, width); }
ROW softmax_no_reuse(const float* x, float* y, unsigned width) { softmax<true, false>(x, y, width); }
ROW softmax_no_publish(const float* x, float* y, unsigned width) { softmax<false, true>(x, y, width); }
ROW softmax_no_barrier(const float* x, float* y, unsigned width) { softmax<false, false>(x, y, width); }

/** A row's sum by four warps; the first barrier of long rows is in a branch. */
template <bool ALL>
__device__ void long_sum(const float* x, float* y, unsigned width) {
  __shared__ float partials[4];
  const unsigned warp = threadIdx.x / 32;
  float sum = 0.0f;
  for (unsigned i = threadIdx.x; i < width; i += 128) sum += x[blockIdx.x * width + i];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  if (threadIdx.x % 32 == 0) partials[warp] = sum;
  if (width <= 1024) __syncthreads();
  else if (ALL || warp < 3) __syncthreads();
  const float total = partials[0] + partials[1] + partials[2] + partials[3];
  __syncthreads();
  if (threadIdx.x == 0) y[blockIdx.x] = total;
}
ROW long_sum_right(const float* x, float* y, unsigned width) { long_sum<true>(x, y, width); }
ROW long_sum_branch(const float* x, float* y, unsigned width) { long_sum<false>(x, y, width); }

/** Every lane writes what every other lane writes: a hazard, and the same bytes in any order. */
ROW scale_benign(const float* x, float* y, unsigned width) {
  __shared__ float store[1];
  for (unsigned i = threadIdx.x; i < width; i += 32) {
    store[0] = 2.0f;
    y[blockIdx.x * width + i] = x[blockIdx.x * width + i] * store[0];
  }
}
/** Each lane reads what its neighbour wrote, with the warp barrier that this takes or without it. */
template <bool BARRIER>
__device__ void scale(const float* x, float* y, unsigned width) {
  __shared__ float store[32];
  const unsigned lane = threadIdx.x;
  for (unsigned first = 0; first < width; first += 32) {
    if (BARRIER) __syncwarp();
    store[lane] = x[blockIdx.x * width + first + lane];
    if (BARRIER) __syncwarp();
    y[blockIdx.x * width + first + (lane ^ 1)] = 2.0f * store[lane ^ 1];
  }
}
ROW scale_right(const float* x, float* y, unsigned width) { scale<true>(x, y, width); }
ROW scale_hazard(const float* x, float* y, unsigned width) { scale<false>(x, y, width); }

/** Eight warps add their slice of the row to the output, rounding to bf16 at each addition. */
ROW slices_atomic(const float* x, __nv_bfloat16* y, unsigned width) {
  float sum = 0.0f;
  const unsigned slice = width / 8;
  const float* from = x + blockIdx.x * width + threadIdx.x / 32 * slice;
  for (unsigned i = threadIdx.x % 32; i < slice; i += 32) sum += from[i];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  if (threadIdx.x == 0) y[blockIdx.x] = __float2bfloat16(0.0f);
  __syncthreads();
  if (threadIdx.x % 32 == 0) atomicAdd(&y[blockIdx.x], __float2bfloat16(sum));
}

/** Eight warps sum their slices in fp32 and take slots: in their own order, or in that of an atomic counter. */
template <class T, bool COUNTED>
__device__ void slots(const float* x, T* y, unsigned width) {
  __shared__ float partials[8];
  __shared__ unsigned count;
  float sum = 0.0f;
  const unsigned slice = width / 8, warp = threadIdx.x / 32;
  for (unsigned i = threadIdx.x % 32; i < slice; i += 32) sum += x[blockIdx.x * width + warp * slice + i];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) partials[COUNTED ? atomicAdd(&count, 1u) : warp] = sum;
  __syncthreads();
  float total = 0.0f;
  for (unsigned i = 0; i < 8; i++) total += partials[i];
  if (threadIdx.x == 0) y[blockIdx.x] = T(total);
}
ROW slots_fixed_bf16(const float* x, __nv_bfloat16* y, unsigned width) { slots<__nv_bfloat16, false>(x, y, width); }
ROW slots_fixed(const float* x, float* y, unsigned width) { slots<float, false>(x, y, width); }
ROW slots_counted(const float* x, float* y, unsigned width) { slots<float, true>(x, y, width); }
`;

/** A group a row over fp32 rows; sums of a few thousand terms in any order. */
const overRows = (symbol: string, threads: number, stated: Partial<Stated> = {}): Stated => ({
  name: 'fault',
  dims: { rows: {}, width: {} },
  served: [{ rows: 4, width: 256 }],
  inputs: { x: f32('rows', 'width') },
  outputs: { y: f32('rows') },
  args: ['x', 'y', 'width'],
  formula: rows('width', 'y = sum(x)'),
  accumulator: 'f32',
  fills: { x: 'binades' },
  launch: {
    cuda: {
      symbol,
      threads,
      grid: (shape) => [sizeOf(shape, 'rows')],
      depth: (shape) => sizeOf(shape, 'width'),
    },
  },
  ...stated,
});

const softmax = (symbol: string): Stated =>
  overRows(symbol, 256, {
    served: [{ rows: 3, width: 192 }],
    outputs: { y: f32('rows', 'width') },
    formula: rows('width', 'm = max(x); e = exp(x - m); y = e / sum(e)'),
    fills: { x: 'normal' },
  });

for (const missing of ['softmax_no_reuse', 'softmax_no_publish', 'softmax_no_barrier']) {
  test(`R01: scratch reused by the second reduction, ${missing}: the runs differ`, async () => {
    const result = await verdict(softmax(missing), SOURCE, 'repeat');
    expect(result.status).toBe('fail');
    expect(classes(result)).toEqual(['race', 'different']);
    expect(result.findings[0]?.what).toMatch(
      /local memory red \(1024 bytes, declared at case.cu:8\), at case.cu:\d+; thread/,
    );
    const different = result.findings.find((finding) => finding.class === 'different');
    expect(different?.label).toBe('rows=3,width=192');
    expect(different?.what).toMatch(/of 576 outputs differ between run 1 and run \d/);
  });
}

test('R01: with both barriers the softmax repeats and is right', async () => {
  expect((await verdict(softmax('softmax_right'), SOURCE, 'repeat')).status).toBe('pass');
  expect((await verdict(softmax('softmax_right'), SOURCE, 'shapes')).status).toBe('pass');
});

const longSum = (symbol: string, widths: readonly number[]): Stated =>
  overRows(symbol, 128, { dims: { rows: {}, width: { tile: 64 } }, served: [{ rows: 1, width: widths }] });

test('R02: a barrier that three of four warps reach is found at the longest length, and only there', async () => {
  const result = await verdict(longSum('long_sum_branch', [64, 40_000]), SOURCE, 'repeat');
  expect(result.status).toBe('fail');
  expect(classes(result)).toEqual(['race', 'fault']);
  expect(result.findings.map(({ label }) => label)).toEqual(['rows=1,width=40000,mode=check', 'rows=1,width=40000']);
  expect(result.findings.at(-1)?.what).toContain('divergence');
  expect(result.cases).toBeGreaterThan(1);
});

test('R02: the same kernel passes where only short rows are served, and the mended one at every length', async () => {
  expect((await verdict(longSum('long_sum_branch', [64, 1024]), SOURCE, 'repeat')).status).toBe('pass');
  expect((await verdict(longSum('long_sum_right', [64, 40_000]), SOURCE, 'repeat')).status).toBe('pass');
});

const scale = (symbol: string): Stated =>
  overRows(symbol, 32, {
    outputs: { y: f32('rows', 'width') },
    formula: rows('width', 'y = 2 * x'),
    accumulator: 'none',
  });

test('R03: writes of what is there already stay green, and the note claims equal runs and no more', async () => {
  const result = await verdict(scale('scale_benign'), SOURCE, 'repeat');
  expect(result.status).toBe('pass');
  expect(result.notes.join(' ')).toStartWith('5 equal runs');
  expect(result.notes.join(' ')).not.toMatch(/race.?free|no race|without a race/i);
});

test('R03: an update that 256 threads make loses nothing here, and is a race', async () => {
  const source = `
extern "C" __global__ void k(const float* x, float* y, unsigned width) {
  __shared__ unsigned seen;
  if (threadIdx.x == 0) seen = 0;
  __syncthreads();
  seen += 1;
  __syncthreads();
  for (unsigned i = threadIdx.x; i < width; i += 256) y[blockIdx.x * width + i] = seen * x[blockIdx.x * width + i];
}`;
  const updated = overRows('k', 256, {
    outputs: { y: f32('rows', 'width') },
    formula: rows('width', 'y = 256 * x'),
    accumulator: 'none',
  });
  const result = await verdict(updated, source, 'repeat');
  expect(classes(result)).toEqual(['race']);
  expect(result.findings[0]?.what).toMatch(
    /^race: group .* at byte 0 of local memory seen \(4 bytes, declared at case.cu:3\), at case.cu:6; thread .* at case.cu:6, and no/,
  );
  expect((await verdict(updated, source.replace('seen += 1', 'atomicAdd(&seen, 1u)'), 'repeat')).status).toBe('pass');
});

test("R03: a neighbour's slot read without a warp barrier differs under the host device's orders", async () => {
  const result = await verdict(scale('scale_hazard'), SOURCE, 'repeat');
  expect(classes(result)).toEqual(['race', 'different']);
  expect(result.notes.join(' ')).not.toContain('equal runs');
  expect((await verdict(scale('scale_right'), SOURCE, 'repeat')).status).toBe('pass');
});

const slices = (symbol: string, output: typeof bf16 | typeof f32): Stated =>
  overRows(symbol, 256, { outputs: { y: output('rows') }, served: [{ rows: 4, width: 1024 }] });

test('R04: eight slices added to a bf16 output by unordered atomics differ between runs', async () => {
  const result = await verdict(slices('slices_atomic', bf16), SOURCE, 'repeat');
  expect(classes(result)).toEqual(['different']);
  expect(result.findings[0]?.worst).toMatch(/^y\[\d\] {2}first run .* second run /);
  expect((await verdict(slices('slots_fixed_bf16', bf16), SOURCE, 'repeat')).status).toBe('pass');
});

test('R05: slots taken by an atomic counter: red at repeat, green at shapes, and both verdicts stand', async () => {
  const results = await judge(slices('slots_counted', f32), { cuda: SOURCE }, { gates: ['repeat', 'shapes'] });
  const gates = results.filter((result) => result.kind === 'gate');
  expect(gates.map(({ gate, status }) => [gate, status])).toEqual([
    ['repeat', 'fail'],
    ['shapes', 'pass'],
  ]);
  expect(gates[0]?.findings.map((finding) => finding.class)).toEqual(['different']);
  expect((await verdict(slices('slots_fixed', f32), SOURCE, 'repeat')).status).toBe('pass');
});
