/**
 * Rounding a float64 to a signed format in one add. `value + step` has the format's last place as its own, so the
 * add rounds it once, to nearest even; the low word of the sum then holds the significand as an integer.
 *
 * The step depends on the value's sign and exponent alone, the top 12 bits of a float64, and so does what has to be
 * added to the significand to make a code. Tables by those bits spare the branches, which random signs mispredict.
 */

import { highWord, lowWord, power } from './bits.ts';
import { FLOATS, formatOf } from './dtype.ts';
import type { DType, FloatFormat } from './dtype.ts';

export interface Rounding {
  readonly max: number;
  /** By sign and exponent: the power of two to add and subtract. NaN where the exponent is past the format's. */
  readonly steps: Float64Array;
  /** By sign and exponent: the code less the significand, which carries into the exponent field by itself. */
  readonly bases: Float64Array;
}

const SIGN_AND_EXPONENTS = 4096;
const EXPONENTS = 2048;
const EXPONENT_BIAS = 1023;

function rounding(format: FloatFormat): Rounding {
  const { bits, significandBits, minExponent, max } = format;
  const steps = new Float64Array(SIGN_AND_EXPONENTS).fill(NaN);
  const bases = new Float64Array(SIGN_AND_EXPONENTS);
  for (let field = 0; 2 ** (field - EXPONENT_BIAS) <= max; field++) {
    const exponent = Math.max(field - EXPONENT_BIAS, minExponent);
    steps[field] = power(exponent + 53 - significandBits);
    steps[EXPONENTS + field] = -steps[field]!;
    bases[field] = (exponent - minExponent) * 2 ** (significandBits - 1);
    bases[EXPONENTS + field] = bases[field]! + 2 ** (bits - 1);
  }
  return { max, steps, bases };
}

const SIGNED = FLOATS.map(formatOf).filter((format) => format.signed);
const ROUNDINGS = Object.fromEntries(SIGNED.map((format) => [format.name, rounding(format)]));

/** The tables of a type; undefined for e8m0, which has no zero and no sign, and for integer types. */
export function roundingOf(type: DType): Rounding | undefined {
  return ROUNDINGS[type];
}

/** `value` rounded, with the sign of zero lost; NaN or past `max` where the value overflows or is not finite. */
export function roundFinite(rounding: Rounding, value: number): number {
  const step = rounding.steps[highWord(value) >>> 20]!;
  return value + step - step;
}

/** The code of `value`, whose magnitude is at most `max`. */
export function encodeFinite(rounding: Rounding, value: number): number {
  const index = highWord(value) >>> 20;
  return lowWord(value + rounding.steps[index]!) + rounding.bases[index]!;
}
