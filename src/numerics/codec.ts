/** Numbers to and from the bytes of a tensor, and one at a time to and from codes. Bytes are little-endian. */

import { bytesOf, formatOf } from './dtype.ts';
import type { DType } from './dtype.ts';
import { encodeFinite, roundingOf } from './rounding.ts';
import { decode, encode } from './scalar.ts';
import type { EncodeOptions } from './scalar.ts';

export { decode, encode, round } from './scalar.ts';
export type { EncodeOptions } from './scalar.ts';

/** Moving a half's 15 bits to a float's place leaves the exponent 112 short; the product is exact. */
const HALF_SCALE = 2 ** 112;

const valueTables = new Map<DType, Float64Array>();

/** Bytes that `count` elements take; the last byte of an odd count of e2m1 is half used. */
export function byteLength(type: DType, count: number): number {
  return Math.ceil(count * bytesOf(type));
}

/** The first `count` values in `bytes`; throws a RangeError if there are fewer. */
export function decodeAll(type: DType, bytes: Uint8Array, count: number): Float64Array {
  const codes = codesOf(type, bytes, count);
  if (type === 'f32') return new Float64Array(new Float32Array(codes.buffer, codes.byteOffset, count));
  if (type === 'i32') return new Float64Array(new Int32Array(codes.buffer, codes.byteOffset, count));
  if (type === 'u32' || type === 'u8') return new Float64Array(codes);
  if (type === 'bf16') return new Float64Array(widenBrains(codes));
  return type === 'f16' ? widenHalves(codes) : lookUp(codes, valueTable(type));
}

/** The bytes of `values`, each rounded once to `type` as `encode` does. */
export function encodeAll(type: DType, values: ArrayLike<number>, options: EncodeOptions = {}): Uint8Array {
  const plain = options.saturate !== true;
  if (type === 'f32' && plain) return bytesUnder(singles(values));
  if (type === 'bf16' && plain && values instanceof Float32Array) return bytesUnder(brains(values));
  return fromBits(type, encodeCodes(type, values instanceof Float64Array ? values : new Float64Array(values), options));
}

/** The codes of the first `count` elements in `bytes`; throws a RangeError if there are fewer. */
export function toBits(type: DType, bytes: Uint8Array, count: number): Uint32Array {
  return new Uint32Array(codesOf(type, bytes, count));
}

/** The bytes of codes: what toBits reads. */
export function fromBits(type: DType, codes: ArrayLike<number>): Uint8Array {
  if (type === 'e2m1') return packNibbles(codes);
  const width = bytesOf(type);
  return bytesUnder(
    width === 4 ? new Uint32Array(codes) : width === 2 ? new Uint16Array(codes) : new Uint8Array(codes),
  );
}

/** As toBits, but in the type's own width, and sharing memory with `bytes` where alignment allows it. */
export function codesOf(type: DType, bytes: Uint8Array, count: number): Uint32Array | Uint16Array | Uint8Array {
  const length = byteLength(type, count);
  if (bytes.length < length) {
    throw new RangeError(`${count} elements of ${type} take ${length} bytes, but there are ${bytes.length}`);
  }
  if (type === 'e2m1') return unpackNibbles(bytes, count);
  const width = bytesOf(type);
  const from = bytes.byteOffset % width === 0 ? bytes : bytes.slice(0, length);
  if (width === 4) return new Uint32Array(from.buffer, from.byteOffset, count);
  if (width === 2) return new Uint16Array(from.buffer, from.byteOffset, count);
  return from.subarray(0, count);
}

/** `encode` for a whole array. One array type in and one out keep the loop fast whatever types came before. */
function encodeCodes(type: DType, values: Float64Array, options: EncodeOptions): Uint32Array {
  const rounding = roundingOf(type);
  const codes = new Uint32Array(values.length);
  for (let i = 0; i < codes.length; i++) {
    const value = values[i]!;
    const finite = rounding !== undefined && Math.abs(value) <= rounding.max;
    codes[i] = finite ? encodeFinite(rounding, value) : encode(type, value, options);
  }
  return codes;
}

function bytesUnder(array: Uint32Array | Uint16Array | Uint8Array | Float32Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

/** A store to a Float32Array may keep any NaN's payload, so each NaN is written anew. */
function singles(values: ArrayLike<number>): Float32Array {
  const out = new Float32Array(values);
  const codes = new Uint32Array(out.buffer);
  for (let i = 0; i < codes.length; i++) if ((codes[i]! & 0x7fffffff) > 0x7f800000) codes[i] = 0x7fc00000;
  return out;
}

/** Rounds values that are f32 already: half a place less one is added, and one more where the last bit is odd. */
function brains(values: Float32Array): Uint16Array {
  const from = new Uint32Array(values.buffer, values.byteOffset, values.length);
  const out = new Uint16Array(values.length);
  for (let i = 0; i < out.length; i++) {
    const bits = from[i]!;
    out[i] = (bits & 0x7fffffff) > 0x7f800000 ? 0x7fc0 : (bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16;
  }
  return out;
}

function widenBrains(codes: ArrayLike<number>): Float32Array {
  const bits = new Uint32Array(codes.length);
  for (let i = 0; i < bits.length; i++) bits[i] = codes[i]! << 16;
  return new Float32Array(bits.buffer);
}

function widenHalves(codes: ArrayLike<number>): Float64Array {
  const bits = new Uint32Array(codes.length);
  for (let i = 0; i < bits.length; i++) {
    const code = codes[i]!;
    const special = (code & 0x7c00) === 0x7c00 ? 0x7f800000 : 0;
    bits[i] = ((code & 0x8000) << 16) | ((code & 0x7fff) << 13) | special;
  }
  const out = new Float64Array(new Float32Array(bits.buffer));
  for (let i = 0; i < out.length; i++) out[i] = out[i]! * HALF_SCALE;
  return out;
}

function valueTable(type: DType): Float64Array {
  const known = valueTables.get(type);
  if (known !== undefined) return known;
  const table = Float64Array.from({ length: 2 ** formatOf(type).bits }, (_, code) => decode(type, code));
  valueTables.set(type, table);
  return table;
}

function lookUp(codes: ArrayLike<number>, table: Float64Array): Float64Array {
  const out = new Float64Array(codes.length);
  for (let i = 0; i < out.length; i++) out[i] = table[codes[i]!]!;
  return out;
}

function unpackNibbles(bytes: Uint8Array, count: number): Uint8Array {
  const out = new Uint8Array(count);
  for (let i = 0; i < count; i++) out[i] = (bytes[i >>> 1]! >>> (4 * (i & 1))) & 0xf;
  return out;
}

function packNibbles(codes: ArrayLike<number>): Uint8Array {
  const out = new Uint8Array(byteLength('e2m1', codes.length));
  for (let i = 0; i < codes.length; i++) out[i >>> 1]! |= codes[i]! << (4 * (i & 1));
  return out;
}
