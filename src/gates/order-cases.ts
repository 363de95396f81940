/**
 * Gate 2's cases for sums whose order a 16-bit output hardly shows: another order moves a fp32 sum by a unit or two in its last
 * place, and that moves one output in some hundred thousand. Of many rows a case takes those that have an output nearest to where
 * it rounds the other way, and rows in which two values that swallow all others cancel.
 */
import { reference } from '../families/answer.ts';
import type { FillName } from '../families/fills/ordinary.ts';
import { cancels, ordinaryInputs } from '../families/fills/ordinary.ts';
import type { Graph } from '../families/formula/graph.ts';
import { ancestors, interiorPoints } from '../families/formula/graph.ts';
import type { Inputs } from '../families/inputs.ts';
import { bytesFor } from '../families/inputs.ts';
import type { Problem } from '../families/problem.ts';
import { mainOutput } from '../families/problem.ts';
import type { Shape } from '../families/tensor.ts';
import { rowCount, rowLength, shapeText, sizeOf } from '../families/tensor.ts';
import { bytesOf, isFloat } from '../numerics/dtype.ts';
import { ulp } from '../numerics/ulp.ts';
import type { Contract } from '../spec/contract.ts';
import type { Kernel } from '../spec/registration.ts';
import { stretch, tailShapes } from '../spec/shapes.ts';
import type { Bench, GateCase } from './case.ts';
import { CaseData } from './case.ts';
import type { Outcome } from './finding.ts';
import type { PlacedRow } from './rows.ts';
import { joinRows } from './rows.ts';
import { firstRun, repeats } from './runs.ts';
import type { Subject } from './subject.ts';

/** Rows that a case takes, where the envelope has as many, and the share of them that cancels. */
const ROWS = 112;
const CANCELLING = 1 / 7;
/** Elements of which rows are taken at once, none of them repeated, and how often: l2 norms of bf16 values are the least telling. */
const ELEMENTS = 1 << 20;
const LOOKS = 8;
/** A unit of fp32's last place: a row that is this near to a tie is taken as telling. */
const NEAR = 2 ** -24;

/** A case for each route that sums rows into outputs of 16 bits; none where every order shows. */
export function orderCases({ contract, problem }: Kernel, seed: string): GateCase[] {
  const fills = levelled(contract);
  const [outer] = Object.values(contract.outputs)[0]?.dims ?? [];
  if (fills === undefined || !problem || outer === undefined) return [];
  return tailShapes(contract).map((tail) => {
    const shape = stretch(contract, tail, outer, ROWS);
    const label = `${shapeText(shape)},data=orders`;
    const prepare = (): CaseData => {
      const make = (look: number): Inputs =>
        ordinaryInputs(
          contract.inputs,
          lookedAt(problem, shape, outer),
          fills,
          `${seed}:${contract.name}:${label},${look}`,
        );
      return new CaseData(tellingInputs(problem, outer, sizeOf(shape, outer), make));
    };
    return { label, shape, mode: 'plain' as const, prepare, judge: judgeOrder };
  });
}

/** What stands in for a fill in rows that are summed: of any finite data, and of what exponentials are taken of. */
const LEVELLED: Partial<Readonly<Record<FillName, FillName>>> = {
  signed: 'levels',
  normal: 'levels',
  logits: 'log-levels',
};

/**
 * The fills of a contract with the rows that it sums levelled, and with zeros for what is added to a row of results, which would
 * hide small ones; undefined where it sums no such row, or into fp32.
 */
function levelled({ accumulator, formula, inputs, outputs, fills = {} }: Contract): Contract['fills'] | undefined {
  const isNarrow = Object.values(outputs).every(({ dtype }) => isFloat(dtype) && bytesOf(dtype) === 2);
  if (accumulator !== 'f32' || formula.family !== 'rows' || !isNarrow) return undefined;
  const other = Object.entries(inputs).flatMap(([name, { dims, bits }]) => {
    const fill = LEVELLED[fills[name] ?? 'signed'];
    if (dims.at(-1) !== formula.over || bits !== undefined || fill === undefined) return [];
    return [[name, dims.length > 1 ? fill : 'zero'] as const];
  });
  return other.some(([, fill]) => fill !== 'zero') ? { ...fills, ...Object.fromEntries(other) } : undefined;
}

/** The shape with as many rows as are looked at once. */
function lookedAt({ inputs, formula }: Problem, shape: Shape, outer: string): Shape {
  const [first] = Object.values(inputs).filter(({ dims }) => dims.at(-1) === formula.over && dims.length > 1);
  const rows = Math.floor(ELEMENTS / (first ? rowLength(first, shape) : ELEMENTS));
  return { ...shape, [outer]: Math.max(rows, ROWS) };
}

interface NearRow extends PlacedRow {
  /** How near an output comes to a tie, relative to it. */
  readonly distance: number;
}

/** For each place that rounds a sum's result to 16 bits the rows that come nearest to a tie there; then rows that cancel. */
function tellingInputs(problem: Problem, outer: string, count: number, make: (look: number) => Inputs): Inputs {
  const places = roundingPlaces(problem);
  const each = Math.max(1, Math.floor((count * (1 - CANCELLING)) / Object.keys(places.outputs).length));
  const first = make(0);
  let near: NearRow[][] = [];
  for (let look = 0; look < LOOKS; look++) {
    const made = look === 0 ? first : { ...first, bytes: withOwnRows(problem, outer, first, make(look)) };
    const found = nearRows(places, made);
    near = found.map((rows, i) =>
      [...(near[i] ?? []), ...rows].toSorted((a, b) => a.distance - b.distance).slice(0, each),
    );
    if (near.every((rows) => (rows[each - 1]?.distance ?? 1) < NEAR)) break;
  }
  const rows = Array.from({ length: rowCount(mainOutput(problem), first.shape) }, (_, row) => row).filter(cancels);
  const taken = [...near.flat(), ...rows.map((row) => ({ inputs: first, row }))];
  return joinRows(first, problem.inputs, outer, taken.slice(0, count));
}

/** The rows of one look, the tensors without rows of the first. */
const withOwnRows = (problem: Problem, outer: string, first: Inputs, own: Inputs): Inputs['bytes'] =>
  Object.fromEntries(
    Object.entries(problem.inputs).map(([name, { dims }]) => [name, bytesFor(dims[0] === outer ? own : first, name)]),
  );

/** By place, every row that does not cancel with its distance from a tie there. */
function nearRows(places: Problem, inputs: Inputs): NearRow[][] {
  const values = reference(places, inputs);
  const main = mainOutput(places);
  const width = rowLength(main, inputs.shape);
  const rows = Array.from({ length: rowCount(main, inputs.shape) }, (_, row) => row).filter((row) => !cancels(row));
  return Object.entries(places.outputs).map(([name, { dtype }]) => {
    const found = values[name] ?? new Float64Array(0);
    return rows.map((row) => ({ inputs, row, distance: nearestTie(found, dtype, row * width, width) }));
  });
}

/** The formula with what each rounding point behind a sum rounds as outputs of its own, beside the contract's. */
function roundingPlaces(problem: Problem): Problem {
  const { graph, outputs } = problem;
  const main = mainOutput(problem);
  const sums = new Set(graph.nodes.flatMap(({ kind, id }) => (kind === 'reduce' ? [id] : [])));
  const points = interiorPoints(graph, Object.keys(outputs)).filter(
    ({ arg, type }) => type !== 'f32' && graph.nodes[arg]?.rank === 'element' && hasSum(graph, arg, sums),
  );
  const named = points.map(({ arg, type }) => [`point ${arg}`, arg, type] as const);
  return {
    ...problem,
    graph: { ...graph, names: new Map([...graph.names, ...named.map(([name, arg]) => [name, arg] as const)]) },
    outputs: { ...outputs, ...Object.fromEntries(named.map(([name, , dtype]) => [name, { ...main, dtype }])) },
  };
}

const hasSum = (graph: Graph, node: number, sums: ReadonlySet<number>): boolean =>
  [...ancestors(graph, node)].some((id) => sums.has(id));

/** How near the outputs of a row come to a tie of their type, relative to the output. */
function nearestTie(values: Float64Array, dtype: Parameters<typeof ulp>[0], from: number, width: number): number {
  let nearest = Infinity;
  for (let i = from; i < from + width; i++) {
    const value = Math.abs(values[i] ?? 0);
    if (!(value > 0) || value === Infinity) continue;
    const places = value / ulp(dtype, value);
    nearest = Math.min(nearest, Math.abs(places - Math.floor(places) - 0.5) / places);
  }
  return nearest;
}

function judgeOrder(_data: CaseData, subject: Subject, { stage, schedules }: Bench): Outcome {
  return { findings: repeats(stage, subject, firstRun(stage, subject, schedules), schedules) };
}
