/** The least sizes: along each dimension the smallest valid one at which some of the inputs still fail. */
import type { Inputs } from '../families/inputs.ts';
import { picked } from '../families/codes.ts';
import type { Shape } from '../families/tensor.ts';
import { coordinates, sizeOf } from '../families/tensor.ts';
import { classOfCode } from '../numerics/class.ts';
import type { Finding } from '../gates/finding.ts';
import { isAsked } from '../spec/cause.ts';
import type { Contract } from '../spec/contract.ts';
import type { Search } from './search.ts';
import { codesOf, nonzeroCells } from './values.ts';

/** Sizes from the least on that are all tried; past them each is about a third larger than the last, and edges. */
const DENSE = 24;
const GROWTH = 1.3;
/** Of so many sizes from the least on, inputs are taken from so many places. */
const LOOKED = 4;
const LOOKS = 12;

/** Inputs of the least sizes that still fail, one dimension after another until none gets smaller. */
export async function smallest(search: Search, start: Inputs, found: Finding): Promise<Inputs> {
  const { contract } = search.suspect.target.kernel;
  const over = contract.formula.over;
  const all = Object.keys(contract.dims).toSorted((a, b) => Number(a === over) - Number(b === over));
  // A depth is declared for sums of some length, and fewer terms meet elsewhere: another question.
  const dims = isAsked(search.cause) ? all.filter((dim) => dim !== over) : all;
  let [inputs, finding] = [start, found];
  for (let changed = true; changed && !search.isSpent;) {
    changed = false;
    for (const dim of dims) {
      const less = await lessAlong(search, inputs, dim, finding);
      if (!less) continue;
      [inputs, finding, changed] = [less.inputs, less.finding, true];
    }
  }
  return inputs;
}

interface Smaller {
  readonly inputs: Inputs;
  readonly finding: Finding;
}

async function lessAlong(search: Search, inputs: Inputs, dim: string, finding: Finding): Promise<Smaller | undefined> {
  const { contract } = search.suspect.target.kernel;
  const sizes = sizesBelow(contract, inputs.shape, dim);
  let last = 0;
  for (const size of sizes) {
    const smaller = await failingAt(search, inputs, dim, size, finding);
    if (smaller) return refined(search, smaller, inputs, dim, last, finding);
    last = size;
  }
  return undefined;
}

/** Sizes between the last that passed and the first that failed. */
async function refined(
  search: Search,
  first: Smaller,
  inputs: Inputs,
  dim: string,
  passed: number,
  finding: Finding,
): Promise<Smaller> {
  const { step = 1 } = search.suspect.target.kernel.contract.dims[dim] ?? {};
  let [low, best] = [passed, first];
  for (
    let high = sizeOf(best.inputs.shape, dim);
    high - low > step && !search.isSpent;
    high = sizeOf(best.inputs.shape, dim)
  ) {
    const middle = low + Math.max(1, Math.floor((high - low) / step / 2)) * step;
    const smaller = middle < high ? await failingAt(search, inputs, dim, middle, finding) : undefined;
    if (smaller) best = smaller;
    else low = middle;
    if (middle >= high) break;
  }
  return best;
}

/** Valid sizes below a shape's own, ascending: the first ones, then fewer and fewer, and those beside a tile. */
export function sizesBelow(contract: Contract, shape: Shape, dim: string): number[] {
  const { step = 1, least = step, tile = 0 } = contract.dims[dim] ?? {};
  const own = sizeOf(shape, dim);
  const sizes = new Set<number>();
  const first = Math.max(least, 1);
  for (let count = 0, n = 0; first + n * step < own; count++) {
    sizes.add(first + n * step);
    n = count < DENSE ? n + 1 : Math.max(n + 1, Math.floor(n * GROWTH));
  }
  if (own - step >= first) sizes.add(own - step);
  for (const edge of [tile - step, tile, tile + step, tile + 2 * step, 2 * tile, 2 * tile + step])
    if (tile > 0 && edge >= first && edge < own) sizes.add(edge);
  return [...sizes].toSorted((a, b) => a - b);
}

async function failingAt(
  search: Search,
  inputs: Inputs,
  dim: string,
  size: number,
  finding: Finding,
): Promise<Smaller | undefined> {
  const tensors = search.suspect.target.kernel.contract.inputs;
  for (const places of placesOf(search, inputs, dim, size, finding)) {
    const candidate = picked(inputs, tensors, dim, places);
    const found = await search.fails(candidate);
    if (found) return { inputs: candidate, finding: found };
  }
  return undefined;
}

/** Which elements of a dimension may stay: some at its start or end, around the output that is wrong, or what is special in it. */
function placesOf(search: Search, inputs: Inputs, dim: string, size: number, finding: Finding): number[][] {
  const { contract } = search.suspect.target.kernel;
  const own = sizeOf(inputs.shape, dim);
  const block = blockOf(contract, dim);
  const aligned = (from: number): number => Math.floor(Math.max(0, Math.min(from, own - size)) / block) * block;
  const window = (from: number): number[] => Array.from({ length: size }, (_, i) => aligned(from) + i);
  const wrong = wrongPlace(contract, inputs.shape, finding, dim);
  const special = [...(wrong === undefined ? [] : [wrong]), ...specialPlaces(search, inputs, dim)];
  const kept = withBlocks(special, block);
  const gathered =
    kept.length === 0 || kept.length > size ? [] : [gather(kept, own, size, 1), gather(kept, own, size, -1)];
  const strided = Array.from(
    { length: size },
    (_, i) => Math.floor(Math.floor(i / block) * (own / size)) * block + (i % block),
  );
  const { step = 1, least = step } = contract.dims[dim] ?? {};
  const looks = size <= least + LOOKED * step ? LOOKS : 0;
  const all = [
    ...(wrong === undefined ? [] : [window(wrong), window(wrong - size + 1)]),
    ...gathered,
    window(0),
    window(own - size),
    ...(strided.every((place) => place < own) ? [strided] : []),
    ...Array.from({ length: looks }, (_, i) => window(Math.floor(((i + 1) * own) / (looks + 1)))),
  ];
  return [...new Map(all.map((places) => [places.join(), places])).values()];
}

/** Packed codes and grouped elements stay together. */
function blockOf({ inputs, dims }: Contract, dim: string): number {
  const isPacked = Object.values(inputs).some(
    (tensor) => tensor.dims.at(-1) === dim && (tensor.bits !== undefined || tensor.group !== undefined),
  );
  return isPacked ? (dims[dim]?.step ?? 1) : 1;
}

const withBlocks = (places: readonly number[], block: number): number[] =>
  [...new Set(places.map((place) => Math.floor(place / block)))].flatMap((index) =>
    Array.from({ length: block }, (_, i) => index * block + i),
  );

/** The kept places and as many others as it takes, the first ones or the last ones, in their order. */
function gather(kept: readonly number[], own: number, size: number, from: 1 | -1): number[] {
  const chosen = new Set(kept);
  for (let i = 0; i < own && chosen.size < size; i++) chosen.add(from === 1 ? i : own - 1 - i);
  return [...chosen].toSorted((a, b) => a - b);
}

/** Where along a dimension the wrong output lies. */
function wrongPlace({ outputs }: Contract, shape: Shape, { at }: Finding, dim: string): number | undefined {
  const tensor = at && outputs[at.output];
  const axis = tensor?.dims.indexOf(dim) ?? -1;
  return tensor && axis >= 0 ? coordinates(tensor, shape, at.index)[axis] : undefined;
}

/** Special places along a dimension past which nothing is gathered. */
const SPECIAL = 64;

/** Where NaN and infinities lie; where there are none and little else is left, whatever is not zero. */
function specialPlaces(search: Search, inputs: Inputs, dim: string): number[] {
  const tensors = search.suspect.target.kernel.contract.inputs;
  const codes = codesOf(inputs, tensors);
  const nonzero = nonzeroCells(inputs, tensors);
  const special = nonzero.filter(({ name, index }) => {
    const tensor = tensors[name];
    return tensor && classOfCode(tensor.dtype, codes.get(name)?.[index] ?? 0) !== 'finite';
  });
  const cells = special.length > 0 ? special : nonzero.length <= SPECIAL ? nonzero : [];
  const places = cells.flatMap(({ name, index }) => {
    const tensor = tensors[name];
    const axis = tensor?.dims.indexOf(dim) ?? -1;
    if (!tensor || axis < 0) return [];
    const group = axis === tensor.dims.length - 1 ? (tensor.group ?? 1) : 1;
    return [(coordinates(tensor, inputs.shape, index)[axis] ?? 0) * group];
  });
  return [...new Set(places)].slice(0, SPECIAL);
}

/** Whether a step less along any dimension passes, whichever of the inputs stay. */
export async function isLeast(search: Search, inputs: Inputs, finding: Finding): Promise<boolean> {
  const { contract } = search.suspect.target.kernel;
  for (const [dim, { step = 1, least = step }] of Object.entries(contract.dims)) {
    if (isAsked(search.cause) && dim === contract.formula.over) continue;
    const less = sizeOf(inputs.shape, dim) - step;
    if (less < Math.max(least, 1)) continue;
    if (search.isSpent || (await failingAt(search, inputs, dim, less, finding))) return false;
  }
  return !search.isSpent;
}
