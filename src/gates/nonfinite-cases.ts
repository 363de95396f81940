/** Gate 1's cases: plants of every kind in one operand, a NaN in each lane of a vector, and two operands' codes at one place. */
import { ordinaryInputs } from '../families/fills/ordinary.ts';
import type { NamedTensor, Planted } from '../families/fills/plants.ts';
import {
  PAIRS,
  PAIR_CODES,
  TELLING_PAIRS,
  plantCount,
  plantInputs,
  plantLanes,
  plantPairs,
  plantRows,
  plantable,
} from '../families/fills/plants.ts';
import type { Inputs } from '../families/inputs.ts';
import type { Shape, Tensor } from '../families/tensor.ts';
import { rowCount, rowLength, shapeText } from '../families/tensor.ts';
import type { Contract } from '../spec/contract.ts';
import type { Kernel } from '../spec/registration.ts';
import { stretch, tailShapes } from '../spec/shapes.ts';
import type { GateCase } from './case.ts';
import { CaseData } from './case.ts';
import { inModes } from './mode.ts';

export function plantedCases(kernel: Kernel, seed: string): GateCase[] {
  const operands = Object.entries(kernel.contract.inputs)
    .filter(([, tensor]) => plantable(tensor))
    .map(([name, tensor]) => ({ name, tensor }));
  return tailShapes(kernel.contract).flatMap((shape) => [
    ...operands.flatMap((operand) =>
      operandCases(kernel, operand, shape, seed).flatMap((plain) =>
        inModes(kernel.contract, plain, ['fused', 'flushed']),
      ),
    ),
    ...operands.flatMap((operand) => laneCases(kernel, operand, shape, seed)),
    ...operands.flatMap((first, i) =>
      operands.slice(i + 1).flatMap((second) => pairCases(kernel, [first, second], shape, seed)),
    ),
  ]);
}

/** Enough rows for every kind at every position where the envelope has them, else several cases of fewer rows. */
function operandCases(kernel: Kernel, { name, tensor }: NamedTensor, base: Shape, seed: string): GateCase[] {
  const { contract } = kernel;
  const wanted = plantRows(tensor, positionsOf(contract, tensor, base).length);
  const shape = withRows(contract, tensor, base, wanted);
  const rows = rowCount(tensor, shape);
  const total = rows === 1 ? plantCount(tensor) : wanted;
  const starts = Array.from({ length: Math.ceil(total / rows) }, (_, i) => i * rows);
  return starts.map((from) =>
    plantedCase(kernel, shape, `plant=${name}${starts.length > 1 ? `,from=${from}` : ''}`, seed, (inputs) => {
      const planted = plantInputs(inputs, name, tensor, positionsOf(contract, tensor, shape), from);
      return { inputs: planted.inputs, planted: { name, tensor, plants: planted.plants } };
    }),
  );
}

/** A NaN in each lane of any vector, over a second whole tile where the envelope has one. */
function laneCases(kernel: Kernel, { name, tensor }: NamedTensor, base: Shape, seed: string): GateCase[] {
  const { contract } = kernel;
  const wide = twoTiles(contract, tensor, base);
  const shape = withRows(contract, tensor, wide, LANES + 1);
  const positions = lanesOf(contract, tensor, shape);
  const rows = rowCount(tensor, shape);
  const starts = Array.from({ length: Math.ceil(positions.length / rows) }, (_, i) => i * rows);
  return starts.map((from) =>
    plantedCase(kernel, shape, `lanes=${name}${starts.length > 1 ? `,from=${from}` : ''}`, seed, (inputs) => {
      const planted = plantLanes(inputs, { name, tensor }, positions, from);
      return { inputs: planted.inputs, planted: { name, tensor, plants: planted.plants } };
    }),
  );
}

/** Infinities of both signs, 0 and NaN of two operands at one place, each with each. */
function pairCases(
  kernel: Kernel,
  operands: readonly [NamedTensor, NamedTensor],
  base: Shape,
  seed: string,
): GateCase[] {
  const { contract } = kernel;
  const [first, second] = operands;
  if (first.tensor.dims.at(-1) !== second.tensor.dims.at(-1)) return [];
  const shape = operands.reduce((wide, { tensor }) => withRows(contract, tensor, wide, PAIRS), base);
  const [rows, others] = [rowCount(first.tensor, shape), rowCount(second.tensor, shape)];
  const taken = others === 1 ? Math.min(rows, PAIR_CODES) : Math.min(rows, others);
  const froms = rows === 1 ? TELLING_PAIRS : Array.from({ length: Math.ceil(PAIRS / taken) }, (_, i) => i * taken);
  const column = Math.floor((rowLength(first.tensor, shape) * (first.tensor.group ?? 1)) / 2);
  return froms.map((from) =>
    plantedCase(kernel, shape, `plant=${first.name}+${second.name},from=${from}`, seed, (inputs) => {
      const planted = plantPairs(inputs, operands, column, from);
      return { inputs: planted.inputs, planted: { ...first, plants: planted.plants } };
    }),
  );
}

function plantedCase(
  { contract }: Kernel,
  shape: Shape,
  what: string,
  seed: string,
  plant: (inputs: Inputs) => { readonly inputs: Inputs; readonly planted: Planted },
): GateCase {
  const label = `${shapeText(shape)},${what}`;
  const prepare = (): CaseData => {
    const fills = contract.fills ?? {};
    const made = plant(ordinaryInputs(contract.inputs, shape, fills, `${seed}:${contract.name}:${label}`));
    return new CaseData(made.inputs, { planted: made.planted });
  };
  return { label, shape, mode: 'plain', prepare };
}

/** A shape at which a tensor has the wanted rows, or as many as its envelope and its route allow. */
function withRows(contract: Contract, tensor: Tensor, shape: Shape, wanted: number): Shape {
  const [outer] = tensor.dims;
  return outer === undefined || tensor.dims.length === 1 ? shape : stretch(contract, shape, outer, wanted);
}

/** First, last, middle, and the last of a whole tile. */
function positionsOf(contract: Contract, tensor: Tensor, shape: Shape): number[] {
  const { tile, width } = spanOf(contract, tensor, shape);
  return [...new Set([0, width - 1, width >> 1, tile - 1])];
}

/** The most elements that a vector load takes. */
const LANES = 16;

/** A place for each lane, spread over the last whole tile, and the last element. */
function lanesOf(contract: Contract, tensor: Tensor, shape: Shape): number[] {
  const { tile, width } = spanOf(contract, tensor, shape);
  const from = Math.max(0, Math.floor(width / tile) - 1) * tile;
  const vectors = Math.max(1, Math.floor(tile / LANES));
  const places = Array.from({ length: LANES }, (_, lane) => from + ((lane * 7) % vectors) * LANES + lane);
  return [...new Set([...places.map((place) => Math.min(place, width - 1)), width - 1])];
}

/** Logical elements of a row, and of a tile in it. */
function spanOf(contract: Contract, tensor: Tensor, shape: Shape): { readonly tile: number; readonly width: number } {
  const last = tensor.dims.at(-1);
  const width = rowLength(tensor, shape) * (tensor.group ?? 1);
  return { width, tile: Math.min((last === undefined ? undefined : contract.dims[last]?.tile) ?? width, width) };
}

/** The shape with two whole tiles and a step along a tensor's rows, where its envelope and its route have them. */
function twoTiles(contract: Contract, tensor: Tensor, shape: Shape): Shape {
  const last = tensor.dims.at(-1);
  const { tile, step = 1 } = (last === undefined ? undefined : contract.dims[last]) ?? {};
  return last === undefined || tile === undefined ? shape : stretch(contract, shape, last, 2 * tile + step);
}
