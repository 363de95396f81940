/**
 * The limit of detection of a sum: the smallest loss, in mean terms of the sum, that a gate would have caught. The loss is planted
 * into the replay of one sum, and what it moves the outputs by is added to those that were recorded.
 */
import { decodeAll, round } from '../numerics/codec.ts';
import { replayBy } from '../families/answer.ts';
import type { Ranges, Values } from '../families/answer.ts';
import type { Arithmetic } from '../families/formula/range.ts';
import { plainSum } from '../families/formula/value.ts';
import { firstOf } from '../families/inputs.ts';
import type { Problem } from '../families/problem.ts';
import { elementCount, rowLength, sizeOf } from '../families/tensor.ts';
import type { CaseData } from './case.ts';
import { isInside } from './compare.ts';
import type { LostTerms } from './detection.ts';
import { fewOf, fewShape } from './few.ts';
import type { Outputs } from './stage.ts';

/** Rows, and columns of a projection, that are tried. */
const FEW = 2;
/** Losses are tried in steps of a quarter of an octave, from a millionth of a term to a million terms. */
const STEPS = 160;
const lossAt = (step: number): number => 2 ** (step / 4 - 20);

type Keyed = Arithmetic & { readonly key: string };

interface Trial {
  readonly data: CaseData;
  readonly base: Values;
  /** The outputs with a loss in one sum, by sum and step: the same in every dialect. */
  readonly replays: Map<string, Values>;
}

const trials = new WeakMap<CaseData, Map<string, Trial>>();

/** The smallest loss of each sum that the outputs of a case would have shown. */
export function lostTerms(data: CaseData, problem: Problem, arithmetic: Keyed, outputs: Outputs): LostTerms[] {
  const trial = trialOf(data, problem);
  const ranges = trial.data.ranges(problem, arithmetic);
  const got = firstOf({ shape: data.shape, bytes: outputs }, problem.outputs, fewShape(data.shape, problem, FEW)).bytes;
  const sums = problem.graph.nodes.filter(
    (node) => node.kind === 'reduce' && (node.op === 'sum' || node.op === 'mean'),
  );
  return sums.map((sum, k) => {
    const step = leastStep((at) => isCaught(trial, problem, ranges, got, replayed(trial, problem, sums.length, k, at)));
    const terms = sizeOf(data.shape, problem.formula.over);
    return { sum: sum.text, terms, ...(step !== undefined && { lost: lossAt(step) }) };
  });
}

function trialOf(data: CaseData, problem: Problem): Trial {
  const known = trials.get(data) ?? new Map<string, Trial>();
  trials.set(data, known);
  const trial = known.get(problem.graph.text);
  if (trial) return trial;
  const few = fewOf(data, problem, FEW);
  const made = { data: few, base: few.reference(problem), replays: new Map<string, Values>() };
  known.set(problem.graph.text, made);
  return made;
}

/** The first step that holds, and with it all later ones; undefined where the last does not. */
function leastStep(holds: (step: number) => boolean): number | undefined {
  if (!holds(STEPS)) return undefined;
  let [below, from] = [-1, STEPS];
  while (from - below > 1) {
    const middle = (below + from) >> 1;
    if (holds(middle)) from = middle;
    else below = middle;
  }
  return from;
}

/** The outputs where the sum number `k` of `sums` loses so many of its mean terms. */
function replayed({ data, replays }: Trial, problem: Problem, sums: number, k: number, step: number): Values {
  const key = `${k} ${step}`;
  const known = replays.get(key);
  if (known) return known;
  let calls = 0;
  const values = replayBy(problem, data.inputs, (terms) => {
    const isLossy = calls++ % sums === k;
    return plainSum(terms) - (isLossy ? lossAt(step) * meanOf(terms) : 0);
  });
  replays.set(key, values);
  return values;
}

function meanOf(terms: Float64Array): number {
  let sum = 0;
  for (const term of terms) sum += Math.abs(term);
  return sum / Math.max(terms.length, 1);
}

/** Whether each sum's own outputs hold one that leaves its range: a row's, or, of a projection, the element. */
function isCaught(
  { data, base }: Trial,
  { outputs, formula }: Problem,
  ranges: Ranges,
  got: Outputs,
  faulty: Values,
): boolean {
  const seen = new Set<number>();
  let rows = 0;
  for (const [name, tensor] of Object.entries(outputs)) {
    const total = elementCount(tensor, data.shape);
    const width = formula.family === 'rows' && tensor.dims.at(-1) === formula.over ? rowLength(tensor, data.shape) : 1;
    const values = decodeAll(tensor.dtype, got[name] ?? new Uint8Array(0), total);
    rows = Math.max(rows, total / width);
    for (let i = 0; i < total; i++) {
      const moved = (faulty[name]?.[i] ?? Number.NaN) - (base[name]?.[i] ?? Number.NaN);
      const value = round(tensor.dtype, (values[i] ?? Number.NaN) + moved);
      const { lo, hi } = ranges[name] ?? { lo: values, hi: values };
      if (!isInside(tensor.dtype, value, lo[i] ?? Number.NaN, hi[i] ?? Number.NaN)) seen.add(Math.floor(i / width));
    }
  }
  return seen.size === rows;
}
