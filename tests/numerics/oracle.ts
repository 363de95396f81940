/** Slow, exact answers that share no code with src/numerics: integers for numbers, and a search for rounding. */

const double = new Float64Array(1);
const doubleBits = new BigUint64Array(double.buffer);

/** Every finite float64 times 2 ** 1074 is an integer: this one. */
export function exact(x: number): bigint {
  double[0] = x;
  const bits = doubleBits[0]!;
  const field = (bits >> 52n) & 0x7ffn;
  const fraction = bits & 0xfffffffffffffn;
  const magnitude = field === 0n ? fraction : ((1n << 52n) | fraction) << (field - 1n);
  return bits >> 63n === 1n ? -magnitude : magnitude;
}

/** What one has to multiply by to be exact(1). */
export const ONE = 1n << 1074n;

export function fromBits(bits: bigint): number {
  doubleBits[0] = bits;
  return double[0]!;
}

/** The float64 next to x > 0, up or down, by its bits. */
export function beside(x: number, step: 1n | -1n): number {
  double[0] = x;
  return fromBits(doubleBits[0]! + step);
}

/** Each type as its standard states it: exponent bits, fraction bits, bias, and codes that are not finite. */
const STANDARDS = {
  f16: { exponentBits: 5, fractionBits: 10, bias: 15, finite: 0x7c00 },
  bf16: { exponentBits: 8, fractionBits: 7, bias: 127, finite: 0x7f80 },
  e4m3: { exponentBits: 4, fractionBits: 3, bias: 7, finite: 0x7f },
  e5m2: { exponentBits: 5, fractionBits: 2, bias: 15, finite: 0x7c },
  e2m1: { exponentBits: 2, fractionBits: 1, bias: 1, finite: 0x8 },
} as const;

/** The signed types whose codes can all be listed. */
export type Listed = keyof typeof STANDARDS;
export const LISTED = Object.keys(STANDARDS) as readonly Listed[];

/** The values of the codes from 0 up to the largest finite one, ascending. */
export function magnitudes(type: Listed): readonly number[] {
  const { fractionBits, bias, finite } = STANDARDS[type];
  return Array.from({ length: finite }, (_, code) => {
    const fraction = (code % 2 ** fractionBits) / 2 ** fractionBits;
    const field = Math.floor(code / 2 ** fractionBits);
    return field === 0 ? fraction * 2 ** (1 - bias) : (1 + fraction) * 2 ** (field - bias);
  });
}

/** The sign bit of a listed type's codes. */
export function signBit(type: Listed): number {
  return 2 ** (STANDARDS[type].exponentBits + STANDARDS[type].fractionBits);
}

/** What lies past the largest finite value by half a place or more, as if the exponents went on. */
export const OVERFLOW = -1;

/**
 * The magnitude code nearest to |numerator / ONE|, ties to the even code, by search and exact distances; OVERFLOW where
 * the code after the largest finite one is nearer or the even one of a tie.
 */
export function nearestMagnitude(values: readonly bigint[], numerator: bigint): number {
  const x = numerator < 0n ? -numerator : numerator;
  const last = values.length - 1;
  const past = values[last]! + (values[last]! - values[last - 1]!);
  let low = 0;
  for (let high = values.length; high - low > 1;) {
    const middle = (low + high) >> 1;
    if (values[middle]! <= x) low = middle;
    else high = middle;
  }
  const upper = low === last ? past : values[low + 1]!;
  const toLower = x - values[low]!;
  const toUpper = upper - x;
  const up = toUpper < toLower || (toUpper === toLower && low % 2 === 1);
  if (!up) return low;
  return low === last ? OVERFLOW : low + 1;
}

/** numerator / ONE cut toward zero to an fp32 exponent and `fractionBits` fraction bits; the result times ONE. */
export function cutF32(numerator: bigint, fractionBits: number): bigint {
  const x = numerator < 0n ? -numerator : numerator;
  if (x === 0n) return 0n;
  const top = BigInt(x.toString(2).length - 1 - 1074);
  const exponent = top < -126n ? -126n : top;
  const quantum = 1n << (exponent - BigInt(fractionBits) + 1074n);
  const cut = (x / quantum) * quantum;
  return numerator < 0n ? -cut : cut;
}

/** A plain linear congruential generator of float64 bit patterns, NaN and infinities included. */
export function* patterns(count: number, seed: bigint): Generator<number> {
  let state = seed;
  for (let i = 0; i < count; i++) {
    state = (state * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn;
    yield fromBits((state ^ (state >> 29n)) & 0xffffffffffffffffn);
  }
}

/** Exponents from below a type's least subnormal to past its largest value. */
const EXPONENTS = {
  f32: [-152, 129],
  f16: [-27, 17],
  bf16: [-136, 129],
  e4m3: [-12, 10],
  e5m2: [-19, 17],
  e2m1: [-4, 4],
} as const;

/** As `patterns`, but finite and with the exponents of `type`, from below its subnormals to past its largest. */
export function* patternsNear(type: keyof typeof EXPONENTS, count: number, seed: bigint): Generator<number> {
  const [least, largest] = EXPONENTS[type];
  for (const x of patterns(count, seed)) {
    double[0] = x;
    const bits = doubleBits[0]!;
    const field = BigInt(1023 + least + (Number((bits >> 52n) & 0x7ffn) % (largest - least + 1)));
    yield fromBits((bits & 0x800fffffffffffffn) | (field << 52n));
  }
}
