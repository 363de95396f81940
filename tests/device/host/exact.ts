/** 16-bit floats by exact rationals: an oracle that shares nothing with what it judges. */

export interface Format {
  readonly significand: number; // bits, with the hidden one
  readonly bias: number;
  readonly infinity: number; // its code
}

export const F16: Format = { significand: 11, bias: 15, infinity: 0x7c00 };
export const BF16: Format = { significand: 8, bias: 127, infinity: 0x7f80 };

/** numerator / 2^SCALE, or a quotient of two such. */
export interface Rational {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

const SCALE = 320; // bits below one: enough for a product of two bf16 denormals

export const isNan = (format: Format, code: number): boolean => (code & 0x7fff) > format.infinity;
export const isFinite = (format: Format, code: number): boolean => (code & 0x7fff) < format.infinity;

/** The value of a finite code. */
export function valueOf(format: Format, code: number): Rational {
  const fraction = format.significand - 1;
  const exponent = (code & 0x7fff) >> fraction;
  const digits = code & ((1 << fraction) - 1);
  const significand = BigInt(exponent > 0 ? digits | (1 << fraction) : digits);
  const power = Math.max(exponent, 1) - format.bias - fraction;
  const numerator = significand << BigInt(SCALE + power);
  return { numerator: code & 0x8000 ? -numerator : numerator, denominator: 1n << BigInt(SCALE) };
}

/** The value of a finite double. */
export function valueOfNumber(value: number): Rational {
  let power = 0;
  while (!Number.isInteger(value)) {
    value *= 2;
    power++;
  }
  return { numerator: BigInt(value), denominator: 1n << BigInt(power) };
}

export const add = (a: Rational, b: Rational): Rational => ({
  numerator: a.numerator * b.denominator + b.numerator * a.denominator,
  denominator: a.denominator * b.denominator,
});
export const multiply = (a: Rational, b: Rational): Rational => ({
  numerator: a.numerator * b.numerator,
  denominator: a.denominator * b.denominator,
});
export const divide = (a: Rational, b: Rational): Rational => {
  const sign = b.numerator < 0n ? -1n : 1n;
  return { numerator: sign * a.numerator * b.denominator, denominator: sign * a.denominator * b.numerator };
};

/** The code of the nearest value, the even one of two; `zero` is the code where the value is exactly 0. */
export function nearest(format: Format, value: Rational, zero: number): number {
  if (value.numerator === 0n) return zero;
  const sign = value.numerator < 0n ? 0x8000 : 0;
  const size = { numerator: sign ? -value.numerator : value.numerator, denominator: value.denominator };
  let low = 0;
  let high = format.infinity; // counts as the value after the largest finite one
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (compare(valueOf(format, middle), size) <= 0) low = middle;
    else high = middle;
  }
  const above = compare(size, midpoint(format, low));
  return sign | (above > 0 || (above === 0 && low % 2 === 1) ? high : low);
}

/** Half-way from a code to the next, where the one after the largest finite value is a step like the one before. */
function midpoint(format: Format, code: number): Rational {
  const here = valueOf(format, code);
  const next = code + 1 < format.infinity ? valueOf(format, code + 1) : stepPast(format, code);
  return { numerator: here.numerator + next.numerator, denominator: here.denominator * 2n };
}

function stepPast(format: Format, code: number): Rational {
  const here = valueOf(format, code);
  return { ...here, numerator: 2n * here.numerator - valueOf(format, code - 1).numerator };
}

function compare(a: Rational, b: Rational): number {
  const difference = a.numerator * b.denominator - b.numerator * a.denominator;
  return difference > 0n ? 1 : difference < 0n ? -1 : 0;
}
