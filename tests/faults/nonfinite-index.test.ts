/** Public faults of gate 1, fourth part: scans and indices, whose outputs a stated rule gives exactly. */
import { expect, test } from 'bun:test';
import { f32, rows, rule, u32 } from '#contract';
import { toBits, encodeAll } from '../../src/numerics/codec.ts';
import type { Shape } from '../../src/families/tensor.ts';
import { sizeOf } from '../../src/families/tensor.ts';
import type { Stated } from './harness.ts';
import { classes, judge, verdict } from './harness.ts';

const SOURCE = `
#define ROW extern "C" __global__ void

__device__ float keeps(float a, float b) { return a > b || isnan(a) ? a : b; }
__device__ float skips(float a, float b) { return a > b ? a : b; }

/** A running maximum in blocks of 32, each merged with what the blocks before it reached. */
template <float SCAN(float, float), float CARRY(float, float), bool OWN_SLOT>
__device__ void cummax(const float* x, float* y, unsigned width) {
  const unsigned from = blockIdx.x * width;
  float carried = -INFINITY;
  for (unsigned first = 0; first < width; first += 32) {
    float running = -INFINITY;
    for (unsigned i = first; i < min(first + 32, width); i++) {
      running = isnan(running) ? running : SCAN(x[from + i], running);
      const float merged = first == 0 ? running : CARRY(carried, running);
      y[from + i] = OWN_SLOT && isnan(x[from + i]) ? x[from + i] : merged;
    }
    carried = first == 0 ? running : CARRY(carried, running);
  }
}
ROW cummax_right(const float* x, float* y, unsigned width) { cummax<keeps, keeps, false>(x, y, width); }
ROW cummax_skips(const float* x, float* y, unsigned width) { cummax<skips, skips, false>(x, y, width); }
ROW cummax_own_slot(const float* x, float* y, unsigned width) { cummax<skips, skips, true>(x, y, width); }
ROW cummax_carry_skips(const float* x, float* y, unsigned width) { cummax<keeps, fmaxf, false>(x, y, width); }

ROW argmax_skips(const float* x, unsigned* id, unsigned width) {
  float best = -INFINITY;
  unsigned at = 0;
  for (unsigned i = 0; i < width; i++) {
    const float v = x[blockIdx.x * width + i];
    if (v > best) best = v, at = i;
  }
  id[blockIdx.x] = at;
}

enum End { SENTINEL, VOCABULARY, UNWRITTEN, NEIGHBOUR };
/** The k largest, in order; where fewer than k are no NaN, END says what the rest of the ids hold. */
template <End END>
__device__ void top(const float* x, unsigned* ids, unsigned width, unsigned k) {
  const float* row = x + blockIdx.x * width;
  unsigned* out = ids + blockIdx.x * k;
  unsigned last = width;
  for (unsigned pick = 0; pick < k; pick++) {
    unsigned best = width;
    for (unsigned i = 0; i < width; i++) {
      const bool after = last == width || row[i] < row[last] || (row[i] == row[last] && i > last);
      if (!isnan(row[i]) && after && (best == width || row[i] > row[best])) best = i;
    }
    if (best < width) out[pick] = last = best;
    else if (END != UNWRITTEN) out[pick] = END == VOCABULARY ? width : 0xffffffffu;
    if (best == width && END == NEIGHBOUR && blockIdx.x > 0) out[-1] = 0xffffffffu;
    if (best == width) last = last == width ? width : last;
  }
}
ROW top_right(const float* x, unsigned* ids, unsigned width, unsigned k) { top<SENTINEL>(x, ids, width, k); }
ROW top_vocabulary(const float* x, unsigned* ids, unsigned width, unsigned k) { top<VOCABULARY>(x, ids, width, k); }
ROW top_unwritten(const float* x, unsigned* ids, unsigned width, unsigned k) { top<UNWRITTEN>(x, ids, width, k); }
ROW top_neighbour(const float* x, unsigned* ids, unsigned width, unsigned k) { top<NEIGHBOUR>(x, ids, width, k); }
`;

const once = (symbol: string, when?: (shape: Shape) => boolean) => ({
  symbol,
  threads: 1,
  grid: (shape: Shape) => [sizeOf(shape, 'rows')],
  depth: () => 0,
  ...(when && { when }),
});

/** The fp32 codes of running maxima, NaN from a row's first NaN on. */
function runningMaxima(x: Float64Array, width: number): Uint32Array {
  const out = new Float64Array(x.length);
  for (let i = 0; i < x.length; i++) out[i] = i % width === 0 ? (x[i] ?? 0) : Math.max(x[i] ?? 0, out[i - 1] ?? 0);
  return toBits('f32', encodeAll('f32', out), out.length);
}

/** Two routes, whose kernel is the same: rows of one block, and rows whose blocks carry. */
const cummax = (symbol: string): Stated => ({
  name: symbol,
  dims: { rows: {}, width: { tile: 32, step: 1, least: 1 } },
  served: [{ rows: 40, width: [3, 33, 100] }],
  inputs: { x: f32('rows', 'width') },
  outputs: { y: f32('rows', 'width') },
  args: ['x', 'y', 'width'],
  formula: rule('width', 'the largest so far; NaN from the first NaN on', ({ x }, { width = 1 }) => ({
    y: runningMaxima(x ?? new Float64Array(0), width),
  })),
  nan: 'rule',
  accumulator: 'none',
  launch: { cuda: [once(symbol, (shape) => sizeOf(shape, 'width') <= 32), once(symbol)] },
});

const widths = (findings: readonly { readonly label: string }[]): string[] => [
  ...new Set(findings.map(({ label }) => /width=(\d+)/.exec(label)?.[1] ?? '')),
];

test('N13: a running maximum that skips NaN, or keeps it in its slot alone, is red in one block or many', async () => {
  for (const symbol of ['cummax_skips', 'cummax_own_slot']) {
    const result = await verdict(cummax(symbol), SOURCE, 'nonfinite');
    expect(result.status).toBe('fail');
    expect(classes(result)).toEqual(['rule']);
    expect(widths(result.findings)).toEqual(['3', '33', '65']);
    const place = symbol === 'cummax_skips' ? 'y[0, 0]' : 'y[0, 1]';
    expect(result.findings[0]?.worst).toStartWith(place);
    expect(result.findings[0]?.worst).toContain('want NaN');
  }
});

test('N13: a running maximum that loses NaN between its blocks is red where there are several', async () => {
  const result = await verdict(cummax('cummax_carry_skips'), SOURCE, 'nonfinite');
  expect(result.status).toBe('fail');
  expect(widths(result.findings)).toEqual(['33', '65']);
});

test('N13: NaN from the first NaN on is green, whatever the bits of the NaN', async () => {
  for (const gate of ['nonfinite', 'shapes'] as const) {
    expect(await verdict(cummax('cummax_right'), SOURCE, gate)).toMatchObject({ status: 'pass', findings: [] });
  }
});

/** The id of the largest value, the lower id of a tie; `nanWins`: the first NaN is the largest of all. */
function argmax(row: Float64Array, nanWins: boolean): number {
  const nan = row.findIndex(Number.isNaN);
  if (nanWins && nan >= 0) return nan;
  return Math.max(0, row.indexOf(Math.max(...row.filter((value) => !Number.isNaN(value)))));
}

const picking = (text: string, nanWins: boolean): Stated => ({
  name: 'argmax',
  dims: { rows: {}, width: { tile: 4, step: 1, least: 1 } },
  served: [{ rows: 40, width: [4, 5] }],
  inputs: { x: f32('rows', 'width') },
  outputs: { id: u32('rows') },
  args: ['x', 'id', 'width'],
  formula: rule('width', text, ({ x = new Float64Array(0) }, { rows: count = 0, width = 0 }) => ({
    id: Uint32Array.from({ length: count }, (_, r) => argmax(x.subarray(r * width, (r + 1) * width), nanWins)),
  })),
  nan: 'rule',
  accumulator: 'none',
  launch: { cuda: once('argmax_skips') },
});

test('N14: an argmax that skips NaN is green where the rule says so, red where the first NaN wins', async () => {
  expect((await verdict(picking('a NaN never wins', false), SOURCE, 'nonfinite')).status).toBe('pass');
  const red = await verdict(picking('the first NaN wins', true), SOURCE, 'nonfinite');
  expect(red.status).toBe('fail');
  expect(classes(red)).toEqual(['rule']);
  expect(red.findings[0]?.why).toBe('Planted: NaN at column 0 of row 0 of x. The rule: the first NaN wins');
});

test('N14: an index whose rule nobody stated is refused', async () => {
  const unstated: Stated = {
    ...picking('', false),
    formula: rows('width', 'id = max(x)'),
    nan: 'propagate',
  };
  const refused = judge(unstated, { cuda: SOURCE }, { gates: ['nonfinite'] });
  await expect(refused).rejects.toThrow(/id.*rule/);
});

/** The ids of the k largest in order, NaN left out; ids that are missing hold all ones. */
function largest(row: Float64Array, k: number): number[] {
  const ids = [...row.keys()].filter((i) => !Number.isNaN(row[i] ?? 0));
  ids.sort((a, b) => ((row[a] ?? 0) === (row[b] ?? 0) ? a - b : (row[b] ?? 0) > (row[a] ?? 0) ? 1 : -1));
  return Array.from({ length: k }, (_, pick) => ids[pick] ?? 0xffffffff);
}

const top = (symbol: string): Stated => ({
  name: symbol,
  dims: { rows: {}, width: {}, k: {} },
  served: [{ rows: 40, width: 4, k: 4 }],
  inputs: { x: f32('rows', 'width') },
  outputs: { ids: u32('rows', 'k') },
  args: ['x', 'ids', 'width', 'k'],
  formula: rule(
    'width',
    'the k largest in order, ties to the lower id, NaN never; all ones where there are fewer',
    ({ x = new Float64Array(0) }, { rows: count = 0, width = 0, k = 0 }) => ({
      ids: Uint32Array.from(
        Array.from({ length: count }, (_, r) => largest(x.subarray(r * width, (r + 1) * width), k)).flat(),
      ),
    }),
  ),
  nan: 'rule',
  accumulator: 'none',
  launch: { cuda: once(symbol) },
});

test('N15: a row with fewer numbers than k that emits the vocabulary size is red', async () => {
  const result = await verdict(top('top_vocabulary'), SOURCE, 'nonfinite');
  expect(result.status).toBe('fail');
  expect(classes(result)).toEqual(['rule']);
  expect(result.findings[0]?.worst).toMatch(/^ids\[\d+, \d\] {2}got 4 .*\(0xffffffff\)$/);
});

test('N15: a row with fewer numbers than k whose last ids are left as they were is red as unwritten', async () => {
  const result = await verdict(top('top_unwritten'), SOURCE, 'nonfinite');
  expect(result.status).toBe('fail');
  expect(classes(result)).toContain('unwritten');
  expect(result.findings[0]?.what).toEndWith('outputs unwritten, the first ids[0, 3]');
});

test('N15: a row without a NaN that a neighbour changes is red, and the stated sentinel is green', async () => {
  const spilled = await verdict(top('top_neighbour'), SOURCE, 'nonfinite');
  expect(spilled.status).toBe('fail');
  expect(classes(spilled)).toEqual(['rule']);
  expect(spilled.findings[0]?.worst).toMatch(/^ids\[\d+, 3\] .*\(0xffffffff\) {2}want [0-3] /);
  expect(spilled.findings[0]?.why).toContain("another row's plant reached it");
  expect((await verdict(top('top_right'), SOURCE, 'nonfinite')).status).toBe('pass');
});
