import { describe, expect, test } from 'bun:test';
import { classesOf, classOf, classOfCode, CLASS_NAMES } from '../../src/numerics/class.ts';
import type { Class } from '../../src/numerics/class.ts';
import type { DType } from '../../src/numerics/dtype.ts';
import { fromBits } from './oracle.ts';

/** Where the classes of each type lie among its codes: [first, last, class], by the standards' own tables. */
const RANGES: Readonly<Record<string, readonly (readonly [number, number, Class])[]>> = {
  f16: [
    [0x0000, 0x7bff, 'finite'],
    [0x7c00, 0x7c00, '+inf'],
    [0x7c01, 0x7fff, 'nan'],
    [0x8000, 0xfbff, 'finite'],
    [0xfc00, 0xfc00, '-inf'],
    [0xfc01, 0xffff, 'nan'],
  ],
  bf16: [
    [0x0000, 0x7f7f, 'finite'],
    [0x7f80, 0x7f80, '+inf'],
    [0x7f81, 0x7fff, 'nan'],
    [0x8000, 0xff7f, 'finite'],
    [0xff80, 0xff80, '-inf'],
    [0xff81, 0xffff, 'nan'],
  ],
  e4m3: [
    [0x00, 0x7e, 'finite'],
    [0x7f, 0x7f, 'nan'],
    [0x80, 0xfe, 'finite'],
    [0xff, 0xff, 'nan'],
  ],
  e5m2: [
    [0x00, 0x7b, 'finite'],
    [0x7c, 0x7c, '+inf'],
    [0x7d, 0x7f, 'nan'],
    [0x80, 0xfb, 'finite'],
    [0xfc, 0xfc, '-inf'],
    [0xfd, 0xff, 'nan'],
  ],
  e2m1: [[0, 15, 'finite']],
  e8m0: [
    [0, 254, 'finite'],
    [255, 255, 'nan'],
  ],
  u8: [[0, 255, 'finite']],
};

/** Codes at and around every edge of f32's classes, signalling NaN and every single payload bit among them. */
const F32: readonly (readonly [number, Class])[] = [
  ...([0, 1, 0x7fffff, 0x800000, 0x3f800000, 0x477fe000, 0x7f7fffff] as const).flatMap((code) =>
    signed(code, 'finite'),
  ),
  [0x7f800000, '+inf'],
  [0xff800000, '-inf'],
  ...Array.from({ length: 23 }, (_, bit) => signed(0x7f800000 + 2 ** bit, 'nan')).flat(),
  ...signed(0x7fffffff, 'nan'),
  ...signed(0x7fbfffff, 'nan'),
];

function signed(code: number, name: Class): readonly (readonly [number, Class])[] {
  return [
    [code, name],
    [code + 2 ** 31, name],
  ];
}

function bytesOfCodes(type: string, codes: readonly number[]): Uint8Array {
  if (type === 'f32') return new Uint8Array(new Uint32Array(codes).buffer);
  if (type === 'e2m1') return Uint8Array.from({ length: codes.length / 2 }, (_, i) => (2 * i) | ((2 * i + 1) << 4));
  return type === 'f16' || type === 'bf16' ? new Uint8Array(new Uint16Array(codes).buffer) : new Uint8Array(codes);
}

describe.each([...Object.keys(RANGES), 'f32'])('%s', (name) => {
  const ranges = RANGES[name] ?? [];
  const listed = ranges.flatMap(([first, last, of]) =>
    Array.from({ length: last - first + 1 }, (_, i) => [first + i, of] as const),
  );
  const cases = name === 'f32' ? F32 : listed;
  const type = name as DType;

  test('the class of every code is the one of the standard', () => {
    const wrong = cases.filter(([code, of]) => classOfCode(type, code) !== of);
    expect(wrong).toEqual([]);
    expect(cases.length).toBeGreaterThan(15);
  });

  test('classesOf says the same of whole arrays, at any alignment', () => {
    const bytes = bytesOfCodes(
      name,
      cases.map(([code]) => code),
    );
    const moved = new Uint8Array(bytes.length + 1).subarray(1);
    moved.set(bytes);
    for (const from of [bytes, moved]) {
      const names = [...classesOf(type, from, cases.length)].map((index) => CLASS_NAMES[index]!);
      expect(names).toEqual(cases.map(([, of]) => of));
    }
  });
});

test('a class is read from the bits alone: also where comparing floats would mislead', () => {
  const flattened = { isNaN: () => false, isFinite: () => true };
  const { isNaN: numberIsNaN, isFinite: numberIsFinite } = Number;
  Object.assign(Number, flattened);
  try {
    expect([0x7fc00000, 0x7f800000, 0xff800000, 0, 0x3f800000].map((code) => classOfCode('f32', code))).toEqual([
      ...(['nan', '+inf', '-inf', 'finite', 'finite'] as const),
    ]);
    expect([NaN, Infinity, -Infinity, 0, 1].map(classOf)).toEqual(['nan', '+inf', '-inf', 'finite', 'finite']);
  } finally {
    Object.assign(Number, { isNaN: numberIsNaN, isFinite: numberIsFinite });
  }
});

test('the class of a float64, NaN of every payload bit and either sign among them', () => {
  for (const sign of [0n, 1n << 63n]) {
    for (let bit = 0n; bit < 52n; bit++) expect(classOf(fromBits(sign | (0x7ffn << 52n) | (1n << bit)))).toBe('nan');
    expect(classOf(fromBits(sign | (0x7ffn << 52n)))).toBe(sign === 0n ? '+inf' : '-inf');
    for (const bits of [0n, 1n, 1n << 52n, (0x7ffn << 52n) - 1n]) expect(classOf(fromBits(sign | bits))).toBe('finite');
  }
});

test('fewer bytes than the elements take are refused', () => {
  expect(() => classesOf('f32', new Uint8Array(7), 2)).toThrow(RangeError);
});
