/**
 * How many bits a sum keeps wherever two of its terms meet, a part of gate 4. Of three terms, a = +M, b = -M and c = 1, the sum is 1
 * in any order, as long as each addition holds M + 1: with M = 2^k that takes k + 1 bits. An accumulator of fewer loses c where it
 * meets a before b does, however few terms it holds and whatever sums its partial sums later.
 */
import { round } from '../numerics/codec.ts';
import { count as countText } from '../numerics/digits.ts';
import type { SumTree, Triple } from '../numerics/sum-tree.ts';
import { meetingsOf } from '../numerics/sum-tree.ts';
import { random } from '../numerics/random.ts';
import type { MaskPlan, Planted } from '../families/fills/masks/plan.ts';
import { UNIT } from '../families/fills/masks/plan.ts';
import { reference } from '../families/answer.ts';
import type { Problem } from '../families/problem.ts';
import type { Shape } from '../families/tensor.ts';
import { shapeText } from '../families/tensor.ts';
import { NEAR, drawTriple, ordersOf, reader } from './asking.ts';
import type { Finding } from './finding.ts';
import { findingOf } from './finding.ts';
import type { Stage } from './stage.ts';
import type { Subject } from './subject.ts';

/** fp32 keeps 24 bits: 2^23 + 1 is one of its numbers, and 2^24 + 1 is none. */
const FP32_BITS = 24;
/**
 * Where each term is scaled by what is no power of two, it is off by half an ulp, so a unit of two ulps or fewer cannot be read. 13
 * bits are more than bf16 (8), half (11) and tf32 (11) keep.
 */
const SCALED_BITS = 13;
/** An output that shows the sum itself, scaled, is off by an ulp at most: an eighth of this unit. */
const SHOWN_BITS = 21;

/** Random terms by which it is learnt what an output holds where the unit is kept. */
const LESSONS = 3;

/** What is planted: a question, and magnitudes for it. */
interface Probe extends Triple {
  readonly planted: readonly Planted[];
}

type Read = (probes: readonly Probe[]) => number[];

const probe = (question: Triple, planted: readonly Planted[]): Probe => ({ ...question, planted });
const large = (bits: number): number => UNIT * 2 ** (bits - 1);

/** a = +M, b = -M and c = 1, M the least that takes `bits` bits beside 1. */
const cancelled = (bits: number, { a, b, c }: Triple): Probe =>
  probe({ a, b, c }, [...masked(bits, { a, b, c }), { term: c, value: UNIT }]);

const masked = (bits: number, { a, b }: Triple): Planted[] => [
  { term: a, value: large(bits) },
  { term: b, value: -large(bits) },
];

/** What was asked of a sum, and what it lost. */
interface Loss {
  readonly asked: number;
  readonly lost: number;
  /** The first pair that lost its unit. */
  readonly pair: Triple;
  /** The bits that it keeps, where that can be read. */
  readonly bits?: number;
  /** The output shows the sum itself, not what is left of it. */
  readonly isShown?: boolean;
  readonly overflows?: boolean;
}

/** The finding of a sum that keeps fewer bits than fp32; undefined where every pair keeps them, or the outputs do not tell. */
export function keptBits(
  sum: string,
  plan: MaskPlan,
  tree: SumTree | undefined,
  shape: Shape,
  subject: Subject,
  stage: Stage,
): Finding | undefined {
  const { plantTerms, terms } = plan;
  if (!plantTerms || terms < 4) return undefined;
  const read: Read = reader<Probe>(plan, shape, subject, stage, (probes) =>
    plantTerms(probes.map(({ planted }) => planted)),
  );
  const source = random(`${shapeText(shape)}:bits`);
  const lessons = Array.from({ length: LESSONS }, () => drawTriple(plan, (least, most) => source.int(least, most)));
  const bits = plan.keepsPowers === true ? FP32_BITS : SCALED_BITS;
  const pairs = (tree ? meetingsOf(tree) : stridedPairs(terms)).map(({ a, b, c }) => ({ a, b: c, c: b }));
  const asked = pairs.filter((pair) => plan.asks?.(pair) ?? true);
  const loss = lossOf(read, lessons, asked, bits) ?? shownLoss(read, asked, subject, plan);
  return loss && findingFor(sum, { ...loss, ...overflowOf(read, plan, loss) });
}

/** The finding of a sum that is no number though float64's is, and every partial sum is far inside fp32's range. */
export function overflows(
  sum: string,
  plan: MaskPlan,
  problem: Problem,
  shape: Shape,
  subject: Subject,
  stage: Stage,
): Finding | undefined {
  const { plantTerms, output } = plan;
  const dtype = problem.outputs[output]?.dtype;
  if (!plantTerms || !dtype) return undefined;
  const source = random(`${shapeText(shape)}:overflow`);
  const orders = ordersOf(drawTriple(plan, (least, most) => source.int(least, most)));
  const read = reader<Triple>(plan, shape, subject, stage, plan.plant);
  const asked = orders.filter((order) => plan.asks?.(order) ?? true).slice(0, plan.perLaunch);
  const at = read(asked).findIndex((value) => !Number.isFinite(value));
  const order = asked[at];
  if (!order) return undefined;
  const want = reference(problem, plan.plant([order]))[output]?.[plan.witness(order, 0)] ?? Number.NaN;
  if (!Number.isFinite(round(dtype, want))) return undefined;
  return findingOf({ code: 'kept-bits', of: sum }, `${sum} overflows where fp32 holds every partial sum of its terms`, {
    why: 'An accumulator in half overflows past 65,504; bf16, tf32 and fp32 go as far as 3.4e38.',
  });
}

/** The pairs that lose their unit, and how many bits the first of them keeps. */
function lossOf(read: Read, lessons: readonly Triple[], asked: readonly Triple[], bits: number): Loss | undefined {
  const keeps = learn(read, lessons, bits);
  if (!keeps) return undefined;
  const lost = keeps(asked).flatMap((kept, i) => (kept ? [] : [i]));
  const pair = asked[lost[0] ?? -1];
  if (!pair) return undefined;
  // -2^k + 1 takes a bit less than 2^k + 1, and where no tree is known, c may meet -M: the other sign tells.
  const signs = [pair, { ...pair, a: pair.b, b: pair.a }];
  for (const least of range(2, bits)) {
    const at = learn(read, lessons, least)?.(signs).indexOf(false) ?? -1;
    if (at >= 0) return { asked: asked.length, lost: lost.length, pair: signs[at] ?? pair, bits: least - 1 };
  }
  return { asked: asked.length, lost: lost.length, pair };
}

const range = (first: number, last: number): number[] => Array.from({ length: last - first + 1 }, (_, i) => first + i);

/** Tells whether pairs keep their unit; undefined where the output does not show a unit that is kept. */
function learn(
  read: Read,
  lessons: readonly Triple[],
  bits: number,
): ((pairs: readonly Triple[]) => boolean[]) | undefined {
  const without = read(lessons.map((lesson) => probe(lesson, masked(bits, lesson))));
  const shown = read(lessons.flatMap(ordersOf).map((order) => cancelled(bits, order)));
  const [none = Number.NaN] = without;
  // In one of a triple's three orders +M and -M meet first, so that what lies farthest off has the unit.
  const farthest = lessons.map((_, i) =>
    shown.slice(3 * i, 3 * i + 3).reduce((far, value) => (Math.abs(value - none) > Math.abs(far - none) ? value : far)),
  );
  const [unit = Number.NaN] = farthest;
  const room = NEAR * Math.abs(unit - none);
  const isNear = (value: number, of: number): boolean => Math.abs(value - of) <= room;
  const isRead =
    room > 0 && farthest.every((far) => isNear(far, unit)) && without.every((value) => isNear(value, none));
  return isRead
    ? (pairs) => read(pairs.map((pair) => cancelled(bits, pair))).map((value) => isNear(value, unit))
    : undefined;
}

/** The same of the last addition and of what comes after it: an fp32 output that is the sum itself, times a constant, shows M + 1. */
function shownLoss(read: Read, pairs: readonly Triple[], subject: Subject, plan: MaskPlan): Loss | undefined {
  const [pair] = pairs;
  if (!pair || subject.contract.outputs[plan.output]?.dtype !== 'f32') return undefined;
  const { a, c } = pair;
  const keeps = (bits: number): boolean => {
    const unit = { term: c, value: UNIT };
    const only = { term: a, value: large(bits) };
    const [one = 0, big = 0, both = 0] = read([[unit], [only], [only, unit]].map((planted) => probe(pair, planted)));
    const isTheSum = one !== 0 && Math.abs(big / one / 2 ** (bits - 1) - 1) < 2 ** -20;
    return !isTheSum || Math.abs(both - big - one) <= NEAR * Math.abs(one);
  };
  if (keeps(SHOWN_BITS)) return undefined;
  const least = range(2, SHOWN_BITS).find((fewer) => !keeps(fewer)) ?? SHOWN_BITS;
  return { asked: 1, lost: 1, pair, bits: least - 1, isShown: true };
}

/** 1.5 · 2^15 is a number of every float type, and half has none that is twice as large. */
const HIGH = 1.5 * 2 ** 15;

/** Whether two terms that half holds overflow where they meet; not asked of sums whose terms share factors. */
function overflowOf(read: Read, plan: MaskPlan, { pair, isShown }: Loss): Pick<Loss, 'overflows'> {
  if (plan.asks) return {};
  const two = [pair.a, pair.c].map((term) => ({ term, value: HIGH }));
  const [value = 0] = read([probe(pair, isShown ? two : [...two, { term: pair.b, value: -HIGH }])]);
  return { overflows: !Number.isFinite(value) };
}

function findingFor(sum: string, { asked, lost, pair, bits, overflows }: Loss): Finding {
  const kept = bits === undefined ? 'fewer bits' : `${bits} bits`;
  const what = `${sum} keeps ${kept} where fp32 keeps ${FP32_BITS}: of ${countText(asked)} pairs of terms that meet, ${countText(lost)} ${lost === 1 ? 'loses its' : 'lose their'} smaller one`;
  const shown = bits === undefined ? '' : `2^${bits} + 1 gives 2^${bits} where terms ${pair.a} and ${pair.c} meet.`;
  return findingOf({ code: 'kept-bits', of: sum }, what, {
    why: [shown, accumulatorOf(bits, overflows)].join(' ').trim(),
  });
}

/** The accumulator that keeps so many bits, as far as the sum shows which. */
function accumulatorOf(bits: number | undefined, overflows: boolean | undefined): string {
  if (bits === 8) return 'An accumulator in bf16 keeps 8 bits.';
  if (bits !== 11) return '';
  if (overflows === undefined) return 'An accumulator in half keeps 11 bits, and one in tf32 as many.';
  return overflows
    ? `An accumulator in half keeps 11 bits, and overflows past 65,504, as this one does at ${countText(2 * HIGH)}.`
    : `An accumulator in tf32 keeps 11 bits; it is not half, since it holds ${countText(2 * HIGH)}.`;
}

/** Pairs of terms at every distance that is a power of two, from the row's first term, its middle and its end; `c` is far from both. */
function stridedPairs(terms: number): Triple[] {
  const out: Triple[] = [];
  for (let stride = 1; stride < terms; stride *= 2)
    for (const from of [0, terms >> 1, terms - 1 - stride])
      for (const far of [terms >> 1, 2 * stride]) {
        const [a, b, c] = [from, from + stride, (from + stride + far) % terms];
        if (b < terms && a >= 0 && c !== a && c !== b) out.push({ a, b, c });
      }
  return out;
}
