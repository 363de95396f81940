/**
 * What a projection's sums lose where fp32 subnormals are zero as operands. A product that has one vanishes with all of its
 * magnitude, which the other factor may make as large as 2^-126 times fp32's largest number.
 */
import type { Contraction } from './contraction.ts';
import { operand } from './contraction.ts';
import type { Inputs } from './inputs.ts';
import { bytesFor, readRow } from './inputs.ts';
import type { Problem } from './problem.ts';
import { rowCount, sizeOf } from './tensor.ts';

/** fp32's least normal number. */
const LEAST_NORMAL = 2 ** -126;
export const isSubnormal = (value: number): boolean => value !== 0 && Math.abs(value) < LEAST_NORMAL;

const cache = new WeakMap<Inputs, Map<string, Float64Array | null>>();

/**
 * The most that each sum loses, row-major: Σ |A|·|B| less what is left of it without the inputs that are subnormal, term by
 * term. null where no input is.
 */
export function flushedAway(problem: Problem, contraction: Contraction, inputs: Inputs): Float64Array | null {
  const taken = cache.get(inputs) ?? new Map<string, Float64Array | null>();
  const known = taken.get(problem.graph.text);
  if (known !== undefined) return known;
  const lost = holdsSubnormals(problem, inputs) ? lossOf(problem, contraction, inputs) : null;
  cache.set(inputs, taken.set(problem.graph.text, lost));
  return lost;
}

function holdsSubnormals(problem: Problem, inputs: Inputs): boolean {
  return Object.entries(problem.inputs).some(([name, tensor]) => {
    if (tensor.dtype !== 'bf16' && tensor.dtype !== 'f32') return false; // no other type's values reach so low
    const bytes = bytesFor(inputs, name);
    const rows = Array.from({ length: rowCount(tensor, inputs.shape) }, (_, row) => row);
    return rows.some((row) => readRow(tensor, inputs.shape, bytes, row).some(isSubnormal));
  });
}

/** A side's magnitudes, and what is left of them. */
interface Side {
  readonly whole: Float64Array;
  readonly left: Float64Array;
  readonly same: boolean;
}

function lossOf(problem: Problem, contraction: Contraction, inputs: Inputs): Float64Array {
  const { rows, columns } = contraction;
  const [height, width] = [sizeOf(inputs.shape, rows), sizeOf(inputs.shape, columns)];
  const lost = new Float64Array(height * width);
  const a = sideReader(problem, inputs, contraction.left, rows);
  const b = sideReader(problem, inputs, contraction.right, columns);
  const left = Array.from({ length: height }, (_, r) => a(r));
  for (let n = 0; n < width; n++) {
    const right = b(n);
    left.forEach((side, r) => (lost[r * width + n] = side.same && right.same ? 0 : loss(side, right)));
  }
  return lost;
}

function sideReader(problem: Problem, inputs: Inputs, root: number, dim: string): (row: number) => Side {
  const kept = operand(problem, inputs, root, dim);
  const flushed = operand(problem, inputs, root, dim, (value) => (isSubnormal(value) ? 0 : value));
  return (row) => {
    const whole = kept(row).magnitudes;
    const left = flushed(row).magnitudes;
    return { whole, left, same: whole.every((value, i) => value === left[i]) };
  };
}

/** Σ ab - a'b' = Σ (a - a')b + a'(b - b'), whose parts do not cancel. */
function loss(a: Side, b: Side): number {
  let sum = 0;
  for (let i = 0; i < a.whole.length; i++) {
    const [x, y] = [a.whole[i] as number, b.whole[i] as number];
    const [p, q] = [a.left[i] as number, b.left[i] as number];
    sum += (x - p) * y + p * (y - q);
  }
  return sum;
}
