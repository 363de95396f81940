/** One value to and from its code, with one rounding from float64: nearest, ties to even. */

import { exponentOf, power } from './bits.ts';
import { formatOf, isFloat } from './dtype.ts';
import type { DType, FloatFormat } from './dtype.ts';
import { encodeFinite, roundFinite, roundingOf } from './rounding.ts';

export interface EncodeOptions {
  /** What lies beyond the largest finite value, infinities included, becomes it. NaN stays NaN. */
  readonly saturate?: boolean;
}

const INTEGER_RANGES = { u32: [0, 2 ** 32 - 1], i32: [-(2 ** 31), 2 ** 31 - 1], u8: [0, 255] } as const;

/**
 * The code of `value` rounded once to `type`.
 *
 * Overflow gives the infinity (f32, f16, bf16, e5m2), NaN (e4m3, e8m0), or the largest finite value (e2m1, which has
 * nothing else; any type under `saturate`). NaN gives the quiet NaN, sign clear, and a RangeError for e2m1.
 *
 * e8m0 holds 2 ** -127 to 2 ** 127: a tie goes to the larger power, what lies below the least power, zero included,
 * becomes the least, and what lies below zero is NaN.
 *
 * Integer types take only integers in their range and throw a RangeError otherwise.
 */
export function encode(type: DType, value: number, options?: EncodeOptions): number {
  const rounding = roundingOf(type);
  if (rounding !== undefined && Math.abs(value) <= rounding.max) return encodeFinite(rounding, value);
  if (!isFloat(type)) return encodeInteger(type, value);
  return encodeSpecial(formatOf(type), value, options?.saturate === true);
}

/** The value of a code; bits above the type's own are ignored. Every NaN code gives NaN. */
export function decode(type: DType, code: number): number {
  if (type === 'u32') return code >>> 0;
  if (type === 'i32') return code | 0;
  if (type === 'u8') return code & 0xff;
  const format = formatOf(type);
  const magnitude = code & magnitudeMask(format);
  const value = magnitudeValue(format, magnitude);
  return format.signed && (code >>> (format.bits - 1)) & 1 ? -value : value;
}

/** `value` rounded once to `type`: decode(type, encode(type, value, options)). */
export function round(type: DType, value: number, options?: EncodeOptions): number {
  if (type === 'f32' && options === undefined) return Math.fround(value);
  const rounding = roundingOf(type);
  if (rounding !== undefined) {
    const rounded = roundFinite(rounding, value);
    if (rounded !== 0 && Math.abs(rounded) <= rounding.max) return rounded;
  }
  return decode(type, encode(type, value, options));
}

/** The bits of a code without its sign. */
export function magnitudeMask(format: FloatFormat): number {
  return format.signed ? 2 ** (format.bits - 1) - 1 : 2 ** format.bits - 1;
}

/** The quiet NaN of a format, sign clear; throws a RangeError where it has none. */
export function nanCode(format: FloatFormat): number {
  if (!format.hasNan) throw new RangeError(`${format.name} has no NaN: give it finite values`);
  return format.hasInf ? format.maxCode + 1 + 2 ** (format.significandBits - 2) : format.maxCode + 1;
}

/** Codes of NaN, of signed values past the largest finite one, and of every e8m0 value. */
function encodeSpecial(format: FloatFormat, value: number, saturate: boolean): number {
  if (value !== value) return nanCode(format);
  const rounding = roundingOf(format.name);
  if (rounding === undefined) return encodePower(format, value, saturate);
  const fits = Math.abs(roundFinite(rounding, value)) <= format.max;
  const magnitude = fits ? format.maxCode : overflowCode(format, saturate);
  return value < 0 ? magnitude + 2 ** (format.bits - 1) : magnitude;
}

function encodePower(format: FloatFormat, value: number, saturate: boolean): number {
  if (value < 0) return nanCode(format);
  if (value >= 1.5 * format.max) return overflowCode(format, saturate);
  const exponent = Math.max(exponentOf(value), format.minExponent);
  return exponent - format.minExponent + (value >= 1.5 * power(exponent) ? 1 : 0);
}

function overflowCode(format: FloatFormat, saturate: boolean): number {
  return saturate || !(format.hasInf || format.hasNan) ? format.maxCode : format.maxCode + 1;
}

function magnitudeValue(format: FloatFormat, magnitude: number): number {
  const { significandBits, minExponent, maxCode } = format;
  if (magnitude > maxCode) return format.hasInf && magnitude === maxCode + 1 ? Infinity : NaN;
  if (!format.signed) return power(minExponent + magnitude);
  const hidden = 1 << (significandBits - 1);
  const field = magnitude >>> (significandBits - 1);
  const fraction = magnitude & (hidden - 1);
  return field === 0
    ? fraction * power(minExponent - significandBits + 1)
    : (hidden + fraction) * power(minExponent + field - significandBits);
}

function encodeInteger(type: 'u32' | 'i32' | 'u8', value: number): number {
  const [least, largest] = INTEGER_RANGES[type];
  if (Number.isInteger(value) && value >= least && value <= largest) return value >>> 0;
  throw new RangeError(`${value} is no ${type}: an integer type takes integers from ${least} to ${largest}`);
}
