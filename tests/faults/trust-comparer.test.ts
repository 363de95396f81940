/** Public faults of harnesses, second part: the comparer and the classifier by themselves, and over a real kernel. */
import { expect, test } from 'bun:test';
import { f32, rows } from '#contract';
import { compileFlags, openclTableFlags } from '../../src/device/toolchain/flags.ts';
import { RUNTIME_FLAGS } from '../../src/device/toolchain/runtime.ts';
import { sizeOf } from '../../src/families/tensor.ts';
import type { Finding } from '../../src/gates/finding.ts';
import type { Judged } from '../../src/gates/compare.ts';
import { compareClasses, compareRanges } from '../../src/gates/compare.ts';
import { CLASS_NAMES, classOf, classOfCode, classesOf } from '../../src/numerics/class.ts';
import { encodeAll } from '../../src/numerics/codec.ts';
import type { DType } from '../../src/numerics/dtype.ts';
import type { Stated } from './harness.ts';
import { classes, verdict } from './harness.ts';

const judged = (values: ArrayLike<number>): Judged => ({
  name: 'y',
  tensor: f32('n'),
  shape: { n: values.length },
  bytes: encodeAll('f32', values),
});

/** What the comparer finds of outputs against their reference, each allowed `spread` to both sides. */
function compared(got: ArrayLike<number>, want: Float64Array, spread = 1e-6): Finding | undefined {
  return compareRanges(judged(got), want, {
    lo: want.map((value) => value - spread),
    hi: want.map((value) => value + spread),
  }).finding;
}

const NOBODY = (): boolean => false;
const ONES = new Float64Array(100).fill(1);

test('H04: an error that is NaN is red, and so is any number where the reference is NaN', () => {
  const lost = compared([1, Number.NaN, 1], ONES.subarray(0, 3));
  expect(lost).toMatchObject({ class: 'value', what: '1 of 3 outputs past the bound' });
  expect(lost?.worst).toStartWith('y[1]  got NaN');
  const unknown = compared([1, 3, 1], Float64Array.of(1, Number.NaN, 1));
  expect(unknown).toMatchObject({ class: 'value', what: '1 of 3 outputs past the bound' });
  expect(unknown?.worst).toMatch(/^y\[1\] {2}got 3 .*want NaN/);
  expect(compareClasses(judged([3]), Float64Array.of(Number.NaN), NOBODY)?.class).toBe('class');
  expect(compareClasses(judged([Number.NaN]), Float64Array.of(3), NOBODY)?.class).toBe('class');
});

test('H04: one wrong element is red, wherever it is, and so is every element wrong', () => {
  for (const at of [0, 1, 50, 98, 99]) {
    const got = ONES.slice();
    got[at] = 1.001;
    expect(compared(got, ONES)?.what).toBe('1 of 100 outputs past the bound');
    expect(compared(got, ONES)?.worst).toStartWith(`y[${at}]  got 1.001`);
  }
  expect(compared(new Float64Array(100), ONES)?.what).toBe('100 of 100 outputs past the bound');
  expect(compared(ONES, ONES)).toBeUndefined();
});

test('H04: a bound that is NaN or a range that is empty lets nothing pass', () => {
  expect(
    compareRanges(judged([1]), Float64Array.of(1), { lo: Float64Array.of(NaN), hi: Float64Array.of(NaN) }),
  ).toHaveProperty('finding');
  expect(
    compareRanges(judged([1]), Float64Array.of(1), { lo: Float64Array.of(2), hi: Float64Array.of(0) }),
  ).toHaveProperty('finding');
});

test('H09: values half a percent apart differ under a spread of 0, and pass under one of a percent', () => {
  expect(compared([1.005], Float64Array.of(1), 0)).toMatchObject({ class: 'value' });
  expect(compared([1.005], Float64Array.of(1), 0.01)).toBeUndefined();
});

test('H10: values whose squares overflow are judged like any others', () => {
  const large = new Float64Array(64).fill(3e19);
  const slightly = large.slice();
  slightly[17] = 3.0001e19;
  expect(compared(slightly, large, 1e13)?.what).toBe('1 of 64 outputs past the bound');
  expect(compared(large, large, 1e13)).toBeUndefined();
});

const SOURCE = `
extern "C" __global__ void scaled(const float* x, float* y, unsigned width, float s) {
  for (unsigned i = threadIdx.x; i < width; i += blockDim.x) {
    const unsigned at = blockIdx.x * width + i;
    y[at] = x[at] * s;
    if (at == FLIPPED) y[at] = -y[at];
  }
}`;

const scaled = (s: number, width: number, flipped: number): Stated => ({
  name: 'scaled',
  dims: { rows: {}, width: {} },
  served: [{ rows: 1024, width }],
  inputs: { x: f32('rows', 'width') },
  outputs: { y: f32('rows', 'width') },
  scalars: { s },
  args: ['x', 'y', 'width', 's'],
  formula: rows('width', 'y = x * s'),
  accumulator: 'none',
  launch: {
    cuda: {
      symbol: 'scaled',
      threads: 4,
      grid: (shape) => [sizeOf(shape, 'rows')],
      depth: () => 0,
      defines: { FLIPPED: flipped },
    },
  },
});

const NONE = 0xffffffff;

test('H10: one flipped sign among 2^20 values is red, at any magnitude, and named', async () => {
  for (const [s, width, flipped, place] of [
    [1, 1024, 777_777, 'y[759, 561]'],
    [3e19, 8, 4097, 'y[512, 1]'],
  ] as const) {
    const result = await verdict(scaled(s, width, flipped), SOURCE, 'shapes');
    expect(result.status).toBe('fail');
    expect(classes(result)).toEqual(['value']);
    expect(result.findings[0]?.what).toBe(`1 of ${(1024 * width).toLocaleString('en-US')} outputs past the bound`);
    expect(result.findings[0]?.worst).toStartWith(place);
  }
  expect((await verdict(scaled(3e19, 8, NONE), SOURCE, 'shapes')).status).toBe('pass');
});

/** NaN of both signs and kinds, the infinities where the type has them, 0 and 1, as codes of each type. */
const CODES: readonly (readonly [DType, readonly number[], readonly number[], readonly number[]])[] = [
  [
    'f32',
    [0x7fc00000, 0xffc00000, 0x7f800001, 0xff800001, 0xffffffff],
    [0x7f800000, 0xff800000],
    [0, 0x80000000, 0x3f800000, 0x7f7fffff, 1],
  ],
  ['f16', [0x7e00, 0xfe00, 0x7c01, 0xfc01, 0xffff], [0x7c00, 0xfc00], [0, 0x8000, 0x3c00, 0x7bff, 1]],
  ['bf16', [0x7fc0, 0xffc0, 0x7f81, 0xff81, 0xffff], [0x7f80, 0xff80], [0, 0x8000, 0x3f80, 0x7f7f, 1]],
  ['e5m2', [0x7d, 0x7e, 0x7f, 0xfd, 0xff], [0x7c, 0xfc], [0, 0x80, 0x3c, 0x7b, 1]],
  ['e4m3', [0x7f, 0xff], [], [0, 0x80, 0x38, 0x7e, 1]],
];

test('H12: a class is read from integer bits: signalling NaN, infinities, 0 and 1 of every type', () => {
  for (const [type, nans, infinities, finite] of CODES) {
    expect(nans.map((code) => classOfCode(type, code))).toEqual(nans.map(() => 'nan'));
    expect(infinities.map((code) => classOfCode(type, code))).toEqual(
      (['+inf', '-inf'] as const).slice(0, infinities.length),
    );
    expect(finite.map((code) => classOfCode(type, code))).toEqual(finite.map(() => 'finite'));
  }
  const words = Uint32Array.of(0x7f800001, 0xff800001, 0x7f800000, 0xff800000, 0x3f800000);
  const read = [...classesOf('f32', new Uint8Array(words.buffer), words.length)].map((code) => CLASS_NAMES[code]);
  expect(read).toEqual(['nan', 'nan', '+inf', '-inf', 'finite']);
  expect([Number.NaN, Infinity, -Infinity, 0, 1].map(classOf)).toEqual(['nan', '+inf', '-inf', 'finite', 'finite']);
});

test('H12: neither the runtime nor any image is built with flags that assume finite values', () => {
  const images = (['cuda', 'hip', 'metal', 'xpu'] as const).flatMap((dialect) =>
    compileFlags({ kind: 'fast', dialect, processor: 'x64' }, { version: '19.1.7' }),
  );
  const flags = [
    ...images,
    ...RUNTIME_FLAGS,
    ...openclTableFlags({ kind: 'fast', dialect: 'xpu', processor: 'x64', warp: 32 }, { version: '19.1.7' }),
  ].join(' ');
  expect(flags).toContain('-O');
  expect(flags).not.toMatch(/fast-math|finite-math|-Ofast|no-honor|unsafe-math|-menable-no/);
});
