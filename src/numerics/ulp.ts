/** Spacing of the values of a type, and the next value up or down; types are those of formatOf, or float64. */

import { exponentOf, power, stepMagnitude } from './bits.ts';
import { formatOf } from './dtype.ts';
import type { DType } from './dtype.ts';
import { round } from './scalar.ts';

/**
 * Just over half a place of a float64 relative to it, so that the sum rounds to the very next number (Rump and others,
 * "Computing predecessor and successor in rounding to nearest", 2009). Below SMALL the product loses its low bits.
 */
const STEP = 2 ** -53 * (1 + 2 ** -52);
const SMALL = 2 ** -960;

/**
 * Distance between the values of `type` at the magnitude of x: from |x| rounded down in the type to the next one up.
 * Among the subnormals and at zero it is the least subnormal (e8m0: the least power). It stays that of the last binade
 * past the largest finite value, and is NaN for NaN and infinities, so that no bound made from it is ever met.
 */
export function ulp(type: DType, x: number): number {
  if (!Number.isFinite(x)) return NaN;
  const { significandBits, minExponent, max } = formatOf(type);
  const exponent = Math.max(exponentOf(Math.min(Math.abs(x), max)), minExponent);
  return power(exponent - significandBits + 1);
}

/**
 * The most that rounding to `type`, to nearest, moves x: an absolute distance, subnormals included. Overflow is not in
 * it, nor what e8m0 moves a number below its least power.
 */
export function halfUlp(type: DType, x: number): number {
  return ulp(type, x) / 2;
}

/** The least value of `type` above x, whether or not x is one: Infinity where there is none. NaN for NaN. */
export function nextUp(type: DType, x: number): number {
  const { signed, max } = formatOf(type);
  if (x !== x) return NaN;
  if (x >= max) return Infinity;
  const least = signed ? -max : power(formatOf(type).minExponent);
  if (x < least) return least;
  const nearest = round(type, x);
  return nearest > x ? nearest : stepUp(type, nearest);
}

/** The largest value of `type` below x, whether or not x is one: -Infinity where there is none. NaN for NaN. */
export function nextDown(type: DType, x: number): number {
  if (formatOf(type).signed) return -nextUp(type, -x);
  if (x !== x) return NaN;
  const { minExponent, max } = formatOf(type);
  if (x <= power(minExponent)) return -Infinity;
  if (x > max) return max;
  const exponent = exponentOf(x);
  return power(x > power(exponent) ? exponent : exponent - 1);
}

/** The float64 next above x; Infinity is its own. NaN for NaN. */
export function nextUp64(x: number): number {
  const magnitude = Math.abs(x);
  if (magnitude > SMALL && magnitude < Infinity) return x + magnitude * STEP;
  if (!(x < Infinity)) return x;
  if (x === 0) return Number.MIN_VALUE;
  return stepMagnitude(x, x > 0 ? 1 : -1);
}

/** The float64 next below x; -Infinity is its own. NaN for NaN. */
export function nextDown64(x: number): number {
  return -nextUp64(-x);
}

/** The value after `x`, a value of the type below its largest. */
function stepUp(type: DType, x: number): number {
  const spacing = ulp(type, x);
  const below = x < 0 && -x === power(exponentOf(x)) && -x > power(formatOf(type).minExponent);
  return x + (below ? spacing / 2 : spacing);
}
