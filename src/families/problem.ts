/** A formula together with the tensors it speaks of: all that a family needs to make inputs and to answer them. */
import type { Graph } from './formula/graph.ts';
import { buildGraph } from './formula/graph.ts';
import { splitContraction } from './contraction.ts';
import type { Tensor } from './tensor.ts';

export type FamilyName = 'rows' | 'dense' | 'affine';

/** What a contract states of its arithmetic. */
export interface FormulaText {
  readonly family: FamilyName;
  /** The dimension that rows run along and sums are taken over. */
  readonly over: string;
  readonly text: string;
  /**
   * Affine weights: the kernel sums `scale * Σ(q x) + bias * Σ x` a group instead of `x * (scale * q + bias)`, so its terms do
   * not cancel inside a weight and the magnitude is that of both parts.
   */
  readonly factored?: boolean;
}

export interface Problem {
  readonly formula: FormulaText;
  readonly graph: Graph;
  readonly inputs: Readonly<Record<string, Tensor>>;
  readonly outputs: Readonly<Record<string, Tensor>>;
  /** As the kernel gets them: rounded to fp32. */
  readonly scalars: Readonly<Record<string, number>>;
  readonly dims: readonly string[];
}

/** Reads a formula against its tensors; throws a FormulaError, or an Error that names what does not fit. */
export function problemOf(
  formula: FormulaText,
  inputs: Readonly<Record<string, Tensor>>,
  outputs: Readonly<Record<string, Tensor>>,
  scalars: Readonly<Record<string, number>>,
  dims: readonly string[],
): Problem {
  if (!dims.includes(formula.over))
    throw new Error(`the formula runs over '${formula.over}', which is no dimension: ${dims.join(', ')}`);
  const ranks = Object.entries(inputs).map(([name, tensor]) => {
    const rank = tensor.dims.at(-1) === formula.over ? ('element' as const) : ('row' as const);
    return [name, { rank, dtype: tensor.dtype, ...(tensor.bits !== undefined && { bits: tensor.bits }) }] as const;
  });
  const names = { inputs: Object.fromEntries(ranks), sizes: dims, scalars: Object.keys(scalars) };
  const graph = unroundedOutputs(buildGraph(formula.text, names), outputs);
  const rounded = Object.entries(scalars).map(([name, value]) => [name, Math.fround(value)] as const);
  const problem = { formula, graph, inputs, outputs, scalars: Object.fromEntries(rounded), dims };
  checkOutputs(problem);
  if (formula.family !== 'rows') splitContraction(problem);
  return problem;
}

/**
 * An output that ends in a rounding point of its own type is judged before that point: the comparison rounds to the output's
 * type anyway, and the distance to the unrounded value says how near the bound it is.
 */
function unroundedOutputs(graph: Graph, outputs: Readonly<Record<string, Tensor>>): Graph {
  const names = new Map(graph.names);
  for (const [name, tensor] of Object.entries(outputs)) {
    const node = graph.nodes[names.get(name) ?? -1];
    if (node?.kind === 'point' && node.type === tensor.dtype) names.set(name, node.arg);
  }
  return { ...graph, names };
}

function checkOutputs({ graph, outputs, formula, inputs }: Problem): void {
  for (const [name, tensor] of Object.entries(outputs)) {
    const node = graph.nodes[graph.names.get(name) ?? -1];
    if (!node) throw new Error(`the formula never assigns the output '${name}': ${formula.text}`);
    const element = tensor.dims.at(-1) === formula.over;
    if (formula.family === 'rows' && (node.rank === 'element') !== element) {
      const should = element ? `element of ${formula.over}` : 'row';
      throw new Error(
        `output '${name}' holds one value for each ${should}, but the formula gives one for each ${node.rank}`,
      );
    }
  }
  for (const name of Object.keys(inputs)) {
    const used = graph.nodes.some((node) => node.kind === 'input' && node.name === name);
    if (!used) throw new Error(`the formula never uses the input '${name}': ${formula.text}`);
  }
}

/** The output that gives an answer its rows: the one with the most dimensions. */
export function mainOutput(problem: Problem): Tensor {
  const tensors = Object.values(problem.outputs);
  const [first, ...rest] = tensors;
  if (!first) throw new Error('a contract needs at least one output');
  return rest.reduce((best, tensor) => (tensor.dims.length > best.dims.length ? tensor : best), first);
}
