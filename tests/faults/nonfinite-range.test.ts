/** Public faults of gate 1, third part: the ends of a type's range, masked rows, builds that assume. */
import { expect, test } from 'bun:test';
import { f32, rows, rule } from '#contract';
import type { FillName } from '#contract';
import { sizeOf } from '../../src/families/tensor.ts';
import { encode } from '../../src/numerics/codec.ts';
import type { Stated } from './harness.ts';
import { BASIC, classes, judge, verdict } from './harness.ts';

const SOURCE = `
#define ROW extern "C" __global__ void

__device__ float larger(float a, float b) { return a > b || isnan(a) ? a : b; }

/** A block of one row: v = x t scaled so that its largest magnitude becomes 448, by quotients or by one reciprocal. */
template <bool RECIPROCAL>
__device__ void block(const float* x, float* y, unsigned width, float t) {
  const unsigned from = blockIdx.x * width;
  float amax = 0.0f;
  for (unsigned i = 0; i < width; i++) amax = larger(fabsf(x[from + i] * t), amax);
  const float inverse = 448.0f / amax;
  for (unsigned i = 0; i < width; i++) {
    const float v = x[from + i] * t;
    y[from + i] = RECIPROCAL ? v * inverse : v / amax * 448.0f;
  }
}
ROW block_right(const float* x, float* y, unsigned width, float t) { block<false>(x, y, width, t); }
ROW block_reciprocal(const float* x, float* y, unsigned width, float t) { block<true>(x, y, width, t); }

enum Kind { RIGHT, CLAMPED, UNIFORM };
/** Softmax; CLAMPED keeps x - max above -80 by a maximum that drops NaN, UNIFORM spreads a fully masked row evenly. */
template <Kind KIND>
__device__ void softmax(const float* x, float* y, unsigned width) {
  const unsigned from = blockIdx.x * width;
  float m = -INFINITY;
  for (unsigned i = 0; i < width; i++) m = larger(x[from + i], m);
  float sum = 0.0f;
  for (unsigned i = 0; i < width; i++) {
    const float d = x[from + i] - m;
    y[from + i] = expf(KIND == CLAMPED ? fmaxf(d, -80.0f) : d);
    sum += y[from + i];
  }
  const bool masked = KIND == UNIFORM && m == -INFINITY;
  for (unsigned i = 0; i < width; i++) y[from + i] = masked ? 1.0f / width : y[from + i] / sum;
}
ROW softmax_right(const float* x, float* y, unsigned width) { softmax<RIGHT>(x, y, width); }
ROW softmax_clamped(const float* x, float* y, unsigned width) { softmax<CLAMPED>(x, y, width); }
ROW softmax_uniform(const float* x, float* y, unsigned width) { softmax<UNIFORM>(x, y, width); }

/** A maximum whose NaN check a build may fold away: ASSUMES_FINITE says to the compiler what finite-math flags say. */
ROW guarded_max(const float* x, float* y, unsigned width) {
  float m = -INFINITY;
  bool lost = false;
  for (unsigned i = 0; i < width; i++) {
    const float v = x[blockIdx.x * width + i];
#ifdef ASSUMES_FINITE
    __builtin_assume(v == v);
#endif
    if (v != v) lost = true;
    m = v > m ? v : m;
  }
  y[blockIdx.x] = lost ? NAN : m;
}

/** The nearest e4m3 code, ties to even: 8 steps a binade from 2^-6 on, below them steps of 2^-9. */
__device__ unsigned char e4m3(float x, unsigned past_largest) {
  const unsigned sign = __float_as_uint(x) >> 31 << 7;
  if (isnan(x)) return sign | 0x7f;
  const int exponent = max(int(__float_as_uint(fabsf(x)) >> 23) - 127, -6);
  const float steps = rintf(fabsf(x) / __uint_as_float(unsigned(exponent - 3 + 127) << 23));
  const int code = exponent < 16 ? (exponent + 6) * 8 + int(steps) : 0x7f;
  return sign | (code > 0x7e ? past_largest : unsigned(code));
}
template <unsigned PAST_LARGEST>
__device__ void narrow(const float* x, unsigned char* y, unsigned width) {
  for (unsigned i = blockIdx.x * width; i < (blockIdx.x + 1) * width; i++) y[i] = e4m3(x[i], PAST_LARGEST);
}
ROW narrow_saturates(const float* x, unsigned char* y, unsigned width) { narrow<0x7e>(x, y, width); }
ROW narrow_nan(const float* x, unsigned char* y, unsigned width) { narrow<0x7f>(x, y, width); }

ROW silu(const float* x, float* y, unsigned width) {
  for (unsigned i = blockIdx.x * width; i < (blockIdx.x + 1) * width; i++) y[i] = x[i] / (1.0f + expf(-x[i]));
}
`;

const perRow = (symbol: string, width: number, rest: Pick<Stated, 'formula'> & Partial<Stated>): Stated => ({
  name: symbol,
  dims: { rows: {}, width: {} },
  served: [{ rows: 40, width }],
  inputs: { x: f32('rows', 'width') },
  outputs: { y: f32('rows', 'width') },
  args: ['x', 'y', 'width'],
  accumulator: 'none',
  launch: {
    cuda: { symbol, threads: 1, grid: (shape) => [sizeOf(shape, 'rows')], depth: (shape) => sizeOf(shape, 'width') },
  },
  ...rest,
});

/** A block of 32 values of about the magnitude `t`. */
const block = (symbol: string, t: number): Stated =>
  perRow(symbol, 32, {
    scalars: { t },
    args: ['x', 'y', 'width', 't'],
    formula: rows('width', 'v = x * t; y = v / max(abs(v)) * 448'),
  });

test('N09: a block whose reciprocal scale overflows is red at magnitudes of 1e-36 and less, green at 1', async () => {
  for (const exponent of [-120, -124, -130]) {
    const { status, findings } = await verdict(block('block_reciprocal', 2 ** exponent), SOURCE, 'shapes');
    expect(status).toBe('fail');
    expect(findings[0]?.class).toBe('value');
    expect(findings[0]?.worst).toMatch(/got (NaN|[+-]Inf) .*want -?\d/);
    expect((await verdict(block('block_right', 2 ** exponent), SOURCE, 'shapes')).status).toBe('pass');
  }
  expect((await verdict(block('block_reciprocal', 1), SOURCE, 'shapes', { only: BASIC })).status).toBe('pass');
});

const softmax = (symbol: string, width: number): Stated =>
  perRow(symbol, width, {
    formula: rows('width', 'e = exp(x - max(x)); y = e / sum(e)'),
    accumulator: 'f32',
  });

test('N12: a NaN logit that a clamp turns into a weight is red', async () => {
  const result = await verdict(softmax('softmax_clamped', 16), SOURCE, 'nonfinite');
  expect(result.status).toBe('fail');
  expect(classes(result)).toEqual(['class']);
  expect(result.findings[0]?.worst).toMatch(/got finite .*want nan$/);
  expect((await verdict(softmax('softmax_right', 16), SOURCE, 'nonfinite')).status).toBe('pass');
});

test('N12: a row that is -Inf throughout and becomes uniform is red', async () => {
  for (const width of [1, 16]) {
    const result = await verdict(softmax('softmax_uniform', width), SOURCE, 'nonfinite');
    expect({ width, status: result.status }).toEqual({ width, status: 'fail' });
    expect(classes(result)).toEqual(['class']);
    expect((await verdict(softmax('softmax_right', width), SOURCE, 'nonfinite')).status).toBe('pass');
  }
});

const guarded = (defines: Readonly<Record<string, number>>): Stated =>
  perRow('guarded_max', 16, {
    outputs: { y: f32('rows') },
    formula: rows('width', 'y = max(x)'),
    launch: {
      cuda: {
        symbol: 'guarded_max',
        threads: 1,
        grid: (shape) => [sizeOf(shape, 'rows')],
        depth: () => 0,
        defines,
      },
    },
  });

test('N16: a NaN check that the build folds away is red in that build, green in the plain one', async () => {
  const folded = await verdict(guarded({ ASSUMES_FINITE: 1 }), SOURCE, 'nonfinite');
  expect(folded.status).toBe('fail');
  expect(classes(folded)).toEqual(['class']);
  expect((await verdict(guarded({}), SOURCE, 'nonfinite')).status).toBe('pass');
});

test('N17: the plain x / (1 + exp(-x)) is green: NaN at -Inf alone, as float64 has it', async () => {
  for (const fill of ['signed', 'logits', 'binades'] satisfies FillName[]) {
    const silu = perRow('silu', 16, { formula: rows('width', 'y = x / (1 + exp(-x))'), fills: { x: fill } });
    expect(await verdict(silu, SOURCE, 'nonfinite')).toMatchObject({ status: 'pass', findings: [] });
    expect(await verdict(silu, SOURCE, 'shapes')).toMatchObject({ status: 'pass', findings: [] });
  }
});

test('N10: an output by formula of a type without infinities is refused: nobody states its overflow', async () => {
  for (const dtype of ['e4m3', 'e2m1'] as const) {
    const unstated = perRow('silu', 16, {
      outputs: { y: { dtype, dims: ['rows', 'width'] } },
      formula: rows('width', 'y = x * 2'),
    });
    await expect(judge(unstated, { cuda: SOURCE }, { gates: ['nonfinite'] })).rejects.toThrow(
      new RegExp(`y is ${dtype}`),
    );
  }
});

/** x as e4m3 codes, whose largest value is 448: what is past it saturates, or becomes NaN. */
const narrowed = (symbol: string, saturate: boolean): Stated =>
  perRow(symbol, 16, {
    outputs: { y: { dtype: 'e4m3', dims: ['rows', 'width'] } },
    formula: rule(
      'width',
      saturate ? 'past 448 the value saturates' : 'past 448 there is NaN',
      ({ x = new Float64Array(0) }) => ({ y: Uint32Array.from(x, (value) => encode('e4m3', value, { saturate })) }),
    ),
    nan: 'rule',
    fills: { x: 'binades' },
  });

test('N10: a kernel that saturates past 448 and one that gives NaN are green under their own rule alone', async () => {
  for (const gate of ['nonfinite', 'shapes'] as const) {
    for (const symbol of ['narrow_saturates', 'narrow_nan']) {
      for (const saturate of [true, false]) {
        const result = await verdict(narrowed(symbol, saturate), SOURCE, gate);
        const holds = saturate === (symbol === 'narrow_saturates');
        expect({ gate, symbol, saturate, found: classes(result) }).toEqual({
          ...{ gate, symbol, saturate },
          found: holds ? [] : ['rule'],
        });
        expect(result.status).toBe(holds ? 'pass' : 'fail');
      }
    }
  }
});
