/** Bounds of fp32 arithmetic, and the one comparison that decides by them. */

/** Unit roundoff of fp32: one rounding to nearest moves a normal result by at most this share of it. */
export const U32 = 2 ** -24;

/** The least positive fp32 number, a subnormal. */
export const LEAST_F32 = 2 ** -149;

/**
 * The relative bound of n fp32 roundings in a chain: n u / (1 - n u). Throws a RangeError where the bound says nothing:
 * n negative, not a number, or n u >= 1.
 */
export function gamma(n: number): number {
  if (!(n >= 0 && n * U32 < 1)) throw new RangeError(`gamma(${n}): the count of roundings must be in [0, 2 ** 24)`);
  return (n * U32) / (1 - n * U32);
}

/**
 * Whether `got` lies within `bound` of `want`. False whenever one of the three is NaN or infinite: NaN and infinities
 * are compared by class, and a bound that is not finite allows everything.
 */
export function within(got: number, want: number, bound: number): boolean {
  return bound < Infinity && Math.abs(got - want) <= bound;
}
