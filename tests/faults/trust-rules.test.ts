/** Public faults of harnesses, third part: ties, seeds and masked rows, each under a rule that is stated. */
import { expect, test } from 'bun:test';
import { HOST } from '../../src/device/run-device.ts';
import { bf16, f32, rows, rule, u32 } from '#contract';
import type { GateResult } from '../../src/gates/result.ts';
import { registrationLines } from '../../src/report/lines.ts';
import { PLAIN } from '../../src/report/style.ts';
import { sizeOf } from '../../src/families/tensor.ts';
import type { Stated } from './harness.ts';
import { classes, verdict } from './harness.ts';

const SOURCE = `
#include <cuda_bf16.h>
#define ROW extern "C" __global__ void

enum Tie { LOWER, ANY, BY_BITS };
/** Bits in the order of the values, so that -0 comes before +0. */
__device__ int ordered(float x) { const int bits = __float_as_int(x); return bits < 0 ? bits ^ 0x7fffffff : bits; }

/** A warp's argmax: each lane's best, then the warp's by exchanges, ties resolved by TIE. */
template <Tie TIE>
__device__ void argmax(const __nv_bfloat16* x, unsigned* id, unsigned width) {
  float best = -INFINITY;
  unsigned at = 0xffffffffu;
  auto take = [&](float value, unsigned i) {
    const bool above = TIE == BY_BITS ? ordered(value) > ordered(best) : value > best;
    const bool same = TIE == BY_BITS ? ordered(value) == ordered(best) : value == best;
    if (at == 0xffffffffu || above || (same && (TIE == ANY ? i > at : i < at))) best = value, at = i;
  };
  for (unsigned i = threadIdx.x; i < width; i += 32) take(__bfloat162float(x[blockIdx.x * width + i]), i);
  for (int offset = 16; offset > 0; offset /= 2) {
    const float value = __shfl_xor_sync(0xffffffffu, best, offset);
    const unsigned i = __shfl_xor_sync(0xffffffffu, at, offset);
    if (i != 0xffffffffu) take(value, i);
  }
  if (threadIdx.x == 0) id[blockIdx.x] = at;
}
ROW argmax_lower(const __nv_bfloat16* x, unsigned* id, unsigned width) { argmax<LOWER>(x, id, width); }
ROW argmax_any(const __nv_bfloat16* x, unsigned* id, unsigned width) { argmax<ANY>(x, id, width); }
ROW argmax_by_bits(const __nv_bfloat16* x, unsigned* id, unsigned width) { argmax<BY_BITS>(x, id, width); }

/** Wrong for one value in ten thousand. */
ROW rarely_wrong(const float* x, float* y, unsigned width) {
  for (unsigned i = threadIdx.x; i < width; i += blockDim.x) {
    const float v = x[blockIdx.x * width + i];
    y[blockIdx.x * width + i] = v > 0.7f && v < 0.7002f ? 0.0f : 0.5f * v;
  }
}

template <bool ZERO>
__device__ void softmax(const float* x, float* y, unsigned width) {
  const float* row = x + blockIdx.x * width;
  float m = -INFINITY;
  float sum = 0.0f;
  for (unsigned i = 0; i < width; i++) m = row[i] > m || isnan(row[i]) ? row[i] : m;
  for (unsigned i = 0; i < width; i++) sum += expf(row[i] - m);
  for (unsigned i = threadIdx.x; i < width; i += blockDim.x) {
    y[blockIdx.x * width + i] = ZERO && m == -INFINITY ? 0.0f : expf(row[i] - m) / sum;
  }
}
ROW softmax_nan(const float* x, float* y, unsigned width) { softmax<false>(x, y, width); }
ROW softmax_zero(const float* x, float* y, unsigned width) { softmax<true>(x, y, width); }
`;

const perRow = (
  symbol: string,
  threads: number,
  rest: Pick<Stated, 'formula' | 'served'> & Partial<Stated>,
): Stated => ({
  name: symbol,
  dims: { rows: {}, width: {} },
  inputs: { x: f32('rows', 'width') },
  outputs: { y: f32('rows', 'width') },
  args: ['x', 'y', 'width'],
  accumulator: 'none',
  launch: {
    cuda: { symbol, threads, grid: (shape) => [sizeOf(shape, 'rows')], depth: (shape) => sizeOf(shape, 'width') },
  },
  ...rest,
});

/** The lower id of a row's largest values; +0 and -0 are the same value. */
const lowest = (row: Float64Array): number => row.indexOf(row.reduce((a, b) => (b > a ? b : a), -Infinity));

const argmax = (symbol: string): Stated =>
  perRow(symbol, 32, {
    served: [{ rows: 64, width: 48 }],
    inputs: { x: bf16('rows', 'width') },
    outputs: { id: u32('rows') },
    args: ['x', 'id', 'width'],
    formula: rule(
      'width',
      'a tie goes to the lower id; +0 and -0 tie',
      ({ x = new Float64Array(0) }, { rows: count = 0, width = 0 }) => ({
        id: Uint32Array.from({ length: count }, (_, r) => lowest(x.subarray(r * width, (r + 1) * width))),
      }),
    ),
    nan: 'rule',
    fills: { x: 'ties' },
  });

test('H07: a tie that goes to whichever lane is last is red under the stated rule', async () => {
  const result = await verdict(argmax('argmax_any'), SOURCE, 'shapes');
  expect(result.status).toBe('fail');
  expect(classes(result)).toEqual(['rule']);
});

test('H07: zeros of both signs tie: an order by bits is red, an order by values is green on every seed', async () => {
  const result = await verdict(argmax('argmax_by_bits'), SOURCE, 'shapes');
  expect(result.status).toBe('fail');
  expect(classes(result)).toEqual(['rule']);
  for (const seed of ['1', '2', '3', '4', '5']) {
    expect((await verdict(argmax('argmax_lower'), SOURCE, 'shapes', { seed })).status).toBe('pass');
  }
});

const rare: Stated = perRow('rarely_wrong', 8, {
  served: [{ rows: 16, width: 16 }],
  formula: rows('width', 'y = x * 0.5'),
});

/** A result but for the time that it took. */
const timeless = (result: GateResult): GateResult => ({ ...result, elapsedMs: 0 });

/** The first seed at which the kernel fails, as a sweep finds it. */
async function firstRed(seeds: number): Promise<{ readonly seed: string; readonly result: GateResult } | undefined> {
  for (let seed = 1; seed <= seeds; seed++) {
    const result = await verdict(rare, SOURCE, 'shapes', { seed: String(seed) });
    if (result.status === 'fail') return { seed: String(seed), result };
  }
  return undefined;
}

test('H08: a fault of one value in ten thousand is found by a sweep of seeds, and again by its seed', async () => {
  const red = await firstRed(400);
  if (!red) throw new Error('no seed shows the fault');
  expect(Number(red.seed)).toBeGreaterThan(1);
  expect(classes(red.result)).toEqual(['value']);
  const again = await verdict(rare, SOURCE, 'shapes', { seed: red.seed });
  expect(timeless(again)).toEqual(timeless(red.result));

  const registration = { kernel: rare.name, dialect: 'cuda', device: HOST, gates: [again], controls: [] } as const;
  const context = { seed: red.seed, style: PLAIN };
  const told = registrationLines(registration, context).join('\n');
  expect(told).toContain(`--only ${rare.name}@cuda:shapes:rows=16,width=16 --seed ${red.seed}`);
  expect(told).toContain(red.result.findings[0]?.worst ?? 'no element');
});

const softmax = (symbol: string, formula: string): Stated =>
  perRow(symbol, 8, {
    served: [{ rows: 48, width: 16 }],
    formula: rows('width', formula),
    accumulator: 'f32',
  });

const NAN_RULE = 'e = exp(x - max(x)); y = e / sum(e)';
const ZERO_RULE = 'e = exp(x - max(max(x), -1e30)); y = e / max(sum(e), 1e-30)';

test('H11: of two kernels that differ in a row without a visible key, one is red under either rule', async () => {
  for (const [formula, right, wrong] of [
    [NAN_RULE, 'softmax_nan', 'softmax_zero'],
    [ZERO_RULE, 'softmax_zero', 'softmax_nan'],
  ] as const) {
    expect((await verdict(softmax(right, formula), SOURCE, 'nonfinite')).status).toBe('pass');
    const result = await verdict(softmax(wrong, formula), SOURCE, 'nonfinite');
    expect({ formula, status: result.status }).toEqual({ formula, status: 'fail' });
    expect(classes(result)).toEqual(['class']);
    expect(result.findings[0]?.why).toContain('-Inf everywhere');
  }
});

test('H11: where every row has a visible key the two rules are the same', async () => {
  for (const formula of [NAN_RULE, ZERO_RULE]) {
    expect((await verdict(softmax('softmax_nan', formula), SOURCE, 'shapes')).status).toBe('pass');
    expect((await verdict(softmax('softmax_zero', formula), SOURCE, 'shapes')).status).toBe('pass');
  }
});
