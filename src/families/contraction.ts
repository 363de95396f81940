/**
 * Projections: `y[r, n] = f(Σ_k A[r, k] · B[n, k])`. The one sum(A * B) of the formula is split off and taken as a blocked
 * float64 product together with its magnitude Σ|A|·|B|; what remains is a formula over each output row.
 */
import { gamma } from '../numerics/bound.ts';
import type { Graph, Node } from './formula/graph.ts';
import { ancestors } from './formula/graph.ts';
import type { Arithmetic } from './formula/range.ts';
import { valueReader } from './formula/value.ts';
import type { Inputs } from './inputs.ts';
import { bytesFor, readRow } from './inputs.ts';
import type { Problem } from './problem.ts';
import { sizeOf } from './tensor.ts';

/** The name under which a row's sums enter the formula that follows. */
export const SUMS = '#sums';

export interface Contraction {
  readonly sumId: number;
  readonly left: number;
  readonly right: number;
  /** Dimensions of the output: rows of A, then rows of B. */
  readonly rows: string;
  readonly columns: string;
  /** fp32 roundings on a term's way into the sum. */
  readonly termRoundings: number;
}

/** Finds the sum(A * B) of a projection's formula; throws an Error that says what is missing. */
export function splitContraction(problem: Problem): Contraction {
  const { graph, formula } = problem;
  const sums = graph.nodes.filter((node) => node.kind === 'reduce');
  const sum = sums[0];
  const product = sum && graph.nodes[sum.arg];
  if (sums.length !== 1 || sum?.op !== 'sum' || product?.kind !== 'map' || product.op !== 'mul') {
    throw new Error(`a ${formula.family} formula holds exactly one sum(A * B): ${formula.text}`);
  }
  const [rows, columns] = Object.values(problem.outputs)[0]?.dims ?? [];
  if (rows === undefined || columns === undefined)
    throw new Error(`a ${formula.family} output has two dimensions, rows and columns`);
  const [first = 0, second = 0] = product.args;
  const firstIsRight = dimsOf(problem, first).has(columns);
  const [left, right] = firstIsRight ? [second, first] : [first, second];
  if (dimsOf(problem, left).has(columns) || dimsOf(problem, right).has(rows)) {
    throw new Error(
      `in sum(A * B) one side has the rows (${rows}), the other the columns (${columns}): ${formula.text}`,
    );
  }
  return { sumId: sum.id, left, right, rows, columns, termRoundings: termRoundings(problem, product) };
}

function dimsOf({ graph, inputs }: Problem, root: number): Set<string> {
  const dims = new Set<string>();
  for (const id of ancestors(graph, root)) {
    const node = graph.nodes[id];
    if (node?.kind === 'input') for (const dim of inputs[node.name]?.dims ?? []) dims.add(dim);
  }
  return dims;
}

/** Inexact steps of the term itself; the factored form adds the products by scale and bias and the sum of the two. */
function termRoundings({ graph, formula }: Problem, product: Node): number {
  const steps = [...ancestors(graph, product.id)].map((id) => graph.nodes[id]);
  const inexact = steps.filter((node) => node?.kind === 'map' && node.significand > 24).length;
  return inexact + (formula.factored ? 2 : 0);
}

/** The formula after the sums, over one output row: the sum node becomes an element input. */
export function formulaOverSums({ graph }: Problem, { sumId }: Contraction): Graph {
  const below = ancestors(graph, sumId);
  const nodes = graph.nodes.map((node): Node => {
    if (node.id === sumId) {
      return { kind: 'input', name: SUMS, id: node.id, rank: 'element', text: node.text, significand: 53 };
    }
    if (below.has(node.id))
      return { kind: 'constant', value: 0, id: node.id, rank: 'row', text: node.text, significand: 24 };
    return node.kind === 'constant' || node.kind === 'size' || node.kind === 'scalar'
      ? node
      : { ...node, rank: 'element' };
  });
  return { text: graph.text, nodes, names: graph.names };
}

/** Σ A·B and Σ |A|·|B| for every output, row-major. */
export interface Sums {
  readonly values: Float64Array;
  readonly magnitudes: Float64Array;
}

const cache = new WeakMap<Inputs, Map<string, Sums>>();

/** The sums of a case in float64, taken once for each formula. */
export function contract(problem: Problem, contraction: Contraction, inputs: Inputs): Sums {
  const taken = cache.get(inputs) ?? new Map<string, Sums>();
  const known = taken.get(problem.graph.text);
  if (known) return known;
  const rows = sizeOf(inputs.shape, contraction.rows);
  const columns = sizeOf(inputs.shape, contraction.columns);
  const sums = { values: new Float64Array(rows * columns), magnitudes: new Float64Array(rows * columns) };
  const left = operand(problem, inputs, contraction.left, contraction.rows);
  const a = Array.from({ length: rows }, (_, r) => left(r));
  const right = operand(problem, inputs, contraction.right, contraction.columns);
  for (let n = 0; n < columns; n++) {
    const b = right(n);
    for (let r = 0; r < rows; r += 4) dotRows(a, r, Math.min(4, rows - r), b, sums, columns, n);
  }
  cache.set(inputs, taken.set(problem.graph.text, sums));
  return sums;
}

/** One operand's rows: exact values, and the magnitudes that the kernel's own form of them sums. */
export interface OperandRow {
  readonly values: Float64Array;
  readonly magnitudes: Float64Array;
}

/** Evaluates one side of the product a row at a time, from the inputs, each value of which `flush` may change. */
export function operand(
  problem: Problem,
  inputs: Inputs,
  root: number,
  dim: string,
  flush?: (value: number) => number,
): (row: number) => OperandRow {
  const { graph } = problem;
  const width = sizeOf(inputs.shape, problem.formula.over);
  const wanted = ancestors(graph, root);
  const readers = graph.nodes.flatMap((node) => {
    if (node.kind !== 'input' || !wanted.has(node.id)) return [];
    const tensor = problem.inputs[node.name];
    if (!tensor) throw new Error(`no input ${node.name}`);
    const bytes = bytesFor(inputs, node.name);
    return [
      {
        name: node.name,
        read: (row: number) => {
          const values = readRow(tensor, inputs.shape, bytes, tensor.dims.includes(dim) ? row : 0);
          return flush ? values.map(flush) : values;
        },
      },
    ];
  });
  const [only] = readers;
  if (graph.nodes[root]?.kind === 'input' && only) {
    return (row) => {
      const values = only.read(row);
      return { values, magnitudes: absolute(values) };
    };
  }
  const nodes = graph.nodes.map((node): Node =>
    wanted.has(node.id) ? node : { ...node, kind: 'constant', value: 0, rank: 'row' },
  );
  const evaluate = valueReader({ ...graph, nodes }, width);
  return (row) => {
    const bound = Object.fromEntries(readers.map(({ name, read }) => [name, read(row)]));
    const slots = evaluate({ inputs: bound, sizes: inputs.shape, scalars: problem.scalars });
    const values = (slots[root] ?? new Float64Array(width)).slice();
    return { values, magnitudes: problem.formula.factored ? triangle(graph, root, slots, width) : absolute(values) };
  };
}

function absolute(values: Float64Array): Float64Array {
  const out = new Float64Array(values.length);
  for (let i = 0; i < out.length; i++) out[i] = Math.abs(values[i] as number);
  return out;
}

/** |a| + |b| for a sum and |a|·|b| for a product, down to the inputs: what the parts weigh when they do not cancel. */
function triangle(graph: Graph, id: number, slots: readonly Float64Array[], width: number): Float64Array {
  const node = graph.nodes[id];
  const out = new Float64Array(width);
  const own = slots[id] ?? out;
  if (node?.kind !== 'map' || !['add', 'sub', 'mul'].includes(node.op)) {
    for (let i = 0; i < width; i++) out[i] = Math.abs(own[own.length === 1 ? 0 : i] ?? 0);
    return out;
  }
  const a = triangle(graph, node.args[0] ?? 0, slots, width);
  const b = triangle(graph, node.args[1] ?? 0, slots, width);
  for (let i = 0; i < width; i++) out[i] = node.op === 'mul' ? (a[i] ?? 0) * (b[i] ?? 0) : (a[i] ?? 0) + (b[i] ?? 0);
  return out;
}

/** Four rows at a time share each element of b; the rest go one by one. */
function dotRows(
  a: readonly OperandRow[],
  from: number,
  count: number,
  b: OperandRow,
  sums: Sums,
  stride: number,
  n: number,
): void {
  const at = from * stride + n;
  for (const part of PARTS) {
    const [p, q, s, t] = [a[from]?.[part], a[from + 1]?.[part], a[from + 2]?.[part], a[from + 3]?.[part]];
    if (count === 4 && p && q && s && t) dotFour(p, q, s, t, b[part], sums[part], at, stride);
    else for (let r = 0; r < count; r++) sums[part][at + r * stride] = dot(a[from + r]?.[part] ?? b[part], b[part]);
  }
}

const PARTS = ['values', 'magnitudes'] as const;

/** Four accumulators hide the latency of the addition. Indices stay inside, so no element is checked: this is the hot loop. */
function dot(a: Float64Array, b: Float64Array): number {
  let [s0, s1, s2, s3] = [0, 0, 0, 0];
  const whole = b.length & ~3;
  for (let i = 0; i < whole; i += 4) {
    s0 += (a[i] as number) * (b[i] as number);
    s1 += (a[i + 1] as number) * (b[i + 1] as number);
    s2 += (a[i + 2] as number) * (b[i + 2] as number);
    s3 += (a[i + 3] as number) * (b[i + 3] as number);
  }
  for (let i = whole; i < b.length; i++) s0 += (a[i] as number) * (b[i] as number);
  return s0 + s1 + (s2 + s3);
}

function dotFour(
  p: Float64Array,
  q: Float64Array,
  s: Float64Array,
  t: Float64Array,
  w: Float64Array,
  out: Float64Array,
  at: number,
  stride: number,
): void {
  let [s0, s1, s2, s3] = [0, 0, 0, 0];
  for (let i = 0; i < w.length; i++) {
    const x = w[i] as number;
    s0 += (p[i] as number) * x;
    s1 += (q[i] as number) * x;
    s2 += (s[i] as number) * x;
    s3 += (t[i] as number) * x;
  }
  out[at] = s0;
  out[at + stride] = s1;
  out[at + 2 * stride] = s2;
  out[at + 3 * stride] = s3;
}

/** What a product, or the rounding of a term, loses below fp32's least subnormal, or below its least normal where that is flushed. */
const LOST = { kept: 2 ** -150, flushed: 2 ** -126 };

/**
 * The range of each sum: gamma of the chain and of the term's own roundings, times the magnitude, and what underflow takes
 * from each term, operands that are `flushed` among it. A zero may have either sign, as the sum may start at its first term or at 0.
 */
export function sumRanges(
  sums: Sums,
  contraction: Contraction,
  width: number,
  arithmetic: Arithmetic,
  flushed: Float64Array | null,
): { lo: Float64Array; hi: Float64Array } {
  const share = gamma(arithmetic.depth + contraction.termRoundings) + width * 2 ** -53;
  const lost = width * (contraction.termRoundings + 1) * (arithmetic.flush ? LOST.flushed : LOST.kept);
  const lo = new Float64Array(sums.values.length);
  const hi = new Float64Array(sums.values.length);
  for (let i = 0; i < lo.length; i++) {
    const value = sums.values[i] ?? 0;
    const magnitude = sums.magnitudes[i] ?? 0;
    const exact = arithmetic.exactIntegerSums === true && Number.isInteger(value) && magnitude < 2 ** 24;
    const error = exact || magnitude === 0 ? 0 : share * magnitude + lost + (flushed?.[i] ?? 0);
    lo[i] = value - error || -0;
    hi[i] = value + error || 0;
  }
  return { lo, hi };
}
