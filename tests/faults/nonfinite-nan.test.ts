/** Public faults of gate 1, first part: a NaN that a maximum, a merge or a clamp loses. */
import { expect, test } from 'bun:test';
import { bf16, f32, rows } from '#contract';
import { sizeOf } from '../../src/families/tensor.ts';
import type { Stated } from './harness.ts';
import { BASIC, classes, judge, verdict } from './harness.ts';

const SOURCE = `
#include <cuda_bf16.h>
#define ROW extern "C" __global__ void
typedef __nv_bfloat16 bf16;

__device__ float keeps(float a, float b) { return a > b || isnan(a) ? a : b; }
__device__ float drops(float a, float b) { return fmaxf(a, b); }
__device__ float keeps_first(float a, float b) { return isnan(a) ? a : fmaxf(a, b); }
__device__ float value(float x) { return x; }
__device__ float value(bf16 x) { return __bfloat162float(x); }
__device__ void put(float* to, float x) { *to = x; }
__device__ void put(bf16* to, float x) { *to = __float2bfloat16(x); }

template <class T, float LARGER(float, float)>
__device__ float row_max(const T* x, unsigned width) {
  float largest = -INFINITY;
  for (unsigned i = 0; i < width; i++) largest = LARGER(value(x[blockIdx.x * width + i]), largest);
  return largest;
}
ROW max_keeps(const float* x, float* y, unsigned width) { y[blockIdx.x] = row_max<float, keeps>(x, width); }
ROW max_drops(const float* x, float* y, unsigned width) { y[blockIdx.x] = row_max<float, drops>(x, width); }
/** Leaves the output as it is where the row holds a NaN. */
ROW max_returns(const float* x, float* y, unsigned width) {
  const float largest = row_max<float, keeps>(x, width);
  if (!isnan(largest)) y[blockIdx.x] = largest;
}

/** The option "propagate NaN" as 16-bit elements honour it and wider ones do not. */
template <class T>
__device__ void max_by_width(const T* x, T* y, unsigned width) {
  put(y + blockIdx.x, sizeof(T) == 2 ? row_max<T, keeps>(x, width) : row_max<T, drops>(x, width));
}
ROW max_by_width_f32(const float* x, float* y, unsigned width) { max_by_width(x, y, width); }
ROW max_by_width_bf16(const bf16* x, bf16* y, unsigned width) { max_by_width(x, y, width); }

template <float REDUCE(float, float), float MERGE(float, float)>
__device__ void accumulate(const float* x, const float* old, float* y, unsigned width) {
  y[blockIdx.x] = MERGE(old[blockIdx.x], row_max<float, REDUCE>(x, width));
}
ROW merge_keeps(const float* x, const float* old, float* y, unsigned width) {
  accumulate<keeps, keeps>(x, old, y, width);
}
ROW merge_drops(const float* x, const float* old, float* y, unsigned width) {
  accumulate<keeps, drops>(x, old, y, width);
}
ROW merge_keeps_old(const float* x, const float* old, float* y, unsigned width) {
  accumulate<keeps, keeps_first>(x, old, y, width);
}
ROW reduce_drops(const float* x, const float* old, float* y, unsigned width) {
  accumulate<drops, keeps>(x, old, y, width);
}

template <float CLAMP(float, float, float)>
__device__ void clamp_row(const float* x, float* y, unsigned width, float lo, float hi) {
  for (unsigned i = 0; i < width; i++) y[blockIdx.x * width + i] = CLAMP(x[blockIdx.x * width + i], lo, hi);
}
__device__ float by_fmax(float x, float lo, float hi) { return fminf(fmaxf(x, lo), hi); }
__device__ float bound_first(float x, float lo, float hi) { const float m = x > lo ? x : lo; return m < hi ? m : hi; }
__device__ float value_first(float x, float lo, float hi) { const float m = lo > x ? lo : x; return hi < m ? hi : m; }
#define CLAMP_ROW(name) \\
  ROW clamp_##name(const float* x, float* y, unsigned width, float lo, float hi) { \\
    clamp_row<name>(x, y, width, lo, hi); \\
  }
CLAMP_ROW(by_fmax) CLAMP_ROW(bound_first) CLAMP_ROW(value_first)

template <float LARGER(float, float)>
__device__ void larger_row(const float* a, const float* b, float* y, unsigned width) {
  for (unsigned i = blockIdx.x * width; i < (blockIdx.x + 1) * width; i++) y[i] = LARGER(a[i], b[i]);
}
ROW larger_keeps(const float* a, const float* b, float* y, unsigned width) { larger_row<keeps>(a, b, y, width); }
ROW larger_keeps_first(const float* a, const float* b, float* y, unsigned width) {
  larger_row<keeps_first>(a, b, y, width);
}
`;

/** Four rounds of ten plants and a clean row; in each four plants are one NaN, and a fifth is a NaN in every column. */
const ROWS = 44;
const WIDTH = 9;
const NAN_ROWS = 4 * 5;
const NANS = 4 * 4 + 4 * WIDTH;

const perRow = (symbol: string, rest: Omit<Stated, 'dims' | 'served' | 'accumulator' | 'launch'>): Stated => ({
  dims: { rows: {}, width: { tile: 8, step: 1, least: 1 } },
  served: [{ rows: ROWS, width: 33 }],
  accumulator: 'none',
  launch: { cuda: { symbol, threads: 1, grid: (shape) => [sizeOf(shape, 'rows')], depth: () => 0 } },
  ...rest,
});

const maximum = (symbol: string, tensor: typeof f32 | typeof bf16 = f32): Stated =>
  perRow(symbol, {
    name: symbol,
    inputs: { x: tensor('rows', 'width') },
    outputs: { y: tensor('rows') },
    args: ['x', 'y', 'width'],
    formula: rows('width', 'y = max(x)'),
  });

test('N01: a row maximum by fmax is red at the rows that hold a NaN, and at no other', async () => {
  const { status, findings } = await verdict(maximum('max_drops'), SOURCE, 'nonfinite', { only: BASIC });
  expect(status).toBe('fail');
  expect(findings).toHaveLength(1);
  expect(findings[0]).toMatchObject({ class: 'class', why: 'Planted: NaN at column 0 of row 0 of x.' });
  expect(findings[0]?.what).toStartWith(`${NAN_ROWS} of ${ROWS} outputs`);
  expect(findings[0]?.worst).toMatch(/^y\[0\] {2}got finite \(0x\w{8}\) {2}want nan$/);
  expect((await verdict(maximum('max_keeps'), SOURCE, 'nonfinite')).status).toBe('pass');
});

test('N01: an output that is left unwritten where its row holds a NaN is red, whatever lay there before', async () => {
  const { status, findings } = await verdict(maximum('max_returns'), SOURCE, 'nonfinite');
  expect(status).toBe('fail');
  expect(findings[0]?.what).toStartWith(`${NAN_ROWS} of ${ROWS} outputs`);
});

test('N02: NaN kept in 16-bit elements alone is red for fp32 and green for bf16, each by its own name', async () => {
  const [wide] = await judge(maximum('max_by_width_f32'), { cuda: SOURCE }, { gates: ['nonfinite'], only: BASIC });
  const [narrow] = await judge(
    maximum('max_by_width_bf16', bf16),
    { cuda: SOURCE },
    { gates: ['nonfinite'], only: BASIC },
  );
  expect(wide).toMatchObject({ kernel: 'max_by_width_f32', status: 'fail', findings: [{ class: 'class' }] });
  expect(narrow).toMatchObject({ kernel: 'max_by_width_bf16', status: 'pass', cases: 1 });
});

/** The maximum merged into what was there before. */
const accumulating = (symbol: string): Stated =>
  perRow(symbol, {
    name: symbol,
    inputs: { x: f32('rows', 'width'), old: f32('rows') },
    outputs: { y: f32('rows') },
    args: ['x', 'old', 'y', 'width'],
    formula: rows('width', 'y = max(old, max(x))'),
    inPlace: { y: 'old' },
  });

const plantsOf = (findings: readonly { readonly label: string }[]): string[] => [
  ...new Set(findings.map(({ label }) => /plant=(\w+)/.exec(label)?.[1] ?? '')),
];

test('N03: a merge into the old value that drops a NaN is red, and overwriting is green', async () => {
  const lost = await verdict(accumulating('merge_drops'), SOURCE, 'nonfinite', { only: BASIC });
  expect(lost.status).toBe('fail');
  expect(plantsOf(lost.findings)).toEqual(['x', 'old']);
  expect((await verdict(maximum('max_keeps'), SOURCE, 'nonfinite')).status).toBe('pass');
  expect((await verdict(accumulating('merge_keeps'), SOURCE, 'nonfinite')).status).toBe('pass');
});

test('N03: a NaN lost from the row alone, or kept of the old value alone, shows at the plant in the row', async () => {
  for (const symbol of ['reduce_drops', 'merge_keeps_old']) {
    const { status, findings } = await verdict(accumulating(symbol), SOURCE, 'nonfinite', { only: BASIC });
    expect(status).toBe('fail');
    expect(plantsOf(findings)).toEqual(['x']);
  }
});

const clamp = (symbol: string): Stated =>
  perRow(symbol, {
    name: symbol,
    inputs: { x: f32('rows', 'width') },
    outputs: { y: f32('rows', 'width') },
    scalars: { lo: -0.5, hi: 0.5 },
    args: ['x', 'y', 'width', 'lo', 'hi'],
    formula: rows('width', 'y = min(max(x, lo), hi)'),
  });

test('N04: a clamp that gives a bound for NaN is red at the NaN alone: infinities do give the bounds', async () => {
  for (const symbol of ['clamp_by_fmax', 'clamp_bound_first']) {
    const { status, findings } = await verdict(clamp(symbol), SOURCE, 'nonfinite', { only: BASIC });
    expect(status).toBe('fail');
    expect(findings).toHaveLength(1);
    expect(findings[0]?.class).toBe('class');
    expect(findings[0]?.what).toStartWith(`${NANS} of ${ROWS * WIDTH} outputs`);
    expect(findings[0]?.worst).toEndWith('want nan');
  }
});

test('N04: a clamp that keeps NaN is green, though it turns infinities into finite bounds', async () => {
  const { status, cases } = await verdict(clamp('clamp_value_first'), SOURCE, 'nonfinite');
  expect({ status, cases }).toEqual({ status: 'pass', cases: 2 });
});

const larger = (symbol: string): Stated =>
  perRow(symbol, {
    name: symbol,
    inputs: { a: f32('rows', 'width'), b: f32('rows', 'width') },
    outputs: { y: f32('rows', 'width') },
    args: ['a', 'b', 'y', 'width'],
    formula: rows('width', 'y = max(a, b)'),
  });

test('N05: NaN kept of the first operand alone is red only where it is planted in the second', async () => {
  const one = await verdict(larger('larger_keeps_first'), SOURCE, 'nonfinite', { only: BASIC });
  expect(one).toMatchObject({ status: 'fail', cases: 2 });
  expect(classes(one)).toEqual(['class']);
  expect(plantsOf(one.findings)).toEqual(['b']);
  expect(await verdict(larger('larger_keeps'), SOURCE, 'nonfinite')).toMatchObject({ status: 'pass', cases: 5 });
});
