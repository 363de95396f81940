/** One addition into an accumulator: the exact sum of two numbers, rounded once to what the accumulator holds. */

import { isOdd, stepMagnitude } from './bits.ts';
import { round } from './scalar.ts';

/** What running sums are held in. `cut`: fp32 with its low bits cut off, `cut` of the 23 fraction bits kept. */
export type Accumulator = 'f32' | 'f16' | 'bf16' | { readonly cut: number };

/** The sum of an accumulator's value and an f32 value, as the accumulator then holds it. */
export type Add = (sum: number, term: number) => number;

const single = new Float32Array(1);
const singleBits = new Uint32Array(single.buffer);
const FRACTION_BITS = 23;

/**
 * The addition of an accumulator. f32, f16 and bf16 round to nearest even and overflow to infinities; `cut` truncates
 * toward zero and overflows to the largest number it keeps. Throws a RangeError unless cut is an integer in [0, 23].
 */
export function adder(accumulator: Accumulator): Add {
  if (accumulator === 'f32') return addF32;
  if (accumulator === 'f16') return addF16;
  if (accumulator === 'bf16') return addBf16;
  return addCut(accumulator.cut);
}

/** A float64 holds the sum of two f32 values closely enough that rounding it again gives the exact sum rounded. */
function addF32(sum: number, term: number): number {
  return Math.fround(sum + term);
}

/** As in f32: the float64 sum is inexact only where the term is far too small to move an f16 sum. */
function addF16(sum: number, term: number): number {
  return round('f16', sum + term);
}

function addBf16(sum: number, term: number): number {
  return round('bf16', addToOdd(sum, term));
}

function addCut(fractionBits: number): Add {
  if (!(Number.isInteger(fractionBits) && fractionBits >= 0 && fractionBits <= FRACTION_BITS)) {
    throw new RangeError(`cut: ${fractionBits}: fp32 has 0 to ${FRACTION_BITS} fraction bits to keep`);
  }
  const mask = -(2 ** (FRACTION_BITS - fractionBits));
  return (sum, term) => truncate(addToOdd(sum, term), mask);
}

/**
 * The exact sum rounded to odd: where float64 cannot hold it, the neighbour whose last bit is set. No value or midpoint
 * of a narrower type has that bit set, so rounding once more, to nearest or toward zero, gives the exact sum rounded.
 */
function addToOdd(a: number, b: number): number {
  const sum = a + b;
  const bPart = sum - a;
  const error = a - (sum - bPart) + (b - bPart);
  if (error > 0 && !isOdd(sum)) return stepMagnitude(sum, sum > 0 ? 1 : -1);
  if (error < 0 && !isOdd(sum)) return stepMagnitude(sum, sum > 0 ? -1 : 1);
  return sum;
}

/** x rounded toward zero to an f32 whose code has no bit outside `mask`. */
function truncate(x: number, mask: number): number {
  if (x !== x) return x;
  single[0] = x;
  if (Math.abs(single[0]!) > Math.abs(x)) singleBits[0] = singleBits[0]! - 1;
  singleBits[0] = singleBits[0]! & mask;
  return single[0]!;
}
