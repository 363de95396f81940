import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { DeviceModule } from '../../../src/device/device.ts';
import type { HostDevice } from '../../../src/device/host.ts';
import { decode, encode } from '../../../src/numerics/codec.ts';
import { failureOf, lineOf, newDevice, u32 } from '../host/device.ts';
import { add, F16, isFinite, multiply, nearest, valueOf } from '../host/exact.ts';
import { butterfly, call, compiled, type Inputs, launchFor, mixed, moduleOf, SCHEDULES, sourceOf } from './kit.ts';

const SOURCE = await sourceOf('cl', ['types', 'math', 'sub-group', 'group']);

setDefaultTimeout(120_000);

let device: HostDevice;
let module: DeviceModule;
beforeAll(async () => {
  device = await newDevice();
  module = await moduleOf(device, 'xpu', SOURCE);
});
afterAll(() => device.close());

const floats = (symbol: string, count: number, inputs: Inputs = [], rest = {}): number[] =>
  Array.from(call(device, module, symbol, new Float32Array(count), inputs, { group: [1, 1, 1], ...rest }));
const words = (symbol: string, count: number, inputs: Inputs = [], rest = {}): number[] =>
  Array.from(call(device, module, symbol, new Uint32Array(count), inputs, { group: [1, 1, 1], ...rest }));
const lanes = (value: (i: number) => number): number[] => Array.from({ length: 32 }, (_, i) => value(i));
const f32 = Math.fround;
const bitsOf = (value: number): number => new Uint32Array(Float32Array.of(value).buffer)[0] ?? 0;
const codes = (...values: number[]): Uint16Array => Uint16Array.from(values, (value) => encode('f16', value));

describe('memory', () => {
  test('is loaded and stored by vectors, in every address space', () => {
    const x = Float32Array.from({ length: 8 }, (_, i) => i);
    expect(floats('loads', 10, [x, codes(1.5, -2, 3, 0.25)])).toEqual([4, 5, 6, 7, 9, 5, -2, 0.25, 7, 4]);
  });

  test('of half is rounded to nearest even', () => {
    const x = Float32Array.of(1.0005, 65520, NaN, -1e-8);
    expect([...call(device, module, 'halves_stored', new Uint16Array(4), [x], { group: [1, 1, 1] })]).toEqual([
      encode('f16', f32(1.0005)),
      0x7c00,
      0x7fff,
      0x8000,
    ]);
  });
});

describe('values', () => {
  test('convert, saturate and are read as other types', () => {
    const x = Float32Array.of(-1.5, 3e9, NaN, 1.003);
    expect(words('conversions', 14, [x])).toEqual([
      0,
      3_000_000_000,
      0,
      2,
      255,
      0xffff_ff80,
      250,
      bitsOf(7),
      bitsOf(1.003),
      encode('f16', 1.003),
      0x0002_0001,
      2,
      65535,
      0xffff_fffe,
    ]);
  });

  test('of double are computed in double', () => {
    const y = call(device, module, 'doubles', new Uint32Array(8), [Float32Array.of(2)], { group: [1, 1, 1] });
    expect([...new Float64Array(y.buffer)]).toEqual([2 / 3, 2, 4 + 2, Math.SQRT2]);
  });

  test('of half round once an operation, a fused one too', () => {
    const n = 512;
    const edges = [0, 0x8000, 1, 0x8001, 0x3c00, 0x7bff, 0x0400];
    const all = Uint16Array.from({ length: 3 * n }, (_, i) => edges[i] ?? Math.imul(i + 17, 0x9e3779b1) >>> 13);
    const y = call(device, module, 'halves', new Uint16Array(4 * n), [all, u32(n)], { grid: [n / 32, 1, 1] });
    let checked = 0;
    for (let i = 0; i < n; i++) {
      const [a = 0, b = 0, c = 0] = [all[i], all[n + i], all[2 * n + i]];
      if (![a, b, c].every((code) => isFinite(F16, code))) continue;
      expect([i, y[i], y[n + i], y[2 * n + i], y[3 * n + i]]).toEqual([i, ...halfOperations(a, b, c)]);
      checked++;
    }
    expect(checked).toBeGreaterThan(n / 2);
  });

  test('come by value, and of a type of the source from a buffer', () => {
    const pair = Uint32Array.of(11, bitsOf(0.5), 13, 0);
    const inputs = [u32(7), { kind: 'f32', value: 0.25 }, pair] as const;
    expect(words('by_value', 5, inputs)).toEqual([7, bitsOf(0.25), 11, bitsOf(0.5), 13]);
  });
});

/** a + b, a · b, a · b + c and (a + b) + c as codes, by exact arithmetic. */
function halfOperations(a: number, b: number, c: number): number[] {
  const [u, v, w] = [decode('f16', a), decode('f16', b), decode('f16', c)];
  const zero = (value: number): number => (Object.is(value, -0) ? 0x8000 : 0);
  const product = multiply(valueOf(F16, a), valueOf(F16, b));
  const sum = nearest(F16, add(valueOf(F16, a), valueOf(F16, b)), zero(u + v));
  const fused = nearest(F16, add(product, valueOf(F16, c)), zero(product.numerator === 0n ? u * v + w : 0));
  const again = isFinite(F16, sum)
    ? nearest(F16, add(valueOf(F16, sum), valueOf(F16, c)), zero(decode('f16', sum) + w))
    : sum;
  return [sum, nearest(F16, product, zero(u * v)), fused, again];
}

describe('functions', () => {
  test('are correctly rounded', () => {
    const [a, b] = [f32(1.7), f32(0.3)];
    expect(floats('functions', 24, [Float32Array.of(a, b, NaN)])).toEqual(
      [
        Math.sqrt(a),
        1 / Math.sqrt(a),
        a * b - f32(a * b),
        Math.exp(a),
        8,
        a,
        a,
        a * b + 1,
        3,
        2,
        a,
        a / b,
        a / b,
        f32(f32(a + f32(2 * a)) + f32(3 * a)),
        1,
        f32(-a + 2) - 8,
        a + f32(f32(b - a) * 0.5),
        1 / b,
        a * a,
        a,
        1,
        3,
        8 * a,
        5,
      ].map(f32),
    );
  });

  test('tell classes and choose by masks', () => {
    expect(words('tests', 12, [Float32Array.of(1, 2, NaN)])).toEqual([1, 0, 1, 1, 0xffff_ffff, 1, 0, 4, 0, 4, 1, 1]);
  });

  test('of integers count, move and saturate bits', () => {
    const a = 0x80f0_1234;
    expect(words('integers', 15, [Uint32Array.of(a)])).toEqual([
      10,
      0,
      2,
      Number((BigInt(a) * BigInt(a)) >> 32n),
      0xf012_3480,
      0xffff_ffff,
      0x8000_0000,
      3,
      7,
      7,
      8,
      0x0001_0002,
      17,
      7,
      7,
    ]);
  });
});

describe.each(SCHEDULES)('a group under schedule %d', (schedule) => {
  const rest = { group: [32, 1, 1] as const, schedule };

  test('sums a sub-group as a butterfly, and its extremes drop a NaN', () => {
    const x = mixed(32);
    const all = [...x];
    const half = (value: number): number => decode('f16', encode('f16', value));
    expect(floats('sums', 128, [x], rest)).toEqual([
      ...lanes(() => butterfly(all, f32)),
      ...lanes(() => butterfly(all.map(half), half)),
      ...lanes(() => Math.max(...all.filter((_, i) => i !== 3))),
      ...lanes(() => Math.min(...all)),
    ]);
  });

  test('moves values between lanes', () => {
    expect(words('moves', 224, [], rest)).toEqual([
      ...lanes((i) => i ^ 5),
      ...lanes((i) => i ^ 5),
      ...lanes((i) => i >> 1),
      ...lanes(() => 7),
      ...lanes((i) => (i < 30 ? i + 2 : i - 30 + 100)),
      ...lanes((i) => (i < 2 ? i + 30 + 100 : i - 2)),
      ...lanes((i) => i ^ 1),
    ]);
  });

  test('votes, and adds what comes before', () => {
    expect(words('votes', 192, [], rest)).toEqual([
      ...lanes(() => 1),
      ...lanes(() => 0x4924_9249),
      ...lanes((i) => (i * (i + 1)) / 2),
      ...lanes((i) => (i * i - i) / 2),
      ...lanes((i) => Math.max(0, i - 1)),
      ...lanes((i) => (i * (i + 1)) / 2),
    ]);
  });

  test('has sub-groups of the size that a kernel asks for', () => {
    const sums = Array.from({ length: 64 }, (_, i) => 16 + 100 * (i >> 4));
    const sizes = sums.map(() => 16 + 4);
    expect(words('narrow_groups', 128, [], { ...rest, group: [64, 1, 1] })).toEqual([...sums, ...sizes]);
  });

  test("shares local memory, its own and the launch's", () => {
    const x = Float32Array.from({ length: 64 }, (_, i) => i);
    const given = { kind: 'local', bytes: 256 } as const;
    expect(floats('memories', 64, [x, given], { ...rest, group: [64, 1, 1] })).toEqual(Array.from(x, () => 2016 * 4));
  });

  test('updates atomically, by either version of the language', () => {
    const cells = Int32Array.of(100, 0, 0);
    const counters = [new Uint32Array(1), new Float32Array(1)];
    expect(words('atomics', 8, [cells, ...counters], rest)).toEqual([31, 36, 32, 0xffff_ffff, 96, 0x4180_0000, 1, 5]);
  });
});

test('an atomic sum depends on the order of work-items', () => {
  const x = mixed(32);
  const seeds = Array.from({ length: 16 }, (_, seed) => seed);
  const sums = (): unknown[] =>
    seeds.map((schedule) => floats('in_any_order', 1, [x], { group: [32, 1, 1], schedule })[0]);
  expect(new Set(sums()).size).toBeGreaterThan(1);
  expect(sums()).toEqual(sums());
});

test('work-item functions say where a work-item is', () => {
  const y = words('places', 12 * 16 * 12 * 2, [], { grid: [2, 3, 1], group: [8, 4, 2] });
  for (const [x, yy, z] of [
    [0, 0, 0],
    [15, 11, 1],
    [9, 6, 1],
    [3, 5, 0],
  ] as const) {
    const index = (x % 8) + 8 * ((yy % 4) + 4 * z);
    const at = 12 * ((z * 12 + yy) * 16 + x);
    expect(y.slice(at, at + 12)).toEqual([
      x,
      yy,
      z,
      Math.floor(x / 8),
      Math.floor(yy / 4),
      2,
      index,
      4,
      index % 32,
      index >> 5,
      2,
      yy % 4,
    ]);
  }
});

describe('a mistake is told by its file and line', () => {
  test.each([
    ['left_early', 'divergence', '// not all'],
    ['past_the_end', 'fault', '// beyond'],
  ] as const)('%s', (symbol, failure, line) => {
    const error = failureOf(device, launchFor(device, module, symbol, new Float32Array(32)).launch);
    expect(error.failure).toBe(failure);
    expect(error.message).toContain(`k.cl:${lineOf(SOURCE, line)}`);
  });

  test.each([
    ['kernel void f(read_only image2d_t x) {}', 'k.cl:2: error'],
    [
      'kernel void f(global float* y) {\n  y[0] = tgamma(y[1]);\n}',
      "k.cl:3: error: use of undeclared identifier 'tgamma'",
    ],
  ])('%s', async (text, message) => {
    expect(await compiled('xpu', `\n${text}`)).toContain(message);
  });
});
