/** Why exact integers came out wrong, as far as the kernel shows it: a cause is named by what was seen of it, and else none is. */
import { decodeAll } from '../numerics/codec.ts';
import { count } from '../numerics/digits.ts';
import type { Triple } from '../numerics/sum-tree.ts';
import type { MaskPlan, Planted } from '../families/fills/masks/plan.ts';
import { UNIT } from '../families/fills/masks/plan.ts';
import { maskedSums } from '../families/fills/masks/rows.ts';
import type { Problem } from '../families/problem.ts';
import type { Shape } from '../families/tensor.ts';
import { elementCount } from '../families/tensor.ts';
import { asker, reader } from './asking.ts';
import type { CaseData } from './case.ts';
import { compareRanges, numberText } from './compare.ts';
import { keptBits, overflows } from './kept-bits.ts';
import type { Outputs, Stage } from './stage.ts';
import type { Subject } from './subject.ts';

export const EXACT =
  'fp32 sums of these integers are exact in any order, so that no rounding of an fp32 sum explains it.';
const SCALED =
  'They are within the bound of fp32 sums whose terms are no integers: of a kernel that scales terms before it sums them, the formula says so: sum(x * rcp(n)).';

/** What is known of outputs that are off; the stage holds other inputs afterwards. */
export function whyOff(data: CaseData, problem: Problem, subject: Subject, stage: Stage, outputs: Outputs): string {
  const ratio = ratioOf(data, problem, outputs);
  if (ratio !== undefined) return `${EXACT} Every output is ${numberText(ratio)} times what it should be.`;
  const shown = shownBy(problem, data.shape, subject, stage);
  const isScaled = shown === undefined && isPlain(data, problem, subject, outputs);
  return [EXACT, isScaled ? SCALED : (shown ?? '')].join(' ').trim();
}

/** Whether the outputs keep the bound that holds for terms of any kind. */
function isPlain(data: CaseData, problem: Problem, subject: Subject, outputs: Outputs): boolean {
  const ranges = data.ranges(problem, subject.arithmetic(data.shape));
  return Object.entries(problem.outputs).every(([name, tensor]) => {
    const judged = { name, tensor, shape: data.shape, bytes: outputs[name] ?? new Uint8Array(0) };
    const [want, ends] = [data.reference(problem)[name], ranges[name]];
    return want !== undefined && ends !== undefined && !compareRanges(judged, want, ends).finding;
  });
}

/** Outputs off by one factor agree in it as nearly as their type holds them: to an ulp of either. */
const SAME_FACTOR = 2 ** -7;

/** The factor by which all outputs are off; undefined where they are not off by one. */
function ratioOf(data: CaseData, problem: Problem, outputs: Outputs): number | undefined {
  const ratios = Object.entries(problem.outputs).flatMap(([name, tensor]) => {
    const got = decodeAll(tensor.dtype, outputs[name] ?? new Uint8Array(0), elementCount(tensor, data.shape));
    const want = data.reference(problem)[name] ?? new Float64Array(0);
    return [...got].flatMap((value, i) => (value === 0 && want[i] === 0 ? [] : [value / (want[i] ?? Number.NaN)]));
  });
  const [first = Number.NaN] = ratios;
  const isOne = first !== 0 && ratios.every((ratio) => Math.abs(ratio / first - 1) <= SAME_FACTOR);
  return isOne && Math.abs(first - 1) > SAME_FACTOR ? first : undefined;
}

/** What planted terms show: too few bits, or terms that are not summed once; undefined where they show no fault of the sums. */
function shownBy(problem: Problem, shape: Shape, subject: Subject, stage: Stage): string | undefined {
  for (const { text, plans } of maskedSums(problem, shape)) {
    for (const plan of plans) {
      if (!plan.plantTerms) continue;
      const over = overflows(text, plan, problem, shape, subject, stage);
      if (over) return `${over.what}. ${over.why ?? ''}`;
      const weights = countedTerms(text, plan, shape, subject, stage);
      if (weights !== undefined) return weights;
      const isRead = asker(plan, shape, subject, stage) !== undefined;
      const kept = isRead ? keptBits(text, plan, undefined, shape, subject, stage) : undefined;
      if (kept) return `${kept.what}. ${kept.why ?? ''}`;
    }
  }
  return undefined;
}

/** Terms that are told by their place. */
const MOST_TOLD = 4;

/**
 * Terms that a sum drops or doubles, each alone in a row: most weigh the same, and these weigh nothing or twice as much. Something
 * else is seen, and not named, where a sum of no terms is not 0, or the outputs do not go with the terms.
 */
function countedTerms(sum: string, plan: MaskPlan, shape: Shape, subject: Subject, stage: Stage): string | undefined {
  const { plantTerms, terms } = plan;
  if (!plantTerms || plan.asks) return undefined;
  const read = reader<Planted & Triple>(plan, shape, subject, stage, (asked) => plantTerms(asked.map((one) => [one])));
  const alone = (term: number, value: number): Planted & Triple => ({
    ...{ a: (term + 1) % terms, b: (term + 2) % terms, c: term },
    ...{ term, value },
  });
  const values = read(Array.from({ length: terms }, (_, term) => alone(term, UNIT)));
  const whole = values.toSorted((a, b) => a - b)[terms >> 1] ?? 0;
  const [none] = read([alone(0, 0)]);
  if (none !== 0 || !Number.isFinite(whole)) return '';
  if (whole === 0) return undefined;
  const told = (weight: number, how: string): string => {
    const at = values.flatMap((value, i) => (value === weight ? [i] : []));
    if (at.length === 0) return '';
    const places = `${at.slice(0, MOST_TOLD).join(', ')}${at.length > MOST_TOLD ? ', …' : ''}`;
    return `${count(at.length)} of ${count(terms)} terms ${how} ${sum}: ${places}.`;
  };
  const all = [told(0, 'are not in'), told(2 * whole, 'are twice in')].join(' ').trim();
  return all === '' ? undefined : all;
}
