/**
 * Gate 4's data for sums whose terms have one sign, squares and exponentials: of each row one term is 1, at a place of its own, and
 * the others are 2^-9 to 2^-14 of it, with full significands. Wherever the 1 meets another term, an accumulator of 11 bits or fewer
 * loses a part of it, and no other row hides that.
 */
import { encodeAll } from '../../numerics/codec.ts';
import type { Random } from '../../numerics/random.ts';
import { random } from '../../numerics/random.ts';
import type { Inputs } from '../inputs.ts';
import type { Problem } from '../problem.ts';
import type { Shape } from '../tensor.ts';
import { rowCount, rowLength } from '../tensor.ts';
import { isSummed, kindOf } from './exact.ts';
import type { FillName } from './ordinary.ts';
import { ordinaryInputs } from './ordinary.ts';

/** Binary orders below the largest term: half an ulp of 1 in bf16 is 2^-8, in half and tf32 2^-11. */
const LEAST_ORDER = 9;
const MOST_ORDER = 14;

/** Whether a formula's sums are those that need this data: terms of both signs show more by planted magnitudes. */
export const isSpread = (problem: Problem): boolean =>
  problem.formula.family === 'rows' && kindOf(problem) !== 'mirror';

/** Inputs that feed no sum get ordinary data. */
export function spreadInputs(
  problem: Problem,
  shape: Shape,
  fills: Readonly<Partial<Record<string, FillName>>>,
  seed: string,
): Inputs {
  const term = kindOf(problem) === 'ones' ? exponent : root;
  const bytes = { ...ordinaryInputs(problem.inputs, shape, fills, seed).bytes };
  for (const [name, tensor] of Object.entries(problem.inputs)) {
    if (!isSummed(problem, name) || tensor.dims.at(-1) !== problem.formula.over) continue;
    const source = random(`${seed}:${name}:spread`);
    const width = rowLength(tensor, shape);
    const values = new Float64Array(rowCount(tensor, shape) * width);
    for (let from = 0; from < values.length; from += width) {
      for (let i = 0; i < width; i++)
        values[from + i] = term(LEAST_ORDER + (MOST_ORDER - LEAST_ORDER) * source.unit(), source);
      values[from + placeOf(from / width, width, source)] = term(0, source);
    }
    bytes[name] = encodeAll(tensor.dtype, values);
  }
  return { shape, bytes };
}

/** Where a row's largest term is: at the ends first, which a kernel's tail may take, then anywhere. */
function placeOf(row: number, width: number, source: Random): number {
  const [ends, any] = [[0, width - 1, width >> 1], source.int(0, width - 1)];
  return ends[row] ?? any;
}

/** A value whose exponential is 2^-order. */
const exponent = (order: number): number => -order * Math.LN2;

/** A value of either sign whose square is 2^-order. */
const root = (order: number, source: Random): number => 2 ** (-order / 2) * (source.unit() < 0.5 ? -1 : 1);
