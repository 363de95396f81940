import { expect, test } from 'bun:test';
import { bytesOf, FLOATS, formatOf, isFloat } from '../../src/numerics/dtype.ts';
import { decode } from '../../src/numerics/codec.ts';

test('the sizes of every type in bytes', () => {
  const types = ['f32', 'f16', 'bf16', 'e4m3', 'e5m2', 'e2m1', 'e8m0', 'u32', 'i32', 'u8'] as const;
  expect(types.map(bytesOf)).toEqual([4, 2, 2, 1, 1, 0.5, 1, 4, 4, 1]);
});

test('a format is as wide as its elements', () => {
  for (const type of FLOATS) expect(formatOf(type).bits).toBe(bytesOf(type) * 8);
});

test('the significand, the least normal and the largest value of every format', () => {
  const rows = FLOATS.map(formatOf).map((f) => [f.name, f.significandBits, f.minExponent, f.max]);
  expect(rows).toEqual([
    ['f32', 24, -126, 3.4028234663852886e38],
    ['f16', 11, -14, 65504],
    ['bf16', 8, -126, 3.3895313892515355e38],
    ['e4m3', 4, -6, 448],
    ['e5m2', 3, -14, 57344],
    ['e2m1', 2, 0, 6],
    ['e8m0', 1, -127, 1.7014118346046923e38],
  ]);
});

test('the code of the largest value decodes to it', () => {
  for (const type of FLOATS) expect(decode(type, formatOf(type).maxCode)).toBe(formatOf(type).max);
});

test('which formats have infinities, NaN and signs', () => {
  const having = (has: 'hasInf' | 'hasNan' | 'signed') => FLOATS.filter((type) => formatOf(type)[has]);
  expect(having('hasInf')).toEqual(['f32', 'f16', 'bf16', 'e5m2']);
  expect(having('hasNan')).toEqual(['f32', 'f16', 'bf16', 'e4m3', 'e5m2', 'e8m0']);
  expect(having('signed')).toEqual(['f32', 'f16', 'bf16', 'e4m3', 'e5m2', 'e2m1']);
});

test('integer types are no floats and have no format', () => {
  for (const type of ['u32', 'i32', 'u8'] as const) {
    expect(isFloat(type)).toBe(false);
    expect(() => formatOf(type)).toThrow(RangeError);
  }
  expect(FLOATS.every(isFloat)).toBe(true);
});
