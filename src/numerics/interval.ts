/**
 * Intervals of real numbers. Every operation rounds its ends outward, one float64 step, so the result holds each real
 * result of operands inside. An infinite end says that there is no bound on that side. NaN ends are refused.
 */

import type { DType } from './dtype.ts';
import { round } from './scalar.ts';
import type { EncodeOptions } from './scalar.ts';
import { nextDown64, nextUp64 } from './ulp.ts';

export interface Interval {
  readonly lo: number;
  readonly hi: number;
}

const ZERO: Interval = { lo: 0, hi: 0 };

/** [lo, hi], or the point lo; throws a RangeError unless lo <= hi, so also for NaN. */
export function interval(lo: number, hi: number = lo): Interval {
  if (!(lo <= hi)) throw new RangeError(`[${lo}, ${hi}] is no interval: its ends must be numbers, the lower one first`);
  return { lo, hi };
}

/** Whether x lies in the interval, ends included; false for NaN. */
export function contains(i: Interval, x: number): boolean {
  return x >= i.lo && x <= i.hi;
}

export function neg(i: Interval): Interval {
  return interval(-i.hi, -i.lo);
}

export function add(a: Interval, b: Interval): Interval {
  return interval(below(a.lo + b.lo), above(a.hi + b.hi));
}

export function sub(a: Interval, b: Interval): Interval {
  return interval(below(a.lo - b.hi), above(a.hi - b.lo));
}

export function mul(a: Interval, b: Interval): Interval {
  if (isZero(a) || isZero(b)) return ZERO;
  const p = product(a.lo, b.lo);
  const q = product(a.lo, b.hi);
  const r = product(a.hi, b.lo);
  const s = product(a.hi, b.hi);
  return hull(p, q, r, s);
}

/** Throws a RangeError if the divisor holds zero: the quotient has no bound, and could condemn nothing. */
export function div(a: Interval, b: Interval): Interval {
  if (contains(b, 0)) throw new RangeError(`division by [${b.lo}, ${b.hi}], which holds zero`);
  if (isZero(a)) return ZERO;
  const p = quotient(a.lo, b.lo);
  const q = quotient(a.lo, b.hi);
  const r = quotient(a.hi, b.lo);
  const s = quotient(a.hi, b.hi);
  return hull(p, q, r, s);
}

/** The part below zero has no root and is left out; throws a RangeError if that is all of it. */
export function sqrt(i: Interval): Interval {
  if (i.hi < 0) throw new RangeError(`square root of [${i.lo}, ${i.hi}], which is negative`);
  return interval(i.lo > 0 ? nextDown64(Math.sqrt(i.lo)) : 0, above(Math.sqrt(i.hi)));
}

/** Moves each end outward by `relative` times its magnitude plus `absolute`; relative in [0, 1), absolute >= 0. */
export function widen(i: Interval, relative: number, absolute: number = 0): Interval {
  if (!(relative >= 0 && relative < 1 && absolute >= 0)) {
    throw new RangeError(`widen by ${relative} and ${absolute}: relative must be in [0, 1), absolute at least 0`);
  }
  if (relative === 0 && absolute === 0) return i;
  const lo = nextUp64(nextUp64(product(Math.abs(i.lo), relative)) + absolute);
  const hi = nextUp64(nextUp64(product(Math.abs(i.hi), relative)) + absolute);
  return interval(nextDown64(i.lo - lo), nextUp64(i.hi + hi));
}

/**
 * Both ends rounded to nearest in `type`: rounding is monotone, so it holds every rounded value of the interval. Throws
 * a RangeError where an end overflows into a NaN (e4m3 without `saturate`).
 */
export function roundTo(type: DType, i: Interval, options?: EncodeOptions): Interval {
  return interval(round(type, i.lo, options), round(type, i.hi, options));
}

/** A float64 sum is zero only if the exact sum is: then there is nothing to widen. */
function below(sum: number): number {
  return sum === 0 ? 0 : nextDown64(sum);
}

function above(sum: number): number {
  return sum === 0 ? 0 : nextUp64(sum);
}

/** Holds four corners, a step outward. Math.min and max of two compile to instructions; of four they do not. */
function hull(p: number, q: number, r: number, s: number): Interval {
  const lo = Math.min(Math.min(p, q), Math.min(r, s));
  const hi = Math.max(Math.max(p, q), Math.max(r, s));
  return interval(nextDown64(lo), nextUp64(hi));
}

function isZero(i: Interval): boolean {
  return i.lo === 0 && i.hi === 0;
}

/** An infinite end stands for large numbers without bound, and zero times any of them is zero. */
function product(x: number, y: number): number {
  return x === 0 || y === 0 ? 0 : x * y;
}

/** Dividing by larger and larger numbers tends to zero, whatever is divided. */
function quotient(x: number, y: number): number {
  return Math.abs(y) === Infinity ? 0 : x / y;
}
