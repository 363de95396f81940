import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { DeviceError, type DeviceModule } from '../../../src/device/device.ts';
import type { HostDevice } from '../../../src/device/host.ts';
import { decode, encode } from '../../../src/numerics/codec.ts';
import { failureOf, lineOf, newDevice, u32 } from '../host/device.ts';
import { add, BF16, type Format, F16, isFinite, multiply, nearest, valueOf } from '../host/exact.ts';
import { butterfly, call, compiled, type Inputs, launchFor, mixed, moduleOf, SCHEDULES, sourceOf } from './kit.ts';

const SOURCE = await sourceOf('metal', ['types', 'narrow', 'math', 'simd', 'group']);

setDefaultTimeout(120_000);

let device: HostDevice;
let module: DeviceModule;
beforeAll(async () => {
  device = await newDevice();
  module = await moduleOf(device, 'metal', SOURCE, { TF_FUNCTION_CONSTANT_2: 41, TF_FUNCTION_CONSTANT_3: 1 });
});
afterAll(() => device.close());

const floats = (symbol: string, count: number, inputs: Inputs = [], rest = {}): number[] =>
  Array.from(call(device, module, symbol, new Float32Array(count), inputs, { group: [1, 1, 1], ...rest }));
const words = (symbol: string, count: number, inputs: Inputs = [], rest = {}): number[] =>
  Array.from(call(device, module, symbol, new Uint32Array(count), inputs, { group: [1, 1, 1], ...rest }));
const lanes = (value: (i: number) => number): number[] => Array.from({ length: 32 }, (_, i) => value(i));
const f32 = Math.fround;
const bitsOf = (value: number): number => new Uint32Array(Float32Array.of(value).buffer)[0] ?? 0;
const isNanCode = (code: number): boolean => (code & 0x7fff) > F16.infinity;

describe('types', () => {
  test('have the sizes and alignments of Metal', () => {
    expect(words('sizes', 14)).toEqual([
      2002, 2002, 8008, 16016, 8008, 4004, 32032, 8008, 4004, 12004, 8002, 20004, 8008, 4004,
    ]);
  });

  test('of vectors are built, swizzled and packed', () => {
    expect(floats('vectors', 8)).toEqual([1, 2, 3, 4, 8.25, 4.25, 6.25, 18.75]);
  });

  test('convert as Metal does: to integers saturating, to narrow floats by one rounding', () => {
    const x = Float32Array.of(-1.5, 3e9, NaN, 7, -2, 1.003);
    expect(words('conversions', 14, [x])).toEqual([
      0,
      3_000_000_000,
      0,
      0,
      bitsOf(1.003),
      encode('f16', 1.003),
      encode('bf16', 1.003),
      0x44004200,
      0x3f80,
      encode('bf16', (16777217 * 257) | 0),
      0x3e00,
      0x3fc0,
      0x7fff,
      0x7e00,
    ]);
  });

  test('of matrices hold columns', () => {
    // a = [1 3; 2 4], b = 2 aT - 1 = [1 4; 6 7]
    expect(floats('columns', 8, [Float32Array.of(1, 2, 3, 4)])).toEqual([6, 7, 23, 34, 17, 25, 3, 0]);
  });

  test('of masks are chosen by, and asked', () => {
    const x = Float32Array.of(1, 5, 3, 7, 2, 4, 6, 8, 1, NaN, 1, 1);
    expect(words('masks', 14, [x])).toEqual([2, 5, 6, 8, 1, 0, 1, 1, 1, 0, 1, 1, 4, 0]);
  });
});

/** Codes of a 16-bit format: the edges, and many between. */
function codesOf(count: number): Uint16Array {
  const edges = [0, 0x8000, 1, 0x8001, 0x3c00, 0x3f80, 0x7bff, 0x7f7f, 0x0400, 0x0080];
  return Uint16Array.from({ length: count }, (_, i) => edges[i] ?? Math.imul(i + 17, 0x9e3779b1) >>> 13);
}

describe.each([
  ['halves', F16, 'f16'],
  ['bfloats', BF16, 'bf16'],
] as const)('operations on %s', (symbol, format, type) => {
  const n = 512;
  const codes = codesOf(3 * n);

  test('round once, to the nearest, a fused one too', () => {
    const grid = [n / 32, 1, 1] as const;
    const y = call(device, module, symbol, new Uint16Array(4 * n), [codes, u32(n)], { grid });
    let checked = 0;
    for (let i = 0; i < n; i++) {
      const all = [codes[i] ?? 0, codes[n + i] ?? 0, codes[2 * n + i] ?? 0];
      if (!all.every((code) => isFinite(format, code))) continue;
      const want = operationsOf(format, type, all);
      for (const [k, code] of want.entries()) expect([i, k, y[k * n + i]]).toEqual([i, k, code]);
      checked++;
    }
    expect(checked).toBeGreaterThan(n / 2);
  });
});

/** a + b, a · b, a · b + c and (a + b) + c as codes, by exact arithmetic. */
function operationsOf(format: Format, type: 'f16' | 'bf16', [a = 0, b = 0, c = 0]: readonly number[]): number[] {
  const [x, y, z] = [valueOf(format, a), valueOf(format, b), valueOf(format, c)];
  const values = [a, b, c].map((code) => decode(type, code));
  const [u = 0, v = 0, w = 0] = values;
  const zero = (value: number): number => (Object.is(value, -0) ? 0x8000 : 0);
  const product = multiply(x, y);
  const sum = nearest(format, add(x, y), zero(u + v));
  const fused = nearest(format, add(product, z), zero(product.numerator === 0n ? u * v + w : 0));
  const again = isFinite(format, sum)
    ? nearest(format, add(valueOf(format, sum), z), zero(decode(type, sum) + w))
    : sum;
  return [sum, nearest(format, product, zero(u * v)), fused, again];
}

test('a float rounds to half and to bfloat as the codec says, stated or implied', () => {
  const n = 512;
  const patterns = Uint32Array.from({ length: n }, (_, i) => Math.imul(i + 3, 0x9e3779b1) ^ (i << 28));
  const x = new Float32Array(patterns.buffer);
  x.set([0, -0, 1e-41, 65519, 65520, -1e39, Infinity, 3.4e38]);
  const y = call(device, module, 'rounded', new Uint16Array(3 * n), [x, u32(n)], { grid: [n / 32, 1, 1] });
  x.forEach((value, i) => {
    const isNan = Number.isNaN(value);
    const half = y[i] ?? 0;
    expect([i, isNan && isNanCode(half) ? NaN : half, y[n + i], y[2 * n + i]]).toEqual(
      isNan ? [i, NaN, 0x7fff, 0x7fff] : [i, encode('f16', value), encode('bf16', value), encode('bf16', value)],
    );
  });
});

describe('functions', () => {
  test('leave a NaN out of a maximum as Metal does', () => {
    expect(floats('extremes', 11, [Float32Array.of(4, NaN)])).toEqual([4, 4, 4, 0, 1, NaN, 5, 5, 4, 3, 1 + 2 + 4]);
  });

  test('are correctly rounded', () => {
    const a = f32(1.7);
    const b = f32(0.3);
    const fused = a * b + f32(-a * b); // the product is exact in float64
    expect(floats('functions', 20, [Float32Array.of(a, b)])).toEqual(
      [
        Math.sqrt(a),
        1 / Math.sqrt(a),
        fused,
        Math.exp(a),
        3,
        a,
        3,
        -1,
        3,
        2,
        a - 1,
        f32(f32(a + f32(2 * a)) + f32(3 * a)),
        a + f32(f32(b - a) * 0.5),
        5,
        -1,
        a / b,
        a * a,
        -a,
        8 * a,
        0,
      ].map(f32),
    );
  });

  test('of integers count, move and saturate bits', () => {
    const a = 0x80f0_1234;
    expect(words('integers', 14, [Uint32Array.of(a)])).toEqual([
      10,
      0,
      2,
      Number((BigInt(a) * BigInt(a)) >> 32n),
      0xf012_3480,
      0x2c48_0f01,
      0x23,
      0x80f0_1f34,
      0xffff_fff8,
      32,
      0xffff_ffff,
      0x8000_0000,
      3,
      3,
    ]);
  });
});

describe.each(SCHEDULES)('a simdgroup under schedule %d', (schedule) => {
  const rest = { group: [32, 1, 1] as const, schedule };

  test('sums as a butterfly, and its extremes drop a NaN', () => {
    const x = mixed(32);
    const all = [...x];
    const half = (value: number): number => decode('f16', encode('f16', value));
    const quad = (i: number): number => butterfly(all.slice(i, i + 4), f32);
    expect(floats('sums', 224, [x], rest)).toEqual([
      ...lanes(() => butterfly(all, f32)),
      ...lanes(() => butterfly(all.map(half), half)),
      ...lanes(() =>
        butterfly(
          all.map((value) => f32(value * 2)),
          f32,
        ),
      ),
      ...lanes(() => 32),
      ...lanes(() => Math.max(...all.filter((_, i) => i !== 3))),
      ...lanes(() => Math.min(...all)),
      ...lanes((i) => quad(i & ~3)),
    ]);
  });

  test('moves values between lanes', () => {
    expect(words('moves', 320, [], rest)).toEqual([
      ...lanes((i) => i ^ 5),
      ...lanes((i) => i >> 1),
      ...lanes((i) => (i < 3 ? i : i - 3)),
      ...lanes((i) => (i > 28 ? i : i + 3)),
      ...lanes(() => 7),
      ...lanes(() => 4),
      ...lanes((i) => (i + 30) % 32),
      ...lanes((i) => (i < 30 ? i + 2 : i - 30 + 100)),
      ...lanes((i) => i ^ 1),
      ...lanes((i) => (i & ~3) + 2),
    ]);
  });

  test('votes, and adds what comes before', () => {
    expect(words('votes', 256, [], rest)).toEqual([
      ...lanes(() => 0x4924_9249),
      ...lanes((i) => 1 + (i === 0 ? 4 : 0)),
      ...lanes((i) => (i * (i + 1)) / 2),
      ...lanes((i) => (i * i - i) / 2),
      ...lanes(() => 3),
      ...lanes(() => 0),
      ...lanes((i) => (i >> 2 === 1 ? 1 : 0)),
      ...lanes((i) => (i === 4 ? 1 : 0)),
    ]);
  });

  test('multiplies matrices', () => {
    const a = Float32Array.from({ length: 64 }, (_, i) => (i % 11) - 5);
    const b = Uint16Array.from({ length: 64 }, (_, i) => encode('f16', (i % 7) - 3));
    const want = Array.from({ length: 64 }, (_, i) => {
      let sum = 1;
      for (let k = 0; k < 8; k++) sum += (a[(i & ~7) + k] ?? 0) * decode('f16', b[(i & 7) * 8 + k] ?? 0);
      return sum;
    });
    expect(floats('matrices', 64, [a, b], rest)).toEqual(want);
  });

  test("shares threadgroup memory, its own and the launch's", () => {
    const x = Float32Array.from({ length: 64 }, (_, i) => i);
    const given = { kind: 'local', bytes: 256 } as const;
    const want = Array.from({ length: 64 }, () => 2016 * 4);
    expect(floats('memories', 64, [x, given], { ...rest, group: [64, 1, 1] })).toEqual(want);
  });

  test('updates atomically', () => {
    const cells = Uint32Array.of(100, 0, 0);
    expect(words('atomics', 4, [cells], rest)).toEqual([31, 36, 0xffff_ffff, 0x4180_0000]);
  });
});

test('an atomic sum depends on the order of threads', () => {
  const x = mixed(32);
  const seeds = Array.from({ length: 16 }, (_, seed) => seed);
  const sums = (): unknown[] =>
    seeds.map((schedule) => floats('in_any_order', 1, [x], { group: [32, 1, 1], schedule })[0]);
  expect(new Set(sums()).size).toBeGreaterThan(1);
  expect(sums()).toEqual(sums());
});

test('every attribute says where a thread is', () => {
  const [grid, group] = [
    [2, 3, 1],
    [8, 4, 2],
  ] as const;
  const size = [16, 12, 2] as const;
  const y = words('places', 14 * 16 * 12 * 2, [], { grid, group });
  for (const [x, yy, z] of [
    [0, 0, 0],
    [15, 11, 1],
    [9, 6, 1],
    [3, 5, 0],
  ] as const) {
    const place = [x % 8, yy % 4, z] as const;
    const index = place[0] + 8 * (place[1] + 4 * place[2]);
    const at = 14 * ((z * size[1] + yy) * size[0] + x);
    expect(y.slice(at, at + 14)).toEqual([
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
      32,
      place[1],
      index >> 2,
    ]);
  }
});

test('function constants have the values of the launch', () => {
  expect(words('constants', 1)).toEqual([41]);
});

test('a kernel template has its host name and its bound', () => {
  expect(device.kernel(module, 'named_bfloat').maxThreads).toBe(64);
  expect([...call(device, module, 'named_bfloat', new Uint16Array(1), [], { group: [1, 1, 1] })]).toEqual([0x4020]);
});

describe('a mistake is told by its file and line', () => {
  test('a thread that returns before a barrier', () => {
    const { launch } = launchFor(device, module, 'left_early', new Float32Array(32));
    const error = failureOf(device, launch);
    expect(error).toBeInstanceOf(DeviceError);
    expect(error.failure).toBe('divergence');
    expect(error.message).toContain(`k.metal:${lineOf(SOURCE, '// not all')}`);
  });

  test.each([
    ['kernel void f(texture2d<float> t [[texture(0)]]) {}', 'k.metal:2: error'],
    [
      'kernel void f(device float* y) {\n  y[0] = quad_shuffle_sideways(y[1]);\n}',
      "k.metal:3: error: use of undeclared identifier 'quad_shuffle_sideways'",
    ],
  ])('%s', async (text, message) => {
    expect(await compiled('metal', `#include <metal_stdlib>\nusing namespace metal; ${text}`)).toContain(message);
  });
});
