/**
 * The depth auditor, a part of gate 4: the real longest chain of a kernel's sums, asked of the kernel itself by planted
 * magnitudes, against the depth that its contract declares. A depth that is too small leaves the bound of gates 3 and 4
 * unjustified; one that is far too large lets them pass what they are to catch.
 */
import { count } from '../numerics/digits.ts';
import { countJoins, longestPath, stretchedPaths } from '../numerics/sum-path.ts';
import type { Asking, SumTree } from '../numerics/sum-tree.ts';
import { findTree, longestChain } from '../numerics/sum-tree.ts';
import type { MaskedSum } from '../families/fills/masks/rows.ts';
import { maskedSums } from '../families/fills/masks/rows.ts';
import type { Problem } from '../families/problem.ts';
import type { Shape } from '../families/tensor.ts';
import { shapeText, sizeOf } from '../families/tensor.ts';
import { longestLike } from '../spec/shapes.ts';
import type { Ask } from './asking.ts';
import { UnreadError, asker } from './asking.ts';
import type { Bench, CaseData } from './case.ts';
import type { Chain, Finding, Outcome } from './finding.ts';
import { keptBits, overflows } from './kept-bits.ts';
import { findingOf } from './finding.ts';
import { Stage } from './stage.ts';
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
  const declared = route.depth(data.shape);
  const chains: Chain[] = [];
  const lost: Finding[] = [];
  try {
    for (const [i, sum] of maskedSums(problem, data.shape).entries()) {
      const { tree, plan = 0, kept, ...found } = chainOf(sum, problem, data.shape, subject, bench);
      if (kept) lost.push(kept);
      const longer = tree && longerChain(tree, { sum: i, plan }, problem, data.shape, subject, bench);
      chains.push({ sum: sum.text, symbol: route.launch.symbol, declared, ...found, ...(longer && { longer }) });
    }
  } finally {
    bench.stage.replace(data.inputs);
  }
  bench.stage.run(route);
  const finding = depthFinding(chains, declared) ?? longerFinding(chains);
  return { findings: [...lost, ...(finding ? [finding] : []), ...bench.stage.verify()], chains };
}

const UNJUSTIFIED =
  'The bounds of gates 3 and 4 hold for the declared depth alone. Declare what the kernel does, or shorten its chain.';

function longerFinding(chains: readonly Chain[]): Finding | undefined {
  const short = chains.find(({ longer }) => longer && longer.declared < longer.least);
  if (!short?.longer) return undefined;
  const { declared, least, at } = short.longer;
  const what = `the declared depth ${declared} is too small at ${at}: a chain of ${short.sum} has at least ${least} additions`;
  return findingOf({ code: 'depth-too-small', of: short.sum }, what, { why: UNJUSTIFIED });
}

function depthFinding(chains: readonly Chain[], declared: number): Finding | undefined {
  const probed = chains.filter(({ longest }) => longest !== undefined);
  const [deepest] = probed.toSorted((a, b) => (b.longest ?? 0) - (a.longest ?? 0));
  if (deepest?.longest === undefined) return undefined;
  const { longest, sum, terms } = deepest;
  const real = `the longest chain of ${sum} is ${longest} additions, over ${terms} terms`;
  if (declared < longest)
    return findingOf({ code: 'depth-too-small', of: sum }, `the declared depth ${declared} is too small: ${real}`, {
      why: UNJUSTIFIED,
    });
  if (declared <= MOST_TIMES * longest || probed.length < chains.length) return undefined;
  const times = Number((declared / longest).toPrecision(3));
  return findingOf(
    { code: 'depth-too-large', of: sum },
    `the declared depth ${declared} is ${times}x what the kernel needs: ${real}`,
    {
      why: `Past ${MOST_TIMES}x the bound accepts an accumulator that holds one bit fewer. Declare the chain that the kernel has.`,
    },
  );
}

interface Found extends Pick<Chain, 'terms' | 'longest' | 'why'> {
  readonly tree?: SumTree;
  readonly plan?: number;
  /** The finding of a sum that keeps fewer bits than fp32. */
  readonly kept?: Finding | undefined;
}

/** Trees found by this thread, by their terms: kernels mostly add alike, and a tree that is known is only confirmed. */
const known = new Map<number, SumTree[]>();

/** The sum's longest chain by the first plan whose answers the outputs show. */
function chainOf(
  { text, plans }: MaskedSum,
  problem: Problem,
  shape: Shape,
  subject: Subject,
  { stage }: Bench,
): Found {
  const [first] = plans;
  if (!first) return { terms: 0, why: 'no inputs are known that plant single terms' };
  const { terms } = first;
  const trees = known.get(terms) ?? [];
  known.set(terms, trees);
  let over: Finding | undefined;
  for (const [i, plan] of plans.entries()) {
    const ask = asker(plan, shape, subject, stage);
    if (!ask) {
      over ??= overflows(text, plan, problem, shape, subject, stage);
      continue;
    }
    const tree = terms > MOST_TERMS ? undefined : answer(findTree(terms, trees), ask);
    const kept = keptBits(text, plan, tree, shape, subject, stage);
    if (terms > MOST_TERMS) return { terms, why: `it has more than ${count(MOST_TERMS)} terms`, kept };
    if (!tree) return { terms, why: 'the answers are those of no tree of two-term additions', kept };
    if (!trees.includes(tree)) trees.unshift(tree);
    return { terms, longest: longestChain(tree), tree, plan: i, kept };
  }
  return {
    terms: first.terms,
    why: 'the outputs show no order: their type hides it, or the sum is held in more than fp32',
    kept: over,
  };
}

/** What a search comes to; undefined where an answer cannot be read. */
function answer<T>(search: Asking<T>, ask: Ask): T | undefined {
  try {
    let step = search.next();
    while (step.done !== true) step = search.next(ask(step.value));
    return step.value;
  } catch (error) {
    if (error instanceof UnreadError) return undefined;
    throw error;
  }
}

// --- the longest rows

/** Rows and columns of a longer sum, which is asked little. */
const FEW = 48;

/**
 * What is known of a sum at the longest served rows of its route, where asking for all of it would take too long: additions on the
 * way of one term, if the kernel goes on as it does in the shorter rows.
 */
function longerChain(
  tree: SumTree,
  asked: { readonly sum: number; readonly plan: number },
  problem: Problem,
  shape: Shape,
  subject: Subject,
  bench: Bench,
): Chain['longer'] {
  const { over } = problem.formula;
  const { tile } = subject.contract.dims[over] ?? {};
  const longer = longestLike(subject.contract, shape, over, FEW);
  if (tile === undefined || sizeOf(longer, over) <= sizeOf(shape, over)) return undefined;
  const plan = maskedSums(problem, longer)[asked.sum]?.plans[asked.plan];
  if (!plan) return undefined;
  const layout = { parts: tree.leaves / sizeOf(shape, over), width: sizeOf(shape, over), tile };
  const guesses = stretchedPaths(longestPath(tree), layout, sizeOf(longer, over));
  const stage = new Stage(bench.device, subject.contract, plan.plant([]), bench.limitMs);
  try {
    const ask = asker(plan, longer, subject, stage);
    const least = ask && answer(countJoins(guesses), ask);
    const { depth } = subject.route(longer);
    return least ? { at: shapeText(longer), declared: depth(longer), least } : undefined;
  } finally {
    stage.close();
  }
}
