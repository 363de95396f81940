/** Sums replayed in another accumulator and in the orders that kernels add in. */

import { adder } from './accumulate.ts';
import type { Accumulator, Add } from './accumulate.ts';

export type { Accumulator } from './accumulate.ts';

/** One chain; two chains over contiguous halves, then added; 32 interleaved lanes, then added by halves. */
export type Order = 'chain' | 'halves' | 'lanes';

export const ORDERS: readonly Order[] = ['chain', 'halves', 'lanes'];

const LANES = 32;

/**
 * The sum of `terms`, f32 values, in an accumulator that starts at zero; every addition rounds to it. Of an odd count,
 * the first half is the shorter one. Term i goes to lane i % 32, and lanes meet 16 apart, then 8, 4, 2 and 1.
 */
export function replaySum(terms: Float64Array, accumulator: Accumulator, order: Order): number {
  const add = adder(accumulator);
  const count = terms.length;
  if (order === 'chain') return chain(terms, add, 0, count, 1);
  if (order === 'lanes') return lanes(terms, add);
  const middle = count >>> 1;
  return add(chain(terms, add, 0, middle, 1), chain(terms, add, middle, count, 1));
}

function chain(terms: Float64Array, add: Add, first: number, end: number, stride: number): number {
  let sum = 0;
  for (let i = first; i < end; i += stride) sum = add(sum, terms[i]!);
  return sum;
}

function lanes(terms: Float64Array, add: Add): number {
  const sums = Float64Array.from({ length: LANES }, (_, lane) => chain(terms, add, lane, terms.length, LANES));
  for (let half = LANES / 2; half >= 1; half /= 2) {
    for (let lane = 0; lane < half; lane++) sums[lane] = add(sums[lane]!, sums[lane + half]!);
  }
  return sums[0]!;
}
