/** A formula read as its float64 value, rounding points included. NaN and infinities behave as IEEE arithmetic says. */
import { round } from '../../numerics/codec.ts';
import type { Graph, Node } from './graph.ts';
import type { MapName, ReductionName } from './functions.ts';

/** What a row gives to the names of a formula. Element inputs have a row's length, row inputs length 1. */
export interface RowBinding {
  readonly inputs: Readonly<Record<string, Float64Array>>;
  readonly sizes: Readonly<Record<string, number>>;
  readonly scalars: Readonly<Record<string, number>>;
  /** Inputs that are ranges already: what a projection's sums may be, for the formula over them. */
  readonly ranges?: Readonly<Record<string, { readonly lo: Float64Array; readonly hi: Float64Array }>>;
}

export type Slots = readonly Float64Array[];

/** How sums are taken; the float64 reading adds in order, a replay adds in another accumulator. */
export type SumRule = (terms: Float64Array) => number;

export const plainSum: SumRule = (terms) => {
  let sum = 0;
  for (let i = 0; i < terms.length; i++) sum += terms[i] as number;
  return sum;
};

/** Prepares the evaluation of rows of `width` elements: the buffers are made once and reused for every row. */
export function valueReader(graph: Graph, width: number): (row: RowBinding, sum?: SumRule) => Slots {
  const slots = graph.nodes.map((node) => new Float64Array(node.rank === 'element' ? width : 1));
  return (row, sum = plainSum) => {
    graph.nodes.forEach((node, id) => {
      const out = slots[id];
      if (out) evaluate(node, row, slots, out, sum);
    });
    return slots;
  };
}

function evaluate(node: Node, row: RowBinding, slots: Slots, out: Float64Array, sum: SumRule): void {
  const slot = (id: number): Float64Array => slots[id] ?? out;
  switch (node.kind) {
    case 'input':
      return out.set(row.inputs[node.name] ?? []);
    case 'size':
      return void out.fill(row.sizes[node.name] ?? Number.NaN);
    case 'scalar':
      return void out.fill(row.scalars[node.name] ?? Number.NaN);
    case 'constant':
      return void out.fill(node.value);
    case 'point': {
      const arg = slot(node.arg);
      for (let i = 0; i < out.length; i++) out[i] = round(node.type, arg[i] as number);
      return;
    }
    case 'reduce':
      out[0] = reduce(node.op, slot(node.arg), sum);
      return;
    case 'map':
      return map(node.op, slot(node.args[0] ?? 0), slot(node.args[1] ?? node.args[0] ?? 0), out);
  }
}

function reduce(op: ReductionName, terms: Float64Array, sum: SumRule): number {
  if (op === 'sum') return sum(terms);
  if (op === 'mean') return sum(terms) / terms.length;
  return extreme(op, terms);
}

/** Largest or least of the terms; a NaN among them is the answer. */
export function extreme(op: 'max' | 'min', terms: Float64Array): number {
  let best = op === 'max' ? -Infinity : Infinity;
  for (let i = 0; i < terms.length; i++)
    best = op === 'max' ? Math.max(best, terms[i] as number) : Math.min(best, terms[i] as number);
  return best;
}

/** relu as float64 has it: a NaN stays. */
export const relu = (x: number): number => (x < 0 ? 0 : x);
export const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));

export const UNARY: Readonly<Partial<Record<MapName, (x: number) => number>>> = {
  neg: (x) => -x,
  abs: Math.abs,
  relu,
  sqrt: Math.sqrt,
  rsqrt: (x) => 1 / Math.sqrt(x),
  rcp: (x) => 1 / x,
  exp: Math.exp,
  log: Math.log,
  tanh: Math.tanh,
  sigmoid,
};

/** Elementwise; a row value is broadcast by masking its index to 0. */
function map(op: MapName, a: Float64Array, b: Float64Array, out: Float64Array): void {
  const n = out.length;
  const p = a.length === 1 ? 0 : -1;
  const q = b.length === 1 ? 0 : -1;
  const f = UNARY[op];
  if (f) for (let i = 0; i < n; i++) out[i] = f(a[i & p] as number);
  else if (op === 'add') for (let i = 0; i < n; i++) out[i] = (a[i & p] as number) + (b[i & q] as number);
  else if (op === 'sub') for (let i = 0; i < n; i++) out[i] = (a[i & p] as number) - (b[i & q] as number);
  else if (op === 'mul') for (let i = 0; i < n; i++) out[i] = (a[i & p] as number) * (b[i & q] as number);
  else if (op === 'div') for (let i = 0; i < n; i++) out[i] = (a[i & p] as number) / (b[i & q] as number);
  else if (op === 'max') for (let i = 0; i < n; i++) out[i] = Math.max(a[i & p] as number, b[i & q] as number);
  else if (op === 'min') for (let i = 0; i < n; i++) out[i] = Math.min(a[i & p] as number, b[i & q] as number);
}
