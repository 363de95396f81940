/** Fewest inputs that are not zero, then the simplest values: delta debugging over the elements of all inputs. */
import { bytesOfCodes, elementCodes, restingCode } from '../families/codes.ts';
import type { Inputs } from '../families/inputs.ts';
import { bytesFor } from '../families/inputs.ts';
import type { Tensor } from '../families/tensor.ts';
import type { Search } from './search.ts';
import { simplerCodes } from './simple.ts';

/** One element of one input. */
export interface Cell {
  readonly name: string;
  readonly index: number;
}

type Codes = ReadonlyMap<string, Uint32Array>;
type Tensors = Readonly<Record<string, Tensor>>;

export function codesOf(inputs: Inputs, tensors: Tensors): Codes {
  return new Map(
    Object.entries(tensors).map(([name, tensor]) => [name, elementCodes(tensor, inputs.shape, bytesFor(inputs, name))]),
  );
}

/** The elements that are not zero, tensor by tensor. */
export function nonzeroCells(inputs: Inputs, tensors: Tensors): Cell[] {
  return [...codesOf(inputs, tensors)].flatMap(([name, codes]) => {
    const rest = restOf(tensors, name);
    return [...codes.keys()].filter((index) => codes[index] !== rest).map((index) => ({ name, index }));
  });
}

const restOf = (tensors: Tensors, name: string): number => {
  const tensor = tensors[name];
  return tensor ? restingCode(tensor) : 0;
};

/** The inputs with other codes at some cells. */
export function withCodes(inputs: Inputs, tensors: Tensors, changes: readonly (readonly [Cell, number])[]): Inputs {
  const byName = Map.groupBy(changes, ([{ name }]) => name);
  const bytes = [...byName].map(([name, own]) => {
    const tensor = tensors[name];
    if (!tensor) throw new Error(`no input ${name}`);
    const codes = elementCodes(tensor, inputs.shape, bytesFor(inputs, name));
    for (const [{ index }, code] of own) codes[index] = code;
    return [name, bytesOfCodes(tensor, inputs.shape, codes)] as const;
  });
  return { shape: inputs.shape, bytes: { ...inputs.bytes, ...Object.fromEntries(bytes) } };
}

export const zeroed = (inputs: Inputs, tensors: Tensors, cells: readonly Cell[]): Inputs =>
  withCodes(
    inputs,
    tensors,
    cells.map((cell) => [cell, restOf(tensors, cell.name)] as const),
  );

/** Past so many elements that are not zero another way to zero them is tried. */
const FEW = 3;

/** Zeroes as many elements as it can, the last ones first; where many are left, the first ones first, should that leave fewer. */
export async function fewest(search: Search, start: Inputs): Promise<Inputs> {
  const tensors = search.suspect.target.kernel.contract.inputs;
  const left = (inputs: Inputs): number => nonzeroCells(inputs, tensors).length;
  const last = await fewestBy(search, start, true);
  if (left(last) <= FEW) return last;
  const first = await fewestBy(search, start, false);
  return left(first) < left(last) ? first : last;
}

/** Whole inputs, then halves of what is left, down to single elements. */
async function fewestBy(search: Search, start: Inputs, lastFirst: boolean): Promise<Inputs> {
  const tensors = search.suspect.target.kernel.contract.inputs;
  let inputs = start;
  const passesOver = async (cells: readonly Cell[]): Promise<boolean> => {
    const candidate = zeroed(inputs, tensors, cells);
    if (!(await search.fails(candidate))) return true;
    inputs = candidate;
    return false;
  };
  const left = (): Cell[] => (lastFirst ? nonzeroCells(inputs, tensors).toReversed() : nonzeroCells(inputs, tensors));
  if (!(await passesOver(left()))) return inputs;
  for (const own of Map.groupBy(left(), ({ name }) => name).values()) await passesOver(own);
  for (let size = Math.ceil(left().length / 2); size > 1; size = Math.min(size >> 1, Math.ceil(left().length / 2)))
    await withoutChunks(left(), size, passesOver);
  while (!search.isSpent && (await withoutChunks(left(), 1, passesOver)));
  return inputs;
}

/** Whether any chunk of so many cells can be zero. */
async function withoutChunks(
  cells: readonly Cell[],
  size: number,
  passesOver: (cells: readonly Cell[]) => Promise<boolean>,
): Promise<boolean> {
  let some = false;
  for (let from = 0; from < cells.length; from += size)
    if (!(await passesOver(cells.slice(from, from + size)))) some = true;
  return some;
}

/** Gives each element that is not zero the simplest value that still fails. */
export async function simplest(search: Search, start: Inputs): Promise<Inputs> {
  const { kernel, gate } = search.suspect.target;
  const tensors = kernel.contract.inputs;
  let inputs = start;
  for (const cell of nonzeroCells(inputs, tensors)) {
    const tensor = tensors[cell.name];
    if (!tensor) continue;
    const own = elementCodes(tensor, inputs.shape, bytesFor(inputs, cell.name))[cell.index] ?? 0;
    for (const code of simplerCodes(tensor, own, gate)) {
      const candidate = withCodes(inputs, tensors, [[cell, code]]);
      if (!(await search.fails(candidate))) continue;
      inputs = candidate;
      break;
    }
  }
  return inputs;
}

/** Whether each element that is not zero is needed: with any one of them zero, and all others as they are, it passes. */
export async function isOneMinimal(search: Search, inputs: Inputs): Promise<boolean> {
  const tensors = search.suspect.target.kernel.contract.inputs;
  for (const cell of nonzeroCells(inputs, tensors))
    if (search.isSpent || (await search.fails(zeroed(inputs, tensors, [cell])))) return false;
  return !search.isSpent;
}
