/** How far a library function may stray, as its maker documents it. */
import type { MapName } from '../formula/functions.ts';

export interface Limit {
  /** The largest error in ulps. */
  readonly ulps: number;
  /** Whole ulps more for every 1 of the operand's magnitude: floor(slope · |x|). */
  readonly slope?: number;
  /** For operands in [from, to] an absolute error, in place of ulps. */
  readonly absolute?: { readonly error: number; readonly from: number; readonly to: number };
}

/** A function of a dialect, under the name that sources call it by. */
export interface LibraryFunction {
  readonly name: string;
  readonly limit: Limit;
  /** The map of formulas that it computes. Functions without one have no bound in a formula. */
  readonly map?: MapName;
  /** It computes 2^x: exp(x) by it rounds log2(e) and the product with it on the way. */
  readonly base2?: true;
  /** What the document does not say for certain, and why the number stands all the same. */
  readonly uncertain?: string;
}

/** One maker's functions. */
export interface Library {
  /** The document, with its table. */
  readonly source: string;
  /**
   * What the errors are measured from: the exact result, or the correctly rounded one, which is half an ulp from it at most.
   */
  readonly against: 'exact' | 'rounded';
  readonly functions: readonly LibraryFunction[];
}

/** The most steps of fp32 that a result may lie from the correctly rounded one; floor(slope · |x|) comes on top. */
export const stepsOf = ({ ulps }: Limit, against: Library['against']): number =>
  against === 'rounded' ? Math.floor(ulps) : Math.max(0, Math.floor(ulps - 0.5));

/** A limit as an error of the exact result: correctly rounded functions have half an ulp. */
export function errorOf({ limit, base2 }: LibraryFunction, against: Library['against']): Limit {
  const ulps = against === 'rounded' ? limit.ulps + 0.5 : Math.max(limit.ulps, 0.5);
  // Two roundings move the argument by 2u of it, so the result by 2u · |x| of it: at most 2 · |x| ulps, and floor loses one.
  const slope = (limit.slope ?? 0) + (base2 ? 2 : 0);
  return { ...limit, ulps: base2 ? ulps + 1 : ulps, ...(slope > 0 && { slope }) };
}
