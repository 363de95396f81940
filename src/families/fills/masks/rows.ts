/** Planted magnitudes for formulas over rows: a sum's terms are planted by a method through one input, its carrier. */
import { decodeAll, encodeAll } from '../../../numerics/codec.ts';
import type { Triple } from '../../../numerics/sum-tree.ts';
import { isFloat } from '../../../numerics/dtype.ts';
import type { Graph, Node } from '../../formula/graph.ts';
import { ancestors } from '../../formula/graph.ts';
import { valueReader } from '../../formula/value.ts';
import type { Inputs } from '../../inputs.ts';
import type { Problem } from '../../problem.ts';
import { mainOutput } from '../../problem.ts';
import type { Shape } from '../../tensor.ts';
import { rowCount, rowLength, shapeText, sizeOf } from '../../tensor.ts';
import type { Method } from './methods.ts';
import { METHODS, SIGNED } from './methods.ts';
import type { MaskPlan, Planted } from './plan.ts';
import { filled, inRows, lazily, planter } from './plan.ts';
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

/** What inputs beside the carrier may hold: 1 keeps a factor, 0 drops an addend, and -2^64 lifts normalized values to where they overflow. */
const CONSTANTS = [1, 0, -(2 ** 64)] as const;

type Constants = Readonly<Record<string, number>>;

function rowsPlans(problem: Problem, sum: SumNode, shape: Shape): MaskPlan[] {
  const { over } = problem.formula;
  const terms = sizeOf(shape, over);
  const outer = mainOutput(problem).dims.filter((dim) => dim !== over);
  const carriers = Object.entries(problem.inputs).filter(
    ([, { dims, bits, dtype }]) =>
      bits === undefined && isFloat(dtype) && dims.at(-1) === over && outer.every((dim) => dims.includes(dim)),
  );
  const question = { a: 0, b: terms >> 1, c: terms - 1 };
  const planted = (carrier: string, constants: Constants, method: Method): Float64Array | undefined => {
    const row = terms < method.least ? undefined : carrierRow(problem, carrier, method, question, terms);
    const held = row && termsOf(problem, sum, shape, { ...constants, [carrier]: row });
    return held && method.holds(held, question) ? held : undefined;
  };
  return carriers.flatMap(([carrier]) =>
    constantsOf(problem, carrier).flatMap((constants) =>
      METHODS.flatMap((method) => {
        const held = planted(carrier, constants, method);
        if (!held) return [];
        const keepsPowers = Number.isInteger(Math.log2(held[question.a] ?? 0));
        return Object.keys(problem.outputs).map((output) =>
          rowsPlan(problem, shape, { carrier, constants, method, output, keepsPowers }),
        );
      }),
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
  for (const { term, value } of method.plant(question)) row[term] = value;
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
  readonly keepsPowers: boolean;
}

function rowsPlan(problem: Problem, shape: Shape, choice: RowsChoice): MaskPlan {
  const { carrier, constants, method, output, keepsPowers } = choice;
  const tensor = problem.inputs[carrier];
  const result = problem.outputs[output];
  if (!tensor || !result) throw new Error(`no tensor ${carrier} or ${output}`);
  const terms = rowLength(tensor, shape);
  const made = lazily(() => ({
    others: Object.entries(constants).map(([name, value]) => [name, filled(problem, name, shape, value)] as const),
    rows: planter(tensor, shape, method.rest),
  }));
  const isRow = result.dims.at(-1) !== problem.formula.over;
  const plantTerms = (all: readonly (readonly Planted[])[]): Inputs => {
    const { others, rows } = made();
    return { shape, bytes: { ...Object.fromEntries(others), [carrier]: rows(inRows(all, terms)) } };
  };
  return {
    terms,
    perLaunch: rowCount(tensor, shape),
    output,
    plant: (questions) => plantTerms(questions.map(method.plant)),
    ...(method === SIGNED && { plantTerms, keepsPowers }),
    witness: (question, row) => (isRow ? row : row * terms + method.tells(question)),
  };
}
