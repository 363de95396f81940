/** Public faults of gate 2, second part: hangs, what buffers held before, guards, local memory, unwritten tails. */
import { expect, test } from 'bun:test';
import { bf16, f32, rows } from '#contract';
import { POISONS } from '../../src/device/guarded.ts';
import { sizeOf } from '../../src/families/tensor.ts';
import type { Stated } from './harness.ts';
import { BASIC, classes, judge, verdict } from './harness.ts';

const SOURCE = `
#include <cuda_bf16.h>
#define ROW extern "C" __global__ void
#ifndef POISON
#define POISON 0u
#endif
#ifndef SEMAPHORE_START
#define SEMAPHORE_START 0
#endif

/** A row in two slices, a group each: the second waits for the first's semaphore, takes its sum, and clears it. */
__device__ unsigned semaphore = SEMAPHORE_START;
__device__ float first_sum;
template <bool CLEAR>
__device__ void split(const float* x, float* y, unsigned width) {
  const unsigned half = width / 2;
  float sum = 0.0f;
  for (unsigned i = 0; i < half; i++) sum += x[blockIdx.x * half + i];
  if (blockIdx.x == 0) {
    first_sum = sum;
    __threadfence();
    atomicAdd(&semaphore, 1u);
    return;
  }
  while (atomicCAS(&semaphore, 1u, CLEAR ? 0u : 1u) != 1u) {}
  y[0] = first_sum + sum;
}
ROW split_right(const float* x, float* y, unsigned width) { split<true>(x, y, width); }
ROW split_kept(const float* x, float* y, unsigned width) { split<false>(x, y, width); }

/** Two slices of a row added to the output by atomics, which only the second kernel clears first. */
ROW added(const float* x, float* y, unsigned width) {
  float sum = 0.0f;
  for (unsigned i = 0; i < width / 2; i++) sum += x[blockIdx.x * width + threadIdx.x * (width / 2) + i];
  atomicAdd(&y[blockIdx.x], sum);
}
ROW added_cleared(const float* x, float* y, unsigned width) {
  if (threadIdx.x == 0) y[blockIdx.x] = 0.0f;
  __syncthreads();
  float sum = 0.0f;
  for (unsigned i = 0; i < width / 2; i++) sum += x[blockIdx.x * width + threadIdx.x * (width / 2) + i];
  atomicAdd(&y[blockIdx.x], sum);
}

/** y = 2 x, and \`EXTRA\` elements past the end or before the start. */
template <class T, int FROM, int EXTRA>
__device__ void doubled(const float* x, T* y, unsigned width) {
  for (int i = FROM; i < int(width) + EXTRA; i++) y[i] = T(2.0f * x[i < 0 || i >= int(width) ? 0 : i]);
}
ROW doubled_right(const float* x, float* y, unsigned width) { doubled<float, 0, 0>(x, y, width); }
ROW doubled_past(const float* x, float* y, unsigned width) { doubled<float, 0, 1>(x, y, width); }
ROW doubled_before(const float* x, float* y, unsigned width) { doubled<float, -1, 0>(x, y, width); }
ROW doubled_past_bf16(const float* x, __nv_bfloat16* y, unsigned width) { doubled<__nv_bfloat16, 0, 1>(x, y, width); }
ROW doubled_bf16(const float* x, __nv_bfloat16* y, unsigned width) { doubled<__nv_bfloat16, 0, 0>(x, y, width); }

/** A running sum in shared memory that nothing sets; and one that is set. */
template <bool SET>
__device__ void carried(const float* x, float* y) {
  __shared__ float s[1];
  if (SET) s[0] = 0.0f;
  y[blockIdx.x] = s[0] + x[blockIdx.x];
  s[0] += x[blockIdx.x];
}
ROW carried_unset(const float* x, float* y) { carried<false>(x, y); }
ROW carried_set(const float* x, float* y) { carried<true>(x, y); }
/** Shared memory that nothing sets decides a branch: right only while it holds anything but 0. */
ROW branch_unset(const float* x, float* y) {
  __shared__ unsigned ready;
  y[blockIdx.x] = ready != 0 ? x[blockIdx.x] : 0.0f;
}
/** Right only while it holds no small number. */
ROW count_unset(const float* x, float* y) {
  __shared__ unsigned count;
  y[blockIdx.x] = count < 1000 ? 0.0f : x[blockIdx.x];
}

/** One output a group, whatever the grid covers. */
ROW tripled(const float* x, float* y) { y[blockIdx.x] = 3.0f * x[blockIdx.x]; }
/** Writes a NaN of its own that is the poison of one run. */
ROW poisoned(const float* x, float* y) { y[blockIdx.x] = __uint_as_float(POISON); }
`;

const splitK = (symbol: string, start: number): Stated => ({
  name: 'split',
  dims: { rows: {}, width: {} },
  served: [{ rows: 1, width: 64 }],
  inputs: { x: f32('rows', 'width') },
  outputs: { y: f32('rows') },
  args: ['x', 'y', 'width'],
  formula: rows('width', 'y = sum(x)'),
  accumulator: 'f32',
  launch: {
    cuda: {
      symbol,
      threads: 1,
      grid: () => [2],
      cluster: 2,
      depth: () => 64,
      defines: { SEMAPHORE_START: start },
    },
  },
});

test('R06: a semaphore that is not zero never reaches its count: red as unfinished, and others run on', async () => {
  const result = await verdict(splitK('split_right', 7), SOURCE, 'repeat', { limitMs: 300 });
  expect(classes(result)).toEqual(['fault']);
  expect(result.findings[0]?.what).toMatch(/^did not finish in 0.3 s: .*still runs at .*kernel split_right$/);
  expect((await verdict(splitK('split_right', 0), SOURCE, 'repeat', { limitMs: 5000 })).status).toBe('pass');
});

test('R06: a semaphore that is not cleared ends one launch and hangs the next, which any second launch shows', async () => {
  const options = { gates: ['shapes', 'repeat'], limitMs: 300, only: BASIC } as const;
  const results = await judge(splitK('split_kept', 0), { cuda: SOURCE }, options);
  const gates = results.filter((result) => result.kind === 'gate');
  expect(gates.map((gate) => [gate.gate, classes(gate)])).toEqual([
    ['shapes', ['fault']],
    ['repeat', ['fault']],
  ]);
  for (const { findings } of gates) expect(findings[0]?.what).toMatch(/^did not finish in /);
  expect((await verdict(splitK('split_right', 0), SOURCE, 'shapes')).status).toBe('pass');
});

const overRows = (symbol: string, threads: number, stated: Partial<Stated> = {}): Stated => ({
  name: 'fault',
  dims: { rows: {}, width: {} },
  served: [{ rows: 4, width: 64 }],
  inputs: { x: f32('rows', 'width') },
  outputs: { y: f32('rows') },
  args: ['x', 'y', 'width'],
  formula: rows('width', 'y = sum(x)'),
  accumulator: 'f32',
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

test('R07: slices added to an output that nobody clears are red at both gates, and green once it is', async () => {
  for (const [gate, finding] of [
    ['repeat', ['uninitialised', 'different']],
    ['shapes', ['value']],
  ] as const) {
    expect(classes(await verdict(overRows('added', 2), SOURCE, gate))).toEqual([...finding]);
    expect((await verdict(overRows('added_cleared', 2), SOURCE, gate)).status).toBe('pass');
  }
});

const doubled = (symbol: string, width: number, output: typeof bf16 | typeof f32 = f32): Stated =>
  overRows(symbol, 1, {
    dims: { width: {} },
    served: [{ width }],
    inputs: { x: f32('width') },
    outputs: { y: output('width') },
    formula: rows('width', 'y = 2 * x'),
    accumulator: 'none',
    launch: { cuda: { symbol, threads: 1, grid: () => [1], depth: () => 0 } },
  });

for (const width of [1, 33]) {
  test(`R08: one element past ${width} lands in the guard, byte for byte, at every gate`, async () => {
    const results = await judge(doubled('doubled_past', width), { cuda: SOURCE });
    const run = results.filter((result) => result.kind === 'gate' && result.cases > 0);
    expect(run).toHaveLength(3);
    for (const result of run) {
      if (result.kind !== 'gate') continue;
      const guard = result.findings.find((finding) => finding.class === 'guard');
      expect(guard?.what).toBe('4 guard bytes of y overwritten, the first 1 past its last byte');
    }
    expect((await verdict(doubled('doubled_right', width), SOURCE, 'repeat')).status).toBe('pass');
  });
}

test('R08: two bytes past a bf16 output and four before an fp32 one are counted exactly', async () => {
  const past = await verdict(doubled('doubled_past_bf16', 1, bf16), SOURCE, 'repeat');
  expect(past.findings.map(({ what }) => what.replace(/(, the first|, at ).*/, ''))).toEqual([
    'out of bounds: group (0,0,0) thread (0,0,0) writes 2 bytes at byte 2 of y (2 bytes, argument 1)',
    '2 guard bytes of y overwritten',
  ]);
  const before = await verdict(doubled('doubled_before', 33), SOURCE, 'repeat');
  expect(before.findings.map(({ what }) => what.replace(/, at case.*/, ''))).toEqual([
    'out of bounds: group (0,0,0) thread (0,0,0) writes 4 bytes at 4 bytes before y (132 bytes, argument 1)',
    '4 guard bytes of y overwritten, the first 4 before its first byte',
  ]);
  expect((await verdict(doubled('doubled_bf16', 33, bf16), SOURCE, 'repeat')).status).toBe('pass');
});

const oneARow = (symbol: string, formula: string, groups = 128): Stated => ({
  name: 'one',
  dims: { rows: { least: 1 } },
  served: [{ rows: 128 }],
  inputs: { x: f32('rows') },
  outputs: { y: f32('rows') },
  args: ['x', 'y'],
  formula: rows('rows', formula),
  accumulator: 'none',
  launch: {
    cuda: {
      symbol,
      threads: 1,
      grid: (shape) => [Math.min(groups, sizeOf(shape, 'rows'))],
      depth: () => 0,
      ...(symbol === 'poisoned' && { defines: { POISON: `${POISONS[0]}u` } }),
    },
  },
});

test('R11: shared memory that nothing sets shows because every run fills it with another word', async () => {
  expect(classes(await verdict(oneARow('carried_unset', 'y = x + 0'), SOURCE, 'repeat'))).toEqual([
    'uninitialised',
    'different',
  ]);
  expect((await verdict(oneARow('carried_set', 'y = x + 0'), SOURCE, 'repeat')).status).toBe('pass');
});

for (const symbol of ['branch_unset', 'count_unset']) {
  test(`R11: ${symbol}: a branch on shared memory that nothing sets takes both ways in five runs`, async () => {
    const result = await verdict(oneARow(symbol, 'y = x + 0'), SOURCE, 'repeat');
    expect(classes(result)).toEqual(['uninitialised', 'different']);
  });
}

test('R12: 128 groups of work on a grid of 110 leave 18 outputs unwritten, told apart from wrong ones', async () => {
  for (const gate of ['repeat', 'shapes'] as const) {
    const result = await verdict(oneARow('tripled', 'y = 3 * x', 110), SOURCE, gate, { only: BASIC });
    expect(classes(result)).toEqual(['unwritten']);
    expect(result.findings.map(({ what, label }) => [label, what])).toEqual([
      ['rows=128', '18 of 128 outputs unwritten, the first y[110]'],
    ]);
    expect((await verdict(oneARow('tripled', 'y = 3 * x'), SOURCE, gate)).status).toBe('pass');
  }
});

test('R12: an output that holds the poison of one run alone is wrong, not unwritten', async () => {
  expect(classes(await verdict(oneARow('poisoned', 'y = 3 * x'), SOURCE, 'shapes'))).toEqual(['value']);
});
