import { describe, expect, test } from 'bun:test';
import { decode, encode, round } from '../../src/numerics/codec.ts';
import type { FloatType } from '../../src/numerics/dtype.ts';
import { beside, exact, LISTED, magnitudes, nearestMagnitude, OVERFLOW } from './oracle.ts';
import { patterns, patternsNear, signBit } from './oracle.ts';
import type { Listed } from './oracle.ts';

const QUIET_NANS = { f32: 0x7fc00000, f16: 0x7e00, bf16: 0x7fc0, e4m3: 0x7f, e5m2: 0x7e, e8m0: 0xff } as const;

/** The code that overflow gives, sign apart. */
const PAST = { f16: 0x7c00, bf16: 0x7f80, e4m3: 0x7f, e5m2: 0x7c, e2m1: 0x7 } as const;

describe.each(LISTED)('%s', (type: Listed) => {
  const values = magnitudes(type);
  const sign = signBit(type);

  test('every finite code decodes to its value, with its sign', () => {
    values.forEach((value, code) => {
      if (decode(type, code) !== value) throw new Error(`code ${code} is ${value}`);
      if (!Object.is(decode(type, code + sign), -value)) throw new Error(`code ${code + sign} is ${-value}`);
    });
  });

  test('every code above the finite ones is the infinity or NaN', () => {
    expect(sign - values.length).toBe({ f16: 1024, bf16: 128, e4m3: 1, e5m2: 4, e2m1: 0 }[type]);
    for (let code = values.length; code < sign; code++) {
      const infinite = PAST[type] === code && type !== 'e4m3';
      expect([code, decode(type, code)]).toEqual([code, infinite ? Infinity : NaN]);
      expect([code, decode(type, code + sign)]).toEqual([code, infinite ? -Infinity : NaN]);
    }
  });

  test('every finite code comes back from its value', () => {
    values.forEach((value, code) => {
      if (encode(type, value) !== code) throw new Error(`${value} has code ${code}`);
      if (encode(type, -value) !== code + sign) throw new Error(`${-value} has code ${code + sign}`);
      if (!Object.is(round(type, -value), -value)) throw new Error(`${-value} is of the type`);
    });
  });

  test('between every two neighbours: to the nearer one, and from the middle to the even code', () => {
    for (let code = 0; code + 1 < values.length; code++) {
      const middle = (values[code]! + values[code + 1]!) / 2;
      const even = code % 2 === 0 ? code : code + 1;
      const cases = [
        [beside(middle, -1n), code],
        [middle, even],
        [beside(middle, 1n), code + 1],
      ] as const;
      for (const [x, want] of cases) {
        if (encode(type, x) !== want || encode(type, -x) !== want + sign) throw new Error(`${x} has code ${want}`);
        if (round(type, x) !== values[want]! || round(type, -x) !== -values[want]!) throw new Error(`${x} rounds`);
      }
    }
  });

  test('random values round as an exact search says', () => {
    const table = values.map(exact);
    for (const x of [...patternsNear(type, 20000, 11n), ...patterns(5000, 12n)]) {
      if (!Number.isFinite(x)) continue;
      const nearest = nearestMagnitude(table, exact(x));
      const magnitude = nearest === OVERFLOW ? PAST[type] : nearest;
      const want = magnitude + (x < 0 || Object.is(x, -0) ? sign : 0);
      if (encode(type, x) !== want) throw new Error(`${x} has code ${want}, got ${encode(type, x)}`);
      if (!Object.is(round(type, x), decode(type, want))) throw new Error(`${x} rounds to ${decode(type, want)}`);
    }
  });

  test('infinities take the overflow code, or the largest value when saturating', () => {
    expect(encode(type, Infinity)).toBe(PAST[type]);
    expect(encode(type, -Infinity)).toBe(PAST[type] + sign);
    expect(encode(type, Infinity, { saturate: true })).toBe(values.length - 1);
    expect(encode(type, -1e300, { saturate: true })).toBe(values.length - 1 + sign);
    expect(round(type, 1e300, { saturate: true })).toBe(values.at(-1)!);
  });
});

describe('f32', () => {
  const float = new Float32Array(1);
  const bits = new Uint32Array(float.buffer);

  test('encode, decode and round agree with the hardware on random float64 bit patterns', () => {
    for (const x of [...patternsNear('f32', 100000, 21n), ...patterns(20000, 22n)]) {
      if (x !== x) continue;
      float[0] = x;
      if (encode('f32', x) !== bits[0]) throw new Error(`${x} has code ${bits[0]}, got ${encode('f32', x)}`);
      if (!Object.is(decode('f32', bits[0]!), float[0]!)) throw new Error(`code ${bits[0]} is ${float[0]}`);
      if (!Object.is(round('f32', x), float[0]!)) throw new Error(`${x} rounds to ${float[0]}`);
    }
  });

  test('the middle of neighbours goes to the even code, and a hair beside it to the nearer', () => {
    for (const code of [0, 1, 2, 0x7fffff, 0x800000, 0x3f7fffff, 0x3f800000, 0x3f800001, 0x7f7ffffe]) {
      const middle = (decode('f32', code) + decode('f32', code + 1)) / 2;
      expect(encode('f32', middle)).toBe(code % 2 === 0 ? code : code + 1);
      expect(encode('f32', beside(middle, -1n))).toBe(code);
      expect(encode('f32', beside(middle, 1n))).toBe(code + 1);
    }
  });

  test('overflow starts half a place past the largest value', () => {
    const edge = (2 - 2 ** -24) * 2 ** 127;
    expect(encode('f32', edge)).toBe(0x7f800000);
    expect(encode('f32', beside(edge, -1n))).toBe(0x7f7fffff);
    expect(encode('f32', edge, { saturate: true })).toBe(0x7f7fffff);
    expect(round('f32', -edge, { saturate: true })).toBe(-(2 - 2 ** -23) * 2 ** 127);
  });
});

test('bf16 rounds once: going through f32 is wrong where this is right', () => {
  let wrongThroughF32 = 0;
  for (let code = 0; code < 0x7f00; code++) {
    const middle = (decode('bf16', code) + decode('bf16', code + 1)) / 2;
    const x = middle * (1 + (code % 2 === 0 ? 1 : -1) * 2 ** -40);
    const want = code % 2 === 0 ? code + 1 : code;
    if (encode('bf16', x) !== want) throw new Error(`${x} has code ${want}`);
    if (encode('bf16', Math.fround(x)) !== want) wrongThroughF32++;
  }
  expect(wrongThroughF32).toBeGreaterThan(30000);
});

test('f16 agrees with Float16Array on every code and on random values', () => {
  const halves = new Float16Array(1);
  const bits = new Uint16Array(halves.buffer);
  for (let code = 0; code < 65536; code++) {
    bits[0] = code;
    if (!Object.is(decode('f16', code), halves[0]!)) throw new Error(`code ${code}`);
  }
  for (const x of patternsNear('f16', 50000, 31n)) {
    halves[0] = x;
    if (encode('f16', x) !== bits[0]) throw new Error(`${x}`);
  }
});

test('values that the formats publish', () => {
  const rows: readonly (readonly [FloatType, number, number])[] = [
    ...([
      ['f16', 0x3c00, 1],
      ['f16', 0x7bff, 65504],
      ['f16', 0x0001, 2 ** -24],
      ['f16', 0x0400, 2 ** -14],
    ] as const),
    ...([
      ['bf16', 0x3f80, 1],
      ['bf16', 0x4049, 3.140625],
      ['bf16', 0x0001, 2 ** -133],
    ] as const),
    ...([
      ['e4m3', 0x7e, 448],
      ['e4m3', 0x08, 2 ** -6],
      ['e4m3', 0x07, 0.875 * 2 ** -6],
      ['e4m3', 1, 2 ** -9],
    ] as const),
    ...([
      ['e5m2', 0x7b, 57344],
      ['e5m2', 0x04, 2 ** -14],
      ['e5m2', 0x03, 0.75 * 2 ** -14],
    ] as const),
    ...([
      ['e5m2', 0x01, 2 ** -16],
      ['e8m0', 0, 2 ** -127],
      ['e8m0', 127, 1],
      ['e8m0', 254, 2 ** 127],
    ] as const),
    ...[0, 0.5, 1, 1.5, 2, 3, 4, 6].map((value, code) => ['e2m1', code, value] as const),
  ];
  for (const [type, code, value] of rows) {
    expect([type, code, decode(type, code)]).toEqual([type, code, value]);
    expect([type, value, encode(type, value)]).toEqual([type, value, code]);
  }
});

test('NaN takes the quiet code, and e2m1 refuses it', () => {
  for (const [type, code] of Object.entries(QUIET_NANS)) {
    expect(encode(type as FloatType, NaN)).toBe(code);
    expect(encode(type as FloatType, NaN, { saturate: true })).toBe(code);
    expect(round(type as FloatType, NaN)).toBeNaN();
  }
  expect(() => encode('e2m1', NaN)).toThrow('e2m1 has no NaN');
});

test('e4m3 overflows past 464, to NaN unless saturating', () => {
  expect(encode('e4m3', 464)).toBe(0x7e);
  expect(encode('e4m3', beside(464, 1n))).toBe(0x7f);
  expect(encode('e4m3', -465)).toBe(0xff);
  expect(round('e4m3', 1000)).toBeNaN();
  expect(round('e4m3', 1000, { saturate: true })).toBe(448);
});

test('e2m1 has nothing past 6', () => {
  expect(round('e2m1', 1e9)).toBe(6);
  expect(round('e2m1', -Infinity)).toBe(-6);
});

describe('e8m0', () => {
  test('every code is a power of two, and code 255 is NaN', () => {
    for (let code = 0; code < 255; code++) {
      expect(decode('e8m0', code)).toBe(2 ** (code - 127));
      expect(encode('e8m0', 2 ** (code - 127))).toBe(code);
    }
    expect(decode('e8m0', 255)).toBeNaN();
  });

  test('between powers: to the nearer one, and from the middle to the larger', () => {
    for (let code = 0; code < 254; code++) {
      const middle = 1.5 * 2 ** (code - 127);
      expect(encode('e8m0', beside(middle, -1n))).toBe(code);
      expect(encode('e8m0', middle)).toBe(code + 1);
    }
  });

  test('the ends: small and zero to the least, large to NaN or the largest, negative to NaN', () => {
    expect([0, -0, 1e-300, 2 ** -128].map((x) => encode('e8m0', x))).toEqual([0, 0, 0, 0]);
    expect([1.5 * 2 ** 127, 1e300, Infinity].map((x) => encode('e8m0', x))).toEqual([255, 255, 255]);
    expect([1.5 * 2 ** 127, Infinity].map((x) => encode('e8m0', x, { saturate: true }))).toEqual([254, 254]);
    expect([-1, -1e-300, -Infinity].map((x) => encode('e8m0', x, { saturate: true }))).toEqual([255, 255, 255]);
    expect(round('e8m0', 0.3)).toBe(0.25);
  });
});

test('integer types take their own integers and refuse all else', () => {
  expect([encode('u32', 2 ** 32 - 1), decode('u32', 2 ** 32 - 1)]).toEqual([2 ** 32 - 1, 2 ** 32 - 1]);
  expect([encode('i32', -1), decode('i32', 2 ** 32 - 1)]).toEqual([2 ** 32 - 1, -1]);
  expect([encode('i32', -(2 ** 31)), decode('i32', 2 ** 31)]).toEqual([2 ** 31, -(2 ** 31)]);
  expect([encode('u8', 255), decode('u8', 0x1ff)]).toEqual([255, 255]);
  for (const [type, value] of [
    ['u8', 256],
    ['u8', -1],
    ['u32', 2 ** 32],
    ['i32', 2 ** 31],
    ['i32', 0.5],
  ] as const) {
    expect(() => encode(type, value)).toThrow(RangeError);
  }
  expect(() => encode('u32', NaN)).toThrow(RangeError);
});
