/**
 * The depth auditor, a part of gate 4: the real longest chain of a kernel's sums, asked of the kernel itself by planted
 * magnitudes, against the depth that its contract declares. A depth that is too small leaves the bound of gates 3 and 4
 * unjustified; one that is far too large lets them pass what they are to catch.
 */
import { decodeAll } from '../numerics/codec.ts';
import { count } from '../numerics/digits.ts';
import { bytesOf } from '../numerics/dtype.ts';
import { random } from '../numerics/random.ts';
import type { SumTree, Triple } from '../numerics/sum-tree.ts';
import { findTree, longestChain } from '../numerics/sum-tree.ts';
import type { MaskPlan } from '../families/fills/masks/plan.ts';
import type { MaskedSum } from '../families/fills/masks/rows.ts';
import { maskedSums } from '../families/fills/masks/rows.ts';
import { shapeText } from '../families/tensor.ts';
import type { Bench, CaseData } from './case.ts';
import type { Chain, Finding, Outcome } from './finding.ts';
import type { Subject } from './subject.ts';

/**
 * A declared depth may be at most twice the real one. The bound is proportional to the depth, and an accumulator that holds one
 * bit fewer errs twice as much a step: past this factor the bound would not see that bit.
 */
export const MOST_TIMES = 2;

/** Terms of a sum that is asked: a question is a row, so the work is their square, and 8,192 terms take seconds. */
const MOST_TERMS = 8192;

/** Judges the declared depth of the route that takes the case's shape. */
export function judgeDepth(data: CaseData, subject: Subject, bench: Bench): Outcome {
  const { problem } = subject;
  if (!problem) return { findings: [] };
  const route = subject.route(data.shape);
  const declared = route.launch.depth(data.shape);
  const chains: Chain[] = [];
  try {
    for (const sum of maskedSums(problem, data.shape)) {
      const found = chainOf(sum, data, subject, bench);
      chains.push({ sum: sum.text, symbol: route.launch.symbol, declared, ...found });
    }
  } finally {
    bench.stage.replace(data.inputs);
  }
  bench.stage.run(route);
  const finding = depthFinding(chains, declared);
  return { findings: [...(finding ? [finding] : []), ...bench.stage.verify()], chains };
}

function depthFinding(chains: readonly Chain[], declared: number): Finding | undefined {
  const probed = chains.filter(({ longest }) => longest !== undefined);
  const [deepest] = probed.toSorted((a, b) => (b.longest ?? 0) - (a.longest ?? 0));
  if (deepest?.longest === undefined) return undefined;
  const { longest, sum, terms } = deepest;
  const real = `the longest chain of ${sum} is ${longest} additions, over ${terms} terms`;
  if (declared < longest)
    return {
      class: 'depth',
      what: `the declared depth ${declared} is too small: ${real}`,
      why: 'The bounds of gates 3 and 4 hold for the declared depth alone. Declare what the kernel does, or shorten its chain.',
    };
  if (declared <= MOST_TIMES * longest || probed.length < chains.length) return undefined;
  return {
    class: 'depth',
    what: `the declared depth ${declared} is ${Number((declared / longest).toPrecision(3))}x what the kernel needs: ${real}`,
    why: `Past ${MOST_TIMES}x the bound accepts an accumulator that holds one bit fewer. Declare the chain that the kernel has.`,
  };
}

type Found = Pick<Chain, 'terms' | 'longest' | 'why'>;

/** Trees found by this thread, by their terms: kernels mostly add alike, and a tree that is known is only confirmed. */
const known = new Map<number, SumTree[]>();

/** The sum's longest chain by the first plan whose answers the outputs show. */
function chainOf({ plans }: MaskedSum, data: CaseData, subject: Subject, bench: Bench): Found {
  const [first] = plans;
  if (!first) return { terms: 0, why: 'no inputs are known that plant single terms' };
  if (first.terms > MOST_TERMS) return { terms: first.terms, why: `it has more than ${count(MOST_TERMS)} terms` };
  const trees = known.get(first.terms) ?? [];
  known.set(first.terms, trees);
  for (const plan of plans) {
    const ask = asker(plan, data, subject, bench);
    if (!ask) continue;
    const tree = search(plan.terms, trees, ask);
    if (!tree) return { terms: plan.terms, why: 'the answers are those of no tree of two-term additions' };
    if (!trees.includes(tree)) trees.unshift(tree);
    return { terms: plan.terms, longest: longestChain(tree) };
  }
  return {
    terms: first.terms,
    why: 'the outputs show no order: their type hides it, or the sum is held in more than fp32',
  };
}

type Ask = (questions: readonly Triple[]) => boolean[];

/** Thrown by an answer that is neither of the two that an output may give. */
class UnreadError extends Error {}

function search(terms: number, hints: readonly SumTree[], ask: Ask): SumTree | undefined {
  const finding = findTree(terms, hints);
  try {
    let step = finding.next();
    while (step.done !== true) step = finding.next(ask(step.value));
    return step.value;
  } catch (error) {
    if (error instanceof UnreadError) return undefined;
    throw error;
  }
}

// --- asking

/** Triples by which the two answers of an output are learnt: of a triple's three orders one is the tree's. */
const LESSONS = 6;
/** An answer lies this near to one of the two, as a share of their distance. */
const NEAR = 0.25;

/** How a plan's questions are answered, or undefined where its output does not tell yes from no. */
function asker(plan: MaskPlan, data: CaseData, subject: Subject, bench: Bench): Ask | undefined {
  const values = reader(plan, data, subject, bench);
  const source = random(shapeText(data.shape));
  const lessons = Array.from({ length: LESSONS }, () => drawTriple(plan, (least, most) => source.int(least, most)));
  const shown = values(lessons.flatMap(ordersOf));
  const pairs = lessons.map((_, i) => oddOne(shown.slice(3 * i, 3 * i + 3)));
  const [pair] = pairs;
  if (!pair) return undefined;
  const answer = (value: number): boolean => {
    const distance = NEAR * Math.abs(pair.yes - pair.no);
    if (Math.abs(value - pair.yes) <= distance) return true;
    if (Math.abs(value - pair.no) <= distance) return false;
    throw new UnreadError();
  };
  const isRead = pairs.every((other) => other && isNear(other.yes, pair.yes, pair) && isNear(other.no, pair.no, pair));
  if (!isRead) return undefined;
  return (questions) => answered(plan, questions, (asked) => values(asked).map(answer));
}

interface Pair {
  readonly yes: number;
  readonly no: number;
}

const isNear = (a: number, b: number, { yes, no }: Pair): boolean => Math.abs(a - b) <= NEAR * Math.abs(yes - no);

const ordersOf = ({ a, b, c }: Triple): Triple[] => [
  { a, b, c },
  { a, b: c, c: b },
  { a: b, b: c, c: a },
];

/** Of three values the one that differs: the answer of the order that is the tree's. */
function oddOne([x = 0, y = 0, z = 0]: readonly number[]): Pair | undefined {
  if (![x, y, z].every(Number.isFinite)) return undefined;
  const pairs: (Pair & { readonly spread: number })[] = [
    { yes: x, no: y, spread: Math.abs(y - z) },
    { yes: y, no: x, spread: Math.abs(x - z) },
    { yes: z, no: x, spread: Math.abs(x - y) },
  ];
  return pairs.find(({ yes, no, spread }) => spread <= NEAR * Math.abs(yes - no) && yes !== no);
}

function drawTriple({ terms, asks }: MaskPlan, int: (least: number, most: number) => number): Triple {
  for (;;) {
    const triple = { a: int(0, terms - 1), b: int(0, terms - 1), c: int(0, terms - 1) };
    const isApart = triple.a !== triple.b && triple.b !== triple.c && triple.a !== triple.c;
    if (isApart && ordersOf(triple).every((order) => asks?.(order) ?? true)) return triple;
  }
}

/** A question that cannot be asked is answered by its other two orders: just one of the three is the tree's. */
function answered(plan: MaskPlan, questions: readonly Triple[], ask: Ask): boolean[] {
  const asked = questions.map((question) =>
    (plan.asks?.(question) ?? true) ? [question] : ordersOf(question).slice(1),
  );
  const answers = ask(asked.flat());
  let at = 0;
  return asked.map((orders) => {
    const own = answers.slice(at, at + orders.length);
    at += orders.length;
    return orders.length === 1 ? own[0] === true : own.every((answer) => !answer);
  });
}

/** What the output that tells holds for each question, a launch at a time. */
function reader(
  plan: MaskPlan,
  data: CaseData,
  subject: Subject,
  { stage }: Bench,
): (questions: readonly Triple[]) => number[] {
  const route = subject.route(data.shape);
  const tensor = subject.contract.outputs[plan.output];
  if (!tensor) throw new Error(`no output ${plan.output}`);
  const size = bytesOf(tensor.dtype);
  return (questions) => {
    const out: number[] = [];
    for (let from = 0; from < questions.length; from += plan.perLaunch) {
      const part = questions.slice(from, from + plan.perLaunch);
      stage.replace(plan.plant(part));
      const bytes = stage.run(route)[plan.output] ?? new Uint8Array(0);
      for (const [i, question] of part.entries()) {
        const from = plan.witness(question, i) * size;
        out.push(decodeAll(tensor.dtype, bytes.subarray(from, from + size), 1)[0] ?? Number.NaN);
      }
    }
    return out;
  };
}
