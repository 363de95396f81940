/** What gate 5 finds: a limit that a launch breaks, told as a sum that a person can check. */
import { count } from '../numerics/digits.ts';

/**
 * opt-in: the bytes fit, but only a launcher that asks for more than the default may have them. launch bound: what the
 * compiler was told of the largest group. stale: the record is of another source or another compile. pending: nothing
 * was measured.
 */
export const LIMITS = [
  'threads',
  'launch bound',
  'required group',
  'registers',
  'local bytes',
  'opt-in',
  'cluster',
  'grid',
  'barriers',
  'wave',
  'sub-group',
  'grf',
  'pipeline',
  'stale',
  'pending',
] as const;
export type Limit = (typeof LIMITS)[number];

export interface LimitProblem {
  readonly limit: Limit;
  /** The numbers that clash: `static 512 + dynamic 101,120 = 101,632 > 101,376 opt-in bytes of sm_86`. */
  readonly what: string;
  /** The shape of the launch, where one was given. */
  readonly at?: string;
  /** What to do, where the sum does not say it. */
  readonly do?: string;
}

/** `64 x 2 x 1`. */
export const extentText = (extent: readonly number[]): string => extent.map(count).join(' x ');
