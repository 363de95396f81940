/** Planted magnitudes for projections: the signed method, one output element a question. */
import { splitContraction } from '../../contraction.ts';
import type { Triple } from '../../../numerics/sum-tree.ts';
import type { Node } from '../../formula/graph.ts';
import type { Inputs } from '../../inputs.ts';
import type { Problem } from '../../problem.ts';
import type { Shape, Tensor } from '../../tensor.ts';
import { byteCount, rowLength, sizeOf } from '../../tensor.ts';
import type { MaskPlan, Planted } from './plan.ts';
import { filled, inRows, planter, signed } from './plan.ts';
import { putCode } from '../exact.ts';

export function projectionPlans(problem: Problem, shape: Shape): MaskPlan[] {
  const { left, right, rows, columns } = splitContraction(problem);
  const [output] = Object.keys(problem.outputs);
  const [first, second] = [left, right].map((id) => problem.graph.nodes[id]);
  if (output === undefined || first?.kind !== 'input') return [];
  if (second?.kind === 'input')
    return [
      plainPlan(problem, shape, output, { carrier: second.name, other: first.name, dim: columns }),
      plainPlan(problem, shape, output, { carrier: first.name, other: second.name, dim: rows }),
    ];
  const weights = second && weightsOf(problem, second);
  // Half holds no bias that is faint.
  if (problem.formula.factored === true && Object.values(problem.inputs).some(({ dtype }) => dtype === 'f16'))
    return [];
  return weights ? [affinePlan(problem, shape, output, first.name, weights)] : [];
}

/** Questions along the dimension `dim` of one operand; the other holds 1. */
function plainPlan(
  problem: Problem,
  shape: Shape,
  output: string,
  { carrier, other, dim }: { readonly carrier: string; readonly other: string; readonly dim: string },
): MaskPlan {
  const tensor = tensorOf(problem, carrier);
  const terms = rowLength(tensor, shape);
  const plants = planter(tensor, shape, 0);
  const ones = filled(problem, other, shape, 1);
  const columns = sizeOf(shape, splitContraction(problem).columns);
  const isColumn = dim === splitContraction(problem).columns;
  const plantTerms = (rows: readonly (readonly Planted[])[]): Inputs => ({
    shape,
    bytes: { [other]: ones, [carrier]: plants(inRows(rows, terms)) },
  });
  return {
    terms,
    perLaunch: sizeOf(shape, dim),
    output,
    plant: (questions) => plantTerms(questions.map(signed)),
    plantTerms,
    keepsPowers: true,
    witness: (_, i) => (isColumn ? i : i * columns),
  };
}

// --- affine weights: scale · q + bias

interface Weights {
  readonly scale: string;
  readonly codes: string;
  readonly bias: string;
}

function weightsOf({ graph, inputs }: Problem, node: Node): Weights | undefined {
  if (node.kind !== 'map' || node.op !== 'add') return undefined;
  const [product, addend] = node.args.map((id) => graph.nodes[id]);
  if (product?.kind !== 'map' || product.op !== 'mul' || addend?.kind !== 'input') return undefined;
  const factors = product.args
    .map((id) => graph.nodes[id])
    .flatMap((factor) => (factor?.kind === 'input' ? [factor.name] : []));
  const codes = factors.find((name) => inputs[name]?.bits !== undefined);
  const scale = factors.find((name) => name !== codes);
  return codes !== undefined && scale !== undefined ? { scale, codes, bias: addend.name } : undefined;
}

/** A bias so small that what it multiplies is lost beside any unit, unless x is as much larger. */
const FAINT = 2 ** -60;

/**
 * Terms 0 to K - 1 are x · bias. Where the kernel sums codes apart from x, terms K to 2K - 1 are x · scale · q: x enters both
 * sums, so the bias is faint, and an x meant for its own term is as much larger and has the code 0. Question i is asked of row i
 * and column i.
 */
function affinePlan(problem: Problem, shape: Shape, output: string, x: string, weights: Weights): MaskPlan {
  const { rows, columns } = splitContraction(problem);
  const { scale, codes, bias } = weights;
  const factored = problem.formula.factored === true;
  const tensor = tensorOf(problem, x);
  const width = rowLength(tensor, shape);
  const plantX = planter(tensor, shape, 0);
  const plantScale = planter(tensorOf(problem, scale), shape, 1);
  const plantCodes = codePlanter(tensorOf(problem, codes), shape);
  const biases = filled(problem, bias, shape, factored ? FAINT : 1);
  const layout = {
    width,
    group: tensorOf(problem, scale).group ?? width,
    code: 2 ** ((tensorOf(problem, codes).bits ?? 1) - 1),
  };
  const plantTerms = (planted: readonly (readonly Planted[])[]): Inputs => {
    const places = planted.map((row) => (factored ? factoredPlaces(row, layout) : { x: row, codes: [], scale: [] }));
    const all = (part: keyof Places, row: number): Planted[] =>
      inRows(
        places.map((place) => place[part]),
        row,
      );
    const bytes = { [x]: plantX(all('x', width)), [codes]: plantCodes(all('codes', width)) };
    return { shape, bytes: { ...bytes, [scale]: plantScale(all('scale', width / layout.group)), [bias]: biases } };
  };
  return {
    terms: factored ? 2 * width : width,
    perLaunch: Math.min(sizeOf(shape, rows), sizeOf(shape, columns)),
    output,
    asks: (question) => !factored || isAskable(question, layout),
    plant: (questions) => plantTerms(questions.map(signed)),
    plantTerms,
    keepsPowers: true,
    witness: (_, i) => i * sizeOf(shape, columns) + i,
  };
}

interface Layout {
  readonly width: number;
  /** Neighbours that share a scale. */
  readonly group: number;
  /** The highest code of one bit. */
  readonly code: number;
}

/** What a question plants into a row of x, and into a column's codes and scales. */
interface Places {
  readonly x: readonly Planted[];
  readonly codes: readonly Planted[];
  readonly scale: readonly Planted[];
}

/** The one x that has both of its terms planted, and what they hold. */
function sharedOf(
  planted: readonly Planted[],
  { width }: Layout,
): { at: number; bias: number; code: number } | undefined {
  for (const { term, value } of planted) {
    const other = planted.find((one) => one.term === term + width);
    if (other) return { at: term, bias: value, code: other.value };
  }
  return undefined;
}

/**
 * Where x has both terms, its group's scale is what makes its code's term of it. A third term of that group's codes then has a
 * high code, so that its own bias term is at most an eighth of it; which does not do where it is to be 2^28 times as large.
 */
function factoredPlaces(planted: readonly Planted[], layout: Layout): Places {
  const { width, group, code } = layout;
  const shared = sharedOf(planted, layout);
  const groupOf = (at: number): number => Math.floor(at / group);
  const scale = shared ? (FAINT * shared.code) / shared.bias : 1;
  const x: Planted[] = [];
  const codes: Planted[] = [];
  for (const { term, value } of planted) {
    const at = term % width;
    if (at !== term)
      codes.push({ term: at, value: shared && at !== shared.at && groupOf(at) === groupOf(shared.at) ? code : 1 });
    if (at === term) x.push({ term, value: value / FAINT });
    else if (shared && at !== shared.at && groupOf(at) === groupOf(shared.at))
      x.push({ term: at, value: value / scale / code });
    else if (at !== shared?.at) x.push({ term: at, value });
  }
  return { x, codes, scale: shared ? [{ term: groupOf(shared.at), value: scale }] : [] };
}

function isAskable(question: Triple, layout: Layout): boolean {
  const shared = sharedOf(signed(question), layout);
  if (!shared || Math.abs(shared.bias) <= Math.abs(shared.code)) return true;
  const third = [question.a, question.b, question.c].find((term) => term % layout.width !== shared.at) ?? 0;
  const groupOf = (at: number): number => Math.floor(at / layout.group);
  return third < layout.width || groupOf(third % layout.width) !== groupOf(shared.at);
}

/** Plants codes into zeros, and takes out those of the call before. */
function codePlanter(tensor: Tensor, shape: Shape): (planted: readonly Planted[]) => Uint8Array {
  const bytes = new Uint8Array(new ArrayBuffer(byteCount(tensor, shape)));
  const bits = tensor.bits ?? 1;
  return (planted) => {
    bytes.fill(0);
    for (const { term, value } of planted) putCode(bytes, 0, term * bits, value);
    return bytes;
  };
}

function tensorOf({ inputs }: Problem, name: string): Tensor {
  const tensor = inputs[name];
  if (!tensor) throw new Error(`no input ${name}`);
  return tensor;
}
