import { describe, expect, test } from 'bun:test';
import { byteLength, decode, decodeAll, encode, encodeAll, toBits } from '../../src/numerics/codec.ts';
import { FLOATS, formatOf } from '../../src/numerics/dtype.ts';
import type { FloatType } from '../../src/numerics/dtype.ts';
import { patterns } from './oracle.ts';

/** All codes of a type (for f32: 65,536 of them, spread), and their bytes. */
function allCodes(type: FloatType): readonly number[] {
  if (type === 'f32') return Array.from({ length: 65536 }, (_, i) => (i * 65537 + (i % 7)) >>> 0);
  return Array.from({ length: 2 ** formatOf(type).bits }, (_, code) => code);
}

function bytesOfCodes(type: FloatType, codes: readonly number[]): Uint8Array {
  if (type === 'e2m1') return Uint8Array.from({ length: 8 }, (_, i) => codes[2 * i]! | (codes[2 * i + 1]! << 4));
  const width = formatOf(type).bits / 8;
  const bytes = codes.flatMap((code) => Array.from({ length: width }, (_, i) => (code >>> (8 * i)) & 0xff));
  return new Uint8Array(bytes);
}

/** The same bytes at an odd address. */
function misaligned(bytes: Uint8Array): Uint8Array {
  const moved = new Uint8Array(bytes.length + 1).subarray(1);
  moved.set(bytes);
  return moved;
}

describe.each(FLOATS)('%s', (type) => {
  const codes = allCodes(type);
  const bytes = bytesOfCodes(type, codes);

  test('decodeAll gives decode of every code, at any alignment', () => {
    const want = Float64Array.from(codes, (code) => decode(type, code));
    for (const from of [bytes, misaligned(bytes)]) {
      const got = decodeAll(type, from, codes.length);
      const wrong = codes.filter((_, i) => !Object.is(got[i], want[i]));
      expect(wrong).toEqual([]);
    }
  });

  test('toBits gives the codes, at any alignment, in memory of its own', () => {
    for (const from of [bytes, misaligned(bytes)]) {
      const bits = toBits(type, from, codes.length);
      expect(bits).toEqual(new Uint32Array(codes));
      bits.fill(0);
    }
    expect(toBits(type, bytes, codes.length)).toEqual(new Uint32Array(codes));
  });

  test('encodeAll gives encode of every value, from any array', () => {
    const values = [...patterns(3000, 41n), ...codes.slice(0, 300).map((code) => decode(type, code)), 0, -0, 464.5];
    const usable = values.filter((x) => formatOf(type).hasNan || x === x);
    for (const from of [usable, new Float64Array(usable), new Float32Array(usable)]) {
      const want = Array.from(from, (x) => encode(type, x));
      expect(toBits(type, encodeAll(type, from), from.length)).toEqual(new Uint32Array(want));
      const clamped = Array.from(from, (x) => encode(type, x, { saturate: true }));
      expect(toBits(type, encodeAll(type, from, { saturate: true }), from.length)).toEqual(new Uint32Array(clamped));
    }
  });

  test('fewer bytes than the elements take are refused', () => {
    expect(() => decodeAll(type, bytes, codes.length + 1)).toThrow(RangeError);
    expect(() => toBits(type, bytes.subarray(1), codes.length)).toThrow(RangeError);
  });
});

test('saturate changes the bytes of what overflows', () => {
  for (const type of ['f32', 'f16', 'bf16', 'e4m3', 'e5m2', 'e8m0'] as const) {
    const [free, clamped] = [encodeAll(type, [1e300]), encodeAll(type, [1e300], { saturate: true })];
    expect(decodeAll(type, free, 1)[0]).not.toBe(formatOf(type).max);
    expect(decodeAll(type, clamped, 1)[0]).toBe(formatOf(type).max);
  }
});

test('f32 arrays of middles between bf16 values go to the even code', () => {
  const middles = new Uint32Array(65536).map((_, code) => (code << 16) | 0x8000);
  const finite = middles.filter((bits) => (bits & 0x7fffffff) < 0x7f800000);
  const got = toBits('bf16', encodeAll('bf16', new Float32Array(finite.buffer)), finite.length);
  const want = finite.map((bits) => (bits >>> 16) + ((bits >>> 16) & 1));
  expect(finite.length).toBe(65280);
  expect(got).toEqual(want);
});

test('every NaN becomes the quiet one, whatever its payload', () => {
  const payloads = new Float32Array(new Uint32Array([0x7f800001, 0xffffffff, 0x7fc12345]).buffer);
  expect([...toBits('f32', encodeAll('f32', payloads), 3)]).toEqual([0x7fc00000, 0x7fc00000, 0x7fc00000]);
  expect([...toBits('bf16', encodeAll('bf16', payloads), 3)]).toEqual([0x7fc0, 0x7fc0, 0x7fc0]);
});

test('e2m1 packs the even element in the low nibble, and half a byte stays empty after an odd count', () => {
  expect([...encodeAll('e2m1', [0.5, 6, -1])]).toEqual([0x71, 0x0a]);
  expect([...decodeAll('e2m1', new Uint8Array([0x71, 0xfa]), 3)]).toEqual([0.5, 6, -1]);
  expect([0, 1, 2, 3].map((count) => byteLength('e2m1', count))).toEqual([0, 1, 1, 2]);
});

test('integers keep their bytes', () => {
  expect([...encodeAll('i32', [-2, 1])]).toEqual([0xfe, 0xff, 0xff, 0xff, 1, 0, 0, 0]);
  expect([...encodeAll('u32', [2 ** 32 - 1])]).toEqual([255, 255, 255, 255]);
  expect([...encodeAll('u8', [0, 255])]).toEqual([0, 255]);
  for (const [type, values] of [
    ['i32', [-2, 2 ** 31 - 1]],
    ['u32', [4e9, 7]],
    ['u8', [200, 3]],
  ] as const) {
    expect([...decodeAll(type, misaligned(encodeAll(type, values)), 2)]).toEqual([...values]);
  }
  expect(() => encodeAll('i32', [1.5])).toThrow(RangeError);
});
