/**
 * Inputs that show in which order a kernel adds. Of a sum's terms a few hold magnitudes planted so that the sum tells which two
 * of three meet first; all others are 0, whose addition rounds nothing. Two ways, by what the terms may be:
 *
 * signed: a = +M, b = -M and c = 1, M so large that 1 beside it is lost. c survives where a and b meet without it.
 * unsigned: c = M, and a = b = a little less than half an ulp of M. Each alone is lost beside M; where a and b meet first, they
 * move it by an ulp. Squares fill the rest of fp32's range, so that this ulp is the one that overflows, which shows in an output
 * of any type; exponentials, which are at most 1, show it in the last bits of an fp32 output alone.
 *
 * What the inputs do is read from the formula itself: a plan stands only where float64 gives the terms that it wants.
 */
import { decodeAll, encodeAll } from '../../../numerics/codec.ts';
import type { Triple } from '../../../numerics/sum-tree.ts';
import { isFloat } from '../../../numerics/dtype.ts';
import type { Graph, Node } from '../../formula/graph.ts';
import { ancestors } from '../../formula/graph.ts';
import { valueReader } from '../../formula/value.ts';
import type { Problem } from '../../problem.ts';
import { mainOutput } from '../../problem.ts';
import type { Shape } from '../../tensor.ts';
import { rowCount, rowLength, shapeText, sizeOf } from '../../tensor.ts';
import type { MaskPlan, Planted } from './plan.ts';
import { filled, lazily, planter, signed } from './plan.ts';
import { projectionPlans } from './projections.ts';

/** A sum of a formula, and the ways to ask about it, the likeliest first. */
export interface MaskedSum {
  readonly text: string;
  readonly plans: readonly MaskPlan[];
}

/** The last formula's sums by shape: every dialect asks for them again. */
const last: { problem?: Problem; readonly sums: Map<string, MaskedSum[]> } = { sums: new Map() };

/** Every sum that an output of the formula depends on. */
export function maskedSums(problem: Problem, shape: Shape): MaskedSum[] {
  if (last.problem !== problem) last.sums.clear();
  last.problem = problem;
  const sums = last.sums.get(shapeText(shape)) ?? sumsOf(problem, shape);
  last.sums.set(shapeText(shape), sums);
  return sums;
}

function sumsOf(problem: Problem, shape: Shape): MaskedSum[] {
  const { graph, outputs, formula } = problem;
  const reached = new Set(Object.keys(outputs).flatMap((name) => [...ancestors(graph, graph.names.get(name) ?? -1)]));
  const sums = graph.nodes.filter((node) => reached.has(node.id) && isSum(node));
  return sums.map((sum) => ({
    text: sum.text,
    plans: formula.family === 'rows' ? rowsPlans(problem, sum as SumNode, shape) : projectionPlans(problem, shape),
  }));
}

type SumNode = Node & { kind: 'reduce' };
const isSum = (node: Node): boolean => node.kind === 'reduce' && (node.op === 'sum' || node.op === 'mean');

// --- magnitudes

interface Method {
  /** What every other element of the carrier holds. */
  readonly rest: number;
  readonly plant: (question: Triple, terms: number) => readonly Planted[];
  /** Whether the terms that float64 gives for a planted question are those of the method. */
  readonly holds: (terms: Float64Array, question: Triple) => boolean;
  /** Where an output that holds an element for each term tells. */
  readonly tells: (question: Triple) => number;
}

const SIGNED: Method = {
  rest: 0,
  plant: signed,
  holds: (terms, { a, b, c }) => {
    const [mask = 0, anti = 0, unit = 0] = [terms[a], terms[b], terms[c]];
    return mask === -anti && unit !== 0 && Math.abs(mask) >= 2 ** 26 * Math.abs(unit) && areZero(terms, [a, b, c]);
  },
  tells: (question) => elsewhere(question, 1)[0] ?? 0,
};

/** An ulp of fp32's largest numbers, and numbers of 8 bits whose squares sum to 2^24 - 1: one more of these ulps overflows. */
const TOP_ULP = 2 ** 104;
const BIG = 4080;
const FILLERS = [360, 34, 7, 3, 1] as const;
/** Its square is 0.494: two of them are nearly one. */
const HALF = 90 / 128;

/** Squares of a carrier whose values are `scale` times smaller than their roots' part of the range. */
const squares = (scale: number): Method => {
  const values = (question: Triple): Planted[] => [
    { term: question.c, value: BIG },
    { term: question.a, value: HALF },
    { term: question.b, value: HALF },
    ...elsewhere(question, FILLERS.length).map((term, i) => ({ term, value: FILLERS[i] ?? 0 })),
  ];
  return {
    rest: 0,
    plant: (question) => values(question).map(({ term, value }) => ({ term, value: value * scale })),
    holds: (terms, question) => {
      const planted = values(question);
      const isAsPlanted = planted.every(({ term, value }) => terms[term] === value * value * TOP_ULP);
      return (
        isAsPlanted &&
        areZero(
          terms,
          planted.map(({ term }) => term),
        )
      );
    },
    tells: ({ c }) => c,
  };
};

/** exp(-16.75) is 0.45 of an ulp of 1, and exp of the rest is 0. */
const EXPONENTIALS: Method = {
  rest: -9984,
  plant: ({ a, b, c }) => [
    { term: a, value: -16.75 },
    { term: b, value: -16.75 },
    { term: c, value: 0 },
  ],
  holds: (terms, { a, b, c }) => {
    const [first = 0, second = 0] = [terms[a], terms[b]];
    const isHalf = (value: number): boolean => value > 2 ** -25 && value < 2 ** -24;
    return terms[c] === 1 && isHalf(first) && isHalf(second) && areZero(terms, [a, b, c]);
  },
  tells: ({ c }) => c,
};

const METHODS: readonly Method[] = [SIGNED, squares(2 ** 52), squares(1), EXPONENTIALS];

/** The first terms that a question does not name. */
function elsewhere({ a, b, c }: Triple, count: number): number[] {
  const out: number[] = [];
  for (let term = 0; out.length < count; term++) if (term !== a && term !== b && term !== c) out.push(term);
  return out;
}

function areZero(terms: Float64Array, but: readonly number[]): boolean {
  return terms.every((value, i) => value === 0 || but.includes(i));
}

// --- formulas over rows

/** What inputs beside the carrier may hold: 1 keeps a factor, 0 drops an addend, and -2^64 lifts normalized values to where they overflow. */
const CONSTANTS = [1, 0, -(2 ** 64)] as const;

type Constants = Readonly<Record<string, number>>;

function rowsPlans(problem: Problem, sum: SumNode, shape: Shape): MaskPlan[] {
  const { over } = problem.formula;
  const terms = sizeOf(shape, over);
  if (terms < FILLERS.length + 3) return [];
  const outer = mainOutput(problem).dims.filter((dim) => dim !== over);
  const carriers = Object.entries(problem.inputs).filter(
    ([, { dims, bits, dtype }]) =>
      bits === undefined && isFloat(dtype) && dims.at(-1) === over && outer.every((dim) => dims.includes(dim)),
  );
  const question = { a: 0, b: terms >> 1, c: terms - 1 };
  return carriers.flatMap(([carrier]) =>
    constantsOf(problem, carrier).flatMap((constants) =>
      METHODS.filter((method) => {
        const row = carrierRow(problem, carrier, method, question, terms);
        return (
          row !== undefined && method.holds(termsOf(problem, sum, shape, { ...constants, [carrier]: row }), question)
        );
      }).flatMap((method) =>
        Object.keys(problem.outputs).map((output) => rowsPlan(problem, shape, { carrier, constants, method, output })),
      ),
    ),
  );
}

function constantsOf({ inputs }: Problem, carrier: string): Constants[] {
  return Object.keys(inputs)
    .filter((name) => name !== carrier)
    .reduce<Constants[]>(
      (all, name) => all.flatMap((known) => CONSTANTS.map((value) => ({ ...known, [name]: value }))),
      [{}],
    );
}

/** The carrier's values for a question; undefined where its type does not hold them. */
function carrierRow(
  { inputs }: Problem,
  carrier: string,
  method: Method,
  question: Triple,
  terms: number,
): Float64Array | undefined {
  const dtype = inputs[carrier]?.dtype ?? 'f32';
  const row = new Float64Array(terms).fill(method.rest);
  for (const { term, value } of method.plant(question, terms)) row[term] = value;
  const held = decodeAll(dtype, encodeAll(dtype, row), terms);
  return held.every((value, i) => value === row[i]) ? row : undefined;
}

/** The sum's terms in a row that holds these values. */
function termsOf(
  { graph, inputs, scalars }: Problem,
  sum: SumNode,
  shape: Shape,
  values: Readonly<Record<string, number | Float64Array>>,
): Float64Array {
  const width = values[Object.keys(values).find((name) => typeof values[name] !== 'number') ?? ''];
  const length = typeof width === 'object' ? width.length : 0;
  const bound = Object.keys(inputs).map((name) => {
    const value = values[name] ?? 0;
    return [
      name,
      typeof value === 'number' ? new Float64Array(rankLength(graph, name, length)).fill(value) : value,
    ] as const;
  });
  const slots = valueReader(graph, length)({ inputs: Object.fromEntries(bound), sizes: shape, scalars });
  return slots[sum.arg] ?? new Float64Array(length);
}

function rankLength({ nodes }: Graph, name: string, width: number): number {
  return nodes.some((node) => node.kind === 'input' && node.name === name && node.rank === 'element') ? width : 1;
}

interface RowsChoice {
  readonly carrier: string;
  readonly constants: Constants;
  readonly method: Method;
  readonly output: string;
}

function rowsPlan(problem: Problem, shape: Shape, { carrier, constants, method, output }: RowsChoice): MaskPlan {
  const tensor = problem.inputs[carrier];
  const result = problem.outputs[output];
  if (!tensor || !result) throw new Error(`no tensor ${carrier} or ${output}`);
  const terms = rowLength(tensor, shape);
  const made = lazily(() => ({
    others: Object.entries(constants).map(([name, value]) => [name, filled(problem, name, shape, value)] as const),
    rows: planter(tensor, shape, method.rest),
  }));
  const isRow = result.dims.at(-1) !== problem.formula.over;
  return {
    terms,
    perLaunch: rowCount(tensor, shape),
    output,
    plant: (questions) => {
      const planted = questions.flatMap((question, row) =>
        method.plant(question, terms).map(({ term, value }) => ({ term: row * terms + term, value })),
      );
      const { others, rows } = made();
      return { shape, bytes: { ...Object.fromEntries(others), [carrier]: rows(planted) } };
    },
    witness: (question, row) => (isRow ? row : row * terms + method.tells(question)),
  };
}
