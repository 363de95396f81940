/** Public faults of gate 2, fourth part: what lies before a buffer, past an array, and in a variable that nothing sets. */
import { expect, test } from 'bun:test';
import { f32, rows } from '#contract';
import type { Stated } from './harness.ts';
import { classes, verdict } from './harness.ts';
import { each, perRow as groupPerRow } from './row-kit.ts';

/** A group a row of 256; y = x + x unless said otherwise. */
const perRow = (threads: number, stated: Partial<Stated> = {}): Stated =>
  groupPerRow(threads, { served: [{ rows: [1, 4], width: 256 }], ...stated });

for (const distance of [4, 400, 4096]) {
  test(`R14: ${distance} bytes before an input are read: the result changes with them`, async () => {
    const result = await verdict(perRow(32), each(`2.0f * v + *(x - ${distance / 4})`), 'repeat');
    expect(classes(result)).toEqual(['bounds', 'over-read']);
    expect(result.findings[0]?.what).toContain(`reads 4 bytes at ${distance} bytes before x (1024 bytes, argument 0)`);
  });
  test(`R14: ${distance} bytes before an output are written`, async () => {
    const result = await verdict(perRow(32), each(`(*(y - ${distance / 4}) = 5.0f, 2.0f * v)`), 'repeat');
    expect(classes(result)).toEqual(['bounds', 'guard']);
    expect(result.findings[0]?.what).toContain(`writes 4 bytes at ${distance} bytes before y (1024 bytes, argument 1)`);
    const guard = result.findings.find((finding) => finding.class === 'guard');
    expect(guard?.what).toContain(`the first ${distance} before its first byte`);
  });
}
test('R14: past the guard before an input the launch stops', async () => {
  const result = await verdict(perRow(32), each('2.0f * v + *(x - 3000)'), 'repeat');
  expect(classes(result)).toEqual(['bounds', 'fault']);
  expect(result.findings[0]?.what).toContain('12000 bytes before x');
  expect(result.findings.at(-1)?.what).toContain('bytes before a buffer');
});

const toOne = (threads: number, formula: string, accumulator: Stated['accumulator']): Stated =>
  perRow(threads, {
    outputs: { y: f32('rows') },
    formula: rows('width', formula),
    accumulator,
  });

const sum = (declared: string): string => `
extern "C" __global__ void k(const float* x, float* y, unsigned width) {
  ${declared};
  for (unsigned i = 0; i < width; i++) sum += x[size_t(blockIdx.x) * width + i];
  y[blockIdx.x] = sum;
}`;
test('R15: a sum that nothing sets to 0 is no number', async () => {
  const stated = toOne(1, 'y = sum(x)', 'f32');
  expect((await verdict(stated, sum('float sum = 0.0f'), 'shapes')).status).toBe('pass');
  expect((await verdict(stated, sum('float sum'), 'shapes')).status).toBe('fail');
});

const maxima = (slots: number): string => `
extern "C" __global__ void k(const float* x, float* y, unsigned width) {
  __shared__ float total;
  __shared__ float partials[${slots}];
  total = 0.0f;
  __syncthreads();
  float m = x[size_t(blockIdx.x) * width + threadIdx.x];
  for (int d = 16; d; d /= 2) { float o = __shfl_xor_sync(~0u, m, d); m = m != m || o != o ? NAN : fmaxf(m, o); }
  if (threadIdx.x % 32 == 0) partials[threadIdx.x / 32] = m;
  __syncthreads();
  float t = -INFINITY;
  for (int w = 0; w < 8; w++) t = t != t || partials[w] != partials[w] ? NAN : fmaxf(t, partials[w]);
  if (threadIdx.x == 0) y[blockIdx.x] = t;
}`;
test('R16: 8 warps with 4 slots of shared memory: the fifth is told by its number', async () => {
  const stated = toOne(256, 'y = max(x)', 'none');
  expect((await verdict(stated, maxima(8), 'repeat')).status).toBe('pass');
  const result = await verdict(stated, maxima(4), 'repeat');
  expect(classes(result)).toEqual(['bounds', 'fault']);
  expect(result.findings[0]?.what).toMatch(
    /byte 16 of local memory partials \(16 bytes, declared at case.cu:4\), at case.cu:\d/,
  );
  expect(result.findings.at(-1)?.what).toContain("takes element 4 of an array 'float[4]' at case.cu:9");
});

/** Four slots of memory that a group shares, which 32 threads index. */
const SLOTS = {
  hip: `
extern "C" __global__ void k(const float* x, float* y, unsigned width) {
  __shared__ float slots[4];
  for (unsigned i = threadIdx.x; i < width && threadIdx.x < SLOTS; i += SLOTS) {
    slots[i % SLOTS] = 2.0f * x[size_t(blockIdx.x) * width + i];
    y[size_t(blockIdx.x) * width + i] = slots[i % SLOTS];
  }
}`,
  metal: `
#include <metal_stdlib>
using namespace metal;
kernel void k(device const float* x [[buffer(0)]], device float* y [[buffer(1)]], constant uint& width [[buffer(2)]],
              uint g [[threadgroup_position_in_grid]], uint t [[thread_position_in_threadgroup]]) {
  threadgroup float slots[4];
  for (uint i = t; i < width && t < SLOTS; i += SLOTS) {
    slots[i % SLOTS] = 2.0f * x[g * width + i];
    y[g * width + i] = slots[i % SLOTS];
  }
}`,
  xpu: `
kernel void k(global const float* x, global float* y, uint width) {
  local float slots[4];
  for (uint i = get_local_id(0); i < width && get_local_id(0) < SLOTS; i += SLOTS) {
    slots[i % SLOTS] = 2.0f * x[get_group_id(0) * width + i];
    y[get_group_id(0) * width + i] = slots[i % SLOTS];
  }
}`,
} as const;
test.each(['hip', 'metal', 'xpu'] as const)('R16, %s: a fifth of 4 slots of shared memory', async (dialect) => {
  const { cuda, ...rest } = perRow(32).launch;
  const stated = perRow(32, { launch: { ...rest, [dialect]: cuda } });
  const source = (slots: number): string => SLOTS[dialect].replaceAll('SLOTS', String(slots));
  expect((await verdict(stated, source(4), 'repeat', { dialect })).status).toBe('pass');
  const result = await verdict(stated, source(5), 'repeat', { dialect });
  expect(classes(result)).toEqual(['bounds', 'fault']);
  expect(result.findings[0]?.what).toMatch(/byte 16 of local memory slots \(16 bytes, declared at case\.\w+:\d+\)/);
  expect(result.findings.at(-1)?.what).toMatch(
    /takes element 4 of an array '.*float\[4\]' at case\.(hip|metal|cl):\d+/,
  );
});

const quarters = (end: number): string => `
extern "C" __global__ void k(const float* x, float* y, unsigned width) {
  float m[4];
  for (unsigned i = 0; i < width; i++) {
    const float v = x[size_t(blockIdx.x) * width + i];
    if (i < 4 || !(v <= m[i % 4])) m[i % 4] = i >= 4 && m[i % 4] != m[i % 4] ? m[i % 4] : v;
  }
  float t = m[0];
  for (int j = 0; j < ${end}; j++) if (!(m[j % 8] <= t)) t = t != t ? t : m[j % 8];
  y[blockIdx.x] = t;
}`;
test('R16: a private array is read past its end', async () => {
  const stated = toOne(1, 'y = max(x)', 'none');
  expect((await verdict(stated, quarters(4), 'repeat')).status).toBe('pass');
  const result = await verdict(stated, quarters(5), 'repeat');
  expect(classes(result)).toEqual(['fault']);
  expect(result.findings[0]?.what).toContain('past the end of a variable');
  expect(result.findings.at(-1)?.what).toContain("of an array 'float[4]'");
});

/** Row sums that are kept for an input's address, or made at every launch. */
const kept = (isKept: boolean): string => `
__device__ const float* seen = nullptr;
__device__ float kept[8];
__device__ float row_sum(const float* x, unsigned row, unsigned width) {
  float s = 0.0f;
  for (unsigned i = 0; i < width; i++) s += x[row * width + i];
  return s;
}
extern "C" __global__ void k(const float* x, float* y, unsigned width) {
  if (blockIdx.x == 0 && (${!isKept} || seen != x)) {
    for (unsigned r = 0; r < gridDim.x; r++) kept[r] = row_sum(x, r, width);
    seen = x;
  }
  y[blockIdx.x] = ${isKept} && seen == x ? kept[blockIdx.x] : row_sum(x, blockIdx.x, width);
}`;
test("R17: a result is kept from an earlier launch by its input's address", async () => {
  const stated = toOne(1, 'y = sum(x)', 'f32');
  expect((await verdict(stated, kept(false), 'repeat')).status).toBe('pass');
  const result = await verdict(stated, kept(true), 'repeat');
  expect(classes(result)).toEqual(['different']);
  expect(result.findings[0]?.what).toContain('differ where the same buffers held other inputs before');
});
