/** The answers to a case: its float64 reference, the range each output may lie in, and its replay in another accumulator. */
import type { Accumulator, Order } from '../numerics/orders.ts';
import { replaySum } from '../numerics/orders.ts';
import type { Contraction } from './contraction.ts';
import { SUMS, contract, formulaOverSums, operand, splitContraction, sumRanges } from './contraction.ts';
import { flushedAway } from './flushed.ts';
import type { Graph } from './formula/graph.ts';
import type { Arithmetic, Ends } from './formula/range.ts';
import { flushEnds, rangeReader } from './formula/range.ts';
import type { RowBinding, SumRule } from './formula/value.ts';
import { plainSum, valueReader } from './formula/value.ts';
import type { Inputs } from './inputs.ts';
import { bytesFor, readRow, rowIndexer } from './inputs.ts';
import type { Problem } from './problem.ts';
import { mainOutput } from './problem.ts';
import { elementCount, rowCount, sizeOf } from './tensor.ts';

/** One float64 value for each element of each output. */
export type Values = Readonly<Record<string, Float64Array>>;
export type Ranges = Readonly<Record<string, Ends>>;

/** A formula ready to be read row by row. */
interface Sweep {
  readonly graph: Graph;
  readonly width: number;
  readonly rows: number;
  readonly bind: (row: number) => RowBinding;
}

/** The float64 value of every output, rounding points included. */
export function reference(problem: Problem, inputs: Inputs): Values {
  return readValues(problem, inputs, sweepOf(problem, inputs), plainSum);
}

/** The range that each output may lie in. The ends are not yet rounded to the output's type. */
export function ranges(problem: Problem, inputs: Inputs, arithmetic: Arithmetic): Ranges {
  const sweep = sweepOf(problem, inputs, arithmetic);
  const read = rangeReader(sweep.graph, sweep.width);
  const out = emptyOutputs(problem, inputs, (count) => ({ lo: new Float64Array(count), hi: new Float64Array(count) }));
  for (let row = 0; row < sweep.rows; row++) {
    const ends = read(sweep.bind(row), arithmetic);
    for (const name of Object.keys(problem.outputs)) {
      const from = ends[nodeOf(sweep.graph, name)];
      if (!from) continue;
      out[name]?.lo.set(from.lo, row * from.lo.length);
      out[name]?.hi.set(from.hi, row * from.hi.length);
    }
  }
  if (arithmetic.flush)
    for (const [name, { dtype }] of Object.entries(problem.outputs)) if (out[name]) flushEnds(dtype, out[name]);
  return out;
}

/** Every output with its sums taken in another accumulator and order; all other steps in float64. */
export function replay(problem: Problem, inputs: Inputs, accumulator: Accumulator, order: Order): Values {
  return replayBy(problem, inputs, (terms) => replaySum(terms.map(Math.fround), accumulator, order));
}

/** Every output with its sums taken by a rule, which a formula over rows asks for each of its sums in turn, row by row. */
export function replayBy(problem: Problem, inputs: Inputs, sum: SumRule): Values {
  return readValues(problem, inputs, sweepOf(problem, inputs, undefined, sum), sum);
}

function readValues(problem: Problem, inputs: Inputs, sweep: Sweep, sum: SumRule): Values {
  const read = valueReader(sweep.graph, sweep.width);
  const out = emptyOutputs(problem, inputs, (count) => new Float64Array(count));
  for (let row = 0; row < sweep.rows; row++) {
    const slots = read(sweep.bind(row), sum);
    for (const name of Object.keys(problem.outputs)) {
      const from = slots[nodeOf(sweep.graph, name)];
      if (from) out[name]?.set(from, row * from.length);
    }
  }
  return out;
}

function nodeOf(graph: Graph, name: string): number {
  return graph.names.get(name) ?? -1;
}

function emptyOutputs<T>(problem: Problem, inputs: Inputs, make: (count: number) => T): Record<string, T> {
  const entries = Object.entries(problem.outputs);
  return Object.fromEntries(entries.map(([name, tensor]) => [name, make(elementCount(tensor, inputs.shape))]));
}

function sweepOf(problem: Problem, inputs: Inputs, arithmetic?: Arithmetic, sum?: SumRule): Sweep {
  if (problem.formula.family === 'rows') return rowsSweep(problem, inputs);
  const contraction = splitContraction(problem);
  return projectionSweep(problem, contraction, inputs, arithmetic, sum);
}

function rowsSweep(problem: Problem, inputs: Inputs): Sweep {
  const { shape } = inputs;
  const { over } = problem.formula;
  const main = mainOutput(problem);
  const outer = main.dims.filter((dim) => dim !== over);
  const readers = Object.entries(problem.inputs).map(([name, tensor]) => {
    const perRow = tensor.dims.at(-1) === over;
    const index = rowIndexer(perRow ? tensor : { ...tensor, dims: [...tensor.dims, over] }, outer, shape);
    const whole = perRow
      ? undefined
      : readRow({ ...tensor, dims: ['#all'] }, { '#all': elementCount(tensor, shape) }, bytesFor(inputs, name), 0);
    const read = (row: number): Float64Array =>
      whole ? whole.subarray(index(row), index(row) + 1) : readRow(tensor, shape, bytesFor(inputs, name), index(row));
    return { name, read };
  });
  const rows = outer.reduce((product, dim) => product * sizeOf(shape, dim), 1);
  const bind = (row: number): RowBinding => ({
    inputs: Object.fromEntries(readers.map(({ name, read }) => [name, read(row)])),
    sizes: shape,
    scalars: problem.scalars,
  });
  return { graph: problem.graph, width: sizeOf(shape, over), rows, bind };
}

function projectionSweep(
  problem: Problem,
  contraction: Contraction,
  inputs: Inputs,
  arithmetic: Arithmetic | undefined,
  sum: SumRule | undefined,
): Sweep {
  const { shape } = inputs;
  const width = sizeOf(shape, contraction.columns);
  const rows = rowCount(mainOutput(problem), shape);
  const exact = sum ? undefined : contract(problem, contraction, inputs);
  const values = exact?.values ?? replayedSums(problem, contraction, inputs, sum ?? plainSum);
  const flushed = arithmetic?.flush ? flushedAway(problem, contraction, inputs) : null;
  const spread =
    arithmetic && exact && sumRanges(exact, contraction, sizeOf(shape, problem.formula.over), arithmetic, flushed);
  const others = Object.entries(problem.inputs).filter(([, tensor]) => tensor.dims.at(-1) !== problem.formula.over);
  const bind = (row: number): RowBinding => {
    const from = row * width;
    const bound = others.map(([name, tensor]) => {
      const index = rowIndexer(tensor, [contraction.rows], shape)(row);
      return [name, readRow(tensor, shape, bytesFor(inputs, name), index)] as const;
    });
    const sums = { [SUMS]: values.subarray(from, from + width) };
    const ranged = spread && {
      [SUMS]: { lo: spread.lo.subarray(from, from + width), hi: spread.hi.subarray(from, from + width) },
    };
    const binding = { inputs: { ...Object.fromEntries(bound), ...sums }, sizes: shape, scalars: problem.scalars };
    return ranged ? { ...binding, ranges: ranged } : binding;
  };
  return { graph: formulaOverSums(problem, contraction), width, rows, bind };
}

function replayedSums(problem: Problem, contraction: Contraction, inputs: Inputs, sum: SumRule): Float64Array {
  const rows = sizeOf(inputs.shape, contraction.rows);
  const columns = sizeOf(inputs.shape, contraction.columns);
  const out = new Float64Array(rows * columns);
  const left = operand(problem, inputs, contraction.left, contraction.rows);
  const right = operand(problem, inputs, contraction.right, contraction.columns);
  const a = Array.from({ length: rows }, (_, r) => left(r).values);
  for (let n = 0; n < columns; n++) {
    const b = right(n).values;
    a.forEach((x, r) => {
      out[r * columns + n] = sum(x.map((value, i) => value * (b[i] ?? 0)));
    });
  }
  return out;
}
