/** Public faults of gate 3, first part: sizes at which an index, a pipeline, an alignment or a launch breaks. */
import { expect, test } from 'bun:test';
import type { Launch } from '#contract';
import { f16, f32, rows } from '#contract';
import { sizeOf } from '../../src/families/tensor.ts';
import type { Stated } from './harness.ts';
import { BASIC, classes, judge, verdict } from './harness.ts';

const SOURCE = `
#include <cuda_fp16.h>
#define ROW extern "C" __global__ void

/** y = 2 x, a group a row: the place of an element is held in INDEX. */
template <class INDEX>
__device__ void placed(const float* x, float* y, unsigned width) {
  for (unsigned i = threadIdx.x; i < width; i += blockDim.x) {
    const INDEX at = INDEX(blockIdx.x * width + i);
    y[at] = 2.0f * x[at];
  }
}
ROW placed_wide(const float* x, float* y, unsigned width) { placed<unsigned>(x, y, width); }
ROW placed_narrow(const float* x, float* y, unsigned width) { placed<unsigned short>(x, y, width); }

ROW placed_held(const float* x, float* y, unsigned rows, unsigned width) {
  if (blockIdx.x < rows) placed<unsigned>(x, y, width);
}

/** A row's sum through a ring of three slots that is filled and drained a whole turn at a time. */
template <bool PARTIAL>
__device__ void ring(const float* x, float* y, unsigned width) {
  float slots[3], sum = 0.0f;
  for (unsigned first = 0; first < width; first += 3) {
    if (!PARTIAL && first + 3 > width) break;
    for (unsigned i = 0; i < 3 && first + i < width; i++) slots[i] = x[blockIdx.x * width + first + i];
    for (unsigned i = 0; i < 3 && first + i < width; i++) sum += slots[i];
  }
  y[blockIdx.x] = sum;
}
ROW ring_whole(const float* x, float* y, unsigned width) { ring<false>(x, y, width); }
ROW ring_partial(const float* x, float* y, unsigned width) { ring<true>(x, y, width); }

/** A head of fp16 a slot, copied 16 bytes at a time, the rest one by one. */
ROW heads_vector(const __half* x, __half* y, unsigned head) {
  const __half* from = x + blockIdx.x * head;
  __half* to = y + blockIdx.x * head;
  unsigned i = 0;
  for (; i + 8 <= head; i += 8) *(uint4*)(to + i) = *(const uint4*)(from + i);
  for (; i < head; i++) to[i] = from[i];
}
ROW heads_scalar(const __half* x, __half* y, unsigned head) {
  for (unsigned i = 0; i < head; i++) y[blockIdx.x * head + i] = x[blockIdx.x * head + i];
}

/** A group's sum: its warps counted up or down, the lanes of the last warp all taken as present or only some. */
template <bool UP, bool PRESENT>
__device__ void block_sum(const float* x, float* y, unsigned n) {
  __shared__ float partials[32];
  const unsigned t = threadIdx.x, lane = t % 32;
  const unsigned mask = PRESENT ? __ballot_sync(__activemask(), 1) : 0xffffffffu;
  float sum = x[t];
  for (unsigned offset = 16; offset > 0; offset /= 2) {
    const float other = __shfl_down_sync(mask, sum, offset);
    if (!PRESENT || (lane + offset < 32 && (mask >> (lane + offset) & 1))) sum += other;
  }
  if (lane == 0) partials[t / 32] = sum;
  __syncthreads();
  const unsigned warps = UP ? (n + 31) / 32 : n / 32;
  float total = 0.0f;
  for (unsigned warp = 0; warp < warps; warp++) total += partials[warp];
  if (t == 0) y[0] = total;
}
ROW block_floor(const float* x, float* y, unsigned n) { block_sum<false, true>(x, y, n); }
ROW block_absent(const float* x, float* y, unsigned n) { block_sum<true, false>(x, y, n); }
ROW block_right(const float* x, float* y, unsigned n) { block_sum<true, true>(x, y, n); }

/** A dot with a row of weights, 256 values at a time: what lies behind the row has weight 0, or is cut off. */
template <bool CUT>
__device__ void padded_dot(const __half* x, const __half* w, float* y, unsigned k) {
  float sum = 0.0f;
  for (unsigned first = 0; first < k; first += 256)
    for (unsigned i = first; i < first + 256; i++) {
      if (CUT && i >= k) break;
      sum += __half2float(x[blockIdx.x * k + i]) * (i < k ? __half2float(w[i]) : 0.0f);
    }
  y[blockIdx.x] = sum;
}
ROW dot_padded(const __half* x, const __half* w, float* y, unsigned k) { padded_dot<false>(x, w, y, k); }
ROW dot_cut(const __half* x, const __half* w, float* y, unsigned k) { padded_dot<true>(x, w, y, k); }
/** The largest value, read 256 at a time, by a maximum that drops NaN. */
ROW max_padded(const __half* x, float* y, unsigned k) {
  float m = -INFINITY;
  for (unsigned i = 0; i < (k + 255) / 256 * 256; i++) m = fmaxf(m, __half2float(x[i]));
  y[0] = m;
}
ROW max_cut(const __half* x, float* y, unsigned k) {
  float m = -INFINITY;
  for (unsigned i = 0; i < k; i++) m = fmaxf(m, __half2float(x[i]));
  y[0] = m;
}
`;

/** One thread a group, a group a row. */
const groupARow = (symbol: string, depth: number): Launch => ({
  symbol,
  threads: 1,
  grid: (shape) => [sizeOf(shape, 'rows')],
  depth: () => depth,
});

/** An elementwise contract over fp32 rows, a group a row. */
const overRows = (symbol: string, stated: Partial<Stated> = {}): Stated => ({
  name: 'fault',
  dims: { rows: {}, width: {} },
  served: [{ rows: 4, width: 64 }],
  inputs: { x: f32('rows', 'width') },
  outputs: { y: f32('rows', 'width') },
  args: ['x', 'y', 'width'],
  formula: rows('width', 'y = 2 * x'),
  accumulator: 'none',
  launch: { cuda: { symbol, threads: 64, grid: (shape) => [sizeOf(shape, 'rows')], depth: () => 0 } },
  ...stated,
});

/** The cases at which a gate found something, in the gate's order. */
const redAt = (result: Awaited<ReturnType<typeof verdict>>): string[] => [
  ...new Set(result.findings.map(({ label }) => label)),
];

test('S01: an index that wraps past its range is red where the served envelope reaches it', async () => {
  const table = (largest: number) => overRows('placed_narrow', { served: [{ rows: [1, largest], width: 256 }] });
  const wrapped = await verdict(table(300), SOURCE, 'shapes');
  expect(redAt(wrapped)).toEqual(['rows=300,width=256']);
  expect(wrapped.findings[0]).toMatchObject({
    class: 'unwritten',
    what: '11,264 of 76,800 outputs unwritten, the first y[256, 0]',
  });
  expect((await verdict(table(256), SOURCE, 'shapes')).status).toBe('pass');
});

test('S01: a served table that the device cannot hold is listed as not run, never as passed', async () => {
  const table = overRows('placed_wide', { served: [{ rows: 262_144, width: 8_960_000 }] });
  const result = await verdict(table, SOURCE, 'shapes');
  expect(result.status).toBe('not run');
  expect(result.cases).toBe(0);
  expect(result.notes.join('\n')).toContain('not run at rows=262144,width=8960000');
});

test('S02: exactly the limit passes and the limit plus a step fails: both sides are owed', async () => {
  const limit = (symbol: string) =>
    overRows(symbol, { dims: { rows: { tile: 256, least: 1 }, width: {} }, served: [{ rows: 300, width: 256 }] });
  const result = await verdict(limit('placed_narrow'), SOURCE, 'shapes', { only: BASIC });
  const red = redAt(result);
  expect(red[0]).toBe('rows=257,width=256');
  expect(red.at(-1)).toBe('rows=300,width=256');
  // Least, a step less than a tile, a tile, and one drawn size.
  expect(result.cases - red.length).toBe(4);
  expect(result.findings[0]?.why).toContain('rows is a tile (256) plus a step (1)');
  expect((await verdict(limit('placed_wide'), SOURCE, 'shapes')).status).toBe('pass');
});

const ring = (symbol: string, width: Stated['dims'][string], served: readonly number[]): Stated =>
  overRows(symbol, {
    dims: { rows: {}, width },
    served: [{ rows: 2, width: served }],
    outputs: { y: f32('rows') },
    formula: rows('width', 'y = sum(x)'),
    accumulator: 'f32',
    launch: { cuda: groupARow(symbol, 7) },
  });

test('S03: a ring that drains whole turns is red from its depth plus a step, the depth stated as a tile', async () => {
  const result = await verdict(ring('ring_whole', { tile: 3, least: 3 }, [6, 7]), SOURCE, 'shapes', { only: BASIC });
  expect(redAt(result)).toEqual(['rows=2,width=4', 'rows=2,width=7']);
  expect(classes(result)).toEqual(['value']);
  expect((await verdict(ring('ring_partial', { tile: 3, least: 1 }, [6, 7]), SOURCE, 'shapes')).status).toBe('pass');
});

test('S03: whole turns alone, as they happened to be tested, show nothing', async () => {
  expect((await verdict(ring('ring_whole', {}, [3, 6]), SOURCE, 'shapes')).status).toBe('pass');
});

const heads = (symbol: string): Stated => ({
  name: 'heads',
  dims: { slots: {}, head: { step: 2, least: 46 } },
  served: [{ slots: 32, head: [46, 48, 64] }],
  inputs: { x: f16('slots', 'head') },
  outputs: { y: f16('slots', 'head') },
  args: ['x', 'y', 'head'],
  formula: rows('head', 'y = x * 1'),
  accumulator: 'none',
  launch: { cuda: { symbol, threads: 1, grid: (shape) => [sizeOf(shape, 'slots')], depth: () => 0 } },
});

test('S04: 16-byte stores to rows of 92 bytes fault at head 46, and the cases behind it still run', async () => {
  const result = await verdict(heads('heads_vector'), SOURCE, 'shapes', { only: BASIC });
  // Sizes that a seed draws between 46 and 64 are red where they are no multiple of 8.
  expect(redAt(result)[0]).toBe('slots=32,head=46');
  expect(redAt(result).every((label) => Number(label.split('=').at(-1)) % 8 !== 0)).toBe(true);
  expect(classes(result)).toEqual(['fault']);
  expect(result.findings[0]?.what).toMatch(/misaligned/);
  expect(result.cases - redAt(result).length).toBe(2);
  expect((await verdict(heads('heads_scalar'), SOURCE, 'shapes')).status).toBe('pass');
});

const STRICT = `
#include <cuda_fp16.h>
extern "C" __global__ void halves(const __half* x, float* y, unsigned width) {
  const __half* row = x + blockIdx.x * width;
  float* out = y + blockIdx.x * width;
  unsigned i = 0;
  for (; i + 4 <= width; i += 4) {
    const uint2 four = *(const uint2*)(row + i);
    const __half* values = (const __half*)&four;
    for (unsigned j = 0; j < 4; j++) out[i + j] = 2.0f * __half2float(values[j]);
  }
  for (; i < width; i++) out[i] = 2.0f * __half2float(row[i]);
}
`;
const LENIENT = `
#include <metal_stdlib>
using namespace metal;
kernel void halves(device const half* x [[buffer(0)]], device float* y [[buffer(1)]],
                   constant uint& width [[buffer(2)]], uint row [[threadgroup_position_in_grid]]) {
  device const half* from = x + row * width;
  device float* out = y + row * width;
  uint i = 0;
  for (; i + 4 <= width; i += 4) {
    const half4 four = half4(*(device const packed_half4*)(from + i));
    for (uint j = 0; j < 4; j++) out[i + j] = 2.0f * float(four[j]);
  }
  for (; i < width; i++) out[i] = 2.0f * float(from[i]);
}
`;

test('S05: four halves at a time from rows of 129: red in the strict dialect, green in the other', async () => {
  const halves = overRows('halves', {
    served: [{ rows: [1, 2], width: 129 }],
    inputs: { x: f16('rows', 'width') },
    launch: { cuda: groupARow('halves', 0), metal: groupARow('halves', 0) },
  });
  const results = await judge(halves, { cuda: STRICT, metal: LENIENT }, { gates: ['shapes'], only: BASIC });
  const gates = results.filter((result) => result.kind === 'gate');
  expect(gates.map(({ dialect, status }) => [dialect, status])).toEqual([
    ['cuda', 'fail'],
    ['metal', 'pass'],
  ]);
  expect(gates[0]?.findings.map(({ label }) => label)).toEqual(['rows=2,width=129']);
  expect(gates[0]?.findings[0]?.class).toBe('fault');
});

/** A group as wide as the row: one launch for each width that is served. */
const blockSum = (symbol: string): Stated => ({
  name: 'block_sum',
  dims: { n: {} },
  served: [{ n: [129, 159, 180, 192] }],
  inputs: { x: f32('n') },
  outputs: { y: f32() },
  args: ['x', 'y', 'n'],
  formula: rows('n', 'y = sum(x)'),
  accumulator: 'f32',
  launch: {
    cuda: [129, 159, 180, 192].map((threads) => ({
      symbol,
      threads,
      when: (shape) => sizeOf(shape, 'n') === threads,
      grid: () => [1],
      depth: () => 12,
    })),
  },
});

for (const symbol of ['block_floor', 'block_absent']) {
  test(`S06: ${symbol}: a partial last warp is red at 129, 159 and 180 threads, and green at 192`, async () => {
    const result = await verdict(blockSum(symbol), SOURCE, 'shapes', { only: BASIC });
    expect(redAt(result)).toEqual(['n=129', 'n=159', 'n=180']);
    expect(result.cases).toBe(4);
  });
}

test('S06: with warps counted up and only present lanes added, every width is right', async () => {
  expect((await verdict(blockSum('block_right'), SOURCE, 'shapes')).status).toBe('pass');
});

test('S07: a launch of no groups is red on its own name, and the next, innocent kernel is green', async () => {
  const none = overRows('placed_wide', {
    launch: { cuda: { symbol: 'placed_wide', threads: 64, grid: () => [0], depth: () => 0 } },
  });
  const result = await verdict(none, SOURCE, 'shapes');
  expect(classes(result)).toEqual(['fault']);
  expect((await verdict(overRows('placed_wide'), SOURCE, 'shapes')).status).toBe('pass');
});

test('S07: a least size of 0 is tried with zero rows, and one of 1 is not', async () => {
  const from = (least: number, groups: (rows: number) => number) =>
    overRows('placed_held', {
      dims: { rows: { least }, width: {} },
      launch: { cuda: { ...groupARow('placed_held', 0), grid: (shape) => [groups(sizeOf(shape, 'rows'))] } },
      args: ['x', 'y', 'rows', 'width'],
    });
  const none = await verdict(
    from(0, (count) => count),
    SOURCE,
    'shapes',
  );
  expect(redAt(none)).toEqual(['rows=0,width=64']);
  expect(classes(none)).toEqual(['fault']);
  expect(
    (
      await verdict(
        from(1, (count) => count),
        SOURCE,
        'shapes',
      )
    ).status,
  ).toBe('pass');
  expect(
    (
      await verdict(
        from(0, (count) => Math.max(1, count)),
        SOURCE,
        'shapes',
      )
    ).status,
  ).toBe('pass');
});

const K = 384;
const padded = (many: string): Stated => ({
  name: 'padded',
  dims: { rows: {}, k: {} },
  served: [{ rows: [8, 9], k: K }],
  inputs: { x: f16('rows', 'k'), w: f16('k') },
  outputs: { y: f32('rows') },
  args: ['x', 'w', 'y', 'k'],
  formula: rows('k', 'y = sum(x * w)'),
  accumulator: 'f32',
  launch: {
    cuda: [{ ...groupARow('dot_cut', K), when: (shape) => sizeOf(shape, 'rows') <= 8 }, groupARow(many, K)],
  },
});

test('S08: rows read past their end are red on the route that does it: behind the last row is NaN', async () => {
  const result = await verdict(padded('dot_padded'), SOURCE, 'shapes', { only: BASIC });
  expect(redAt(result)).toEqual([`rows=9,k=${K}`]);
  expect(result.findings[0]?.worst).toStartWith('y[8]  got NaN');
  expect((await verdict(padded('dot_cut'), SOURCE, 'shapes')).status).toBe('pass');
});

test('S08: an over-read that drops NaN is right with one pattern behind the row and not with another', async () => {
  const largest = (symbol: string): Stated => ({
    name: 'largest',
    dims: { k: {} },
    served: [{ k: K }],
    inputs: { x: f16('k') },
    outputs: { y: f32() },
    args: ['x', 'y', 'k'],
    formula: rows('k', 'y = max(x)'),
    accumulator: 'none',
    launch: { cuda: { symbol, threads: 1, grid: () => [1], depth: () => 0 } },
  });
  expect((await verdict(largest('max_padded'), SOURCE, 'shapes')).status).toBe('pass');
  expect(classes(await verdict(largest('max_padded'), SOURCE, 'repeat'))).toEqual(['bounds', 'over-read']);
  expect((await verdict(largest('max_cut'), SOURCE, 'repeat')).status).toBe('pass');
});
