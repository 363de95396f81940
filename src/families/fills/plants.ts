/**
 * Gate 1's data: NaN of every kind that hardware and software make, both infinities, a finite value above the narrow types'
 * range, and whole rows of -Inf and NaN, planted in one float operand at a time. A tensor with rows takes one plant a row, and leaves a row clean
 * between rounds of plants, so that a plant that reaches a neighbour shows; a tensor of one row takes one plant a case.
 */
import type { DType } from '../../numerics/dtype.ts';
import { bytesOf } from '../../numerics/dtype.ts';
import type { Inputs } from '../inputs.ts';
import type { Tensor } from '../tensor.ts';
import { rowCount, rowLength } from '../tensor.ts';

export interface PlantKind {
  readonly name: string;
  /** One code, or one for each of two places. */
  readonly codes: readonly number[];
  /** The code stands in every column of its row. */
  readonly everywhere?: true;
}

/** What is planted in a type. 70,000 is past fp16's largest finite value; fp16 itself takes 60,000. */
const KINDS: Readonly<Partial<Record<DType, readonly PlantKind[]>>> = {
  f32: kinds([0x7fc00000, 0xffc00000, 0x7f800001, 0xffffffff], 0x7f800000, 0xff800000, 0x4788b800),
  bf16: kinds([0x7fc0, 0xffc0, 0x7f81, 0xffff], 0x7f80, 0xff80, 0x4789),
  f16: kinds([0x7e00, 0xfe00, 0x7c01, 0xffff], 0x7c00, 0xfc00, 0x7b53),
};

function kinds(nans: readonly number[], positive: number, negative: number, large: number): readonly PlantKind[] {
  const [quiet = 0, minus = 0, signalling = 0, ones = 0] = nans;
  return [
    { name: 'NaN', codes: [quiet] },
    { name: '+Inf', codes: [positive] },
    { name: '-Inf', codes: [negative] },
    { name: 'NaN with its sign set', codes: [minus] },
    { name: 'both infinities', codes: [positive, negative] },
    { name: 'signalling NaN', codes: [signalling] },
    { name: 'NaN of all ones', codes: [ones] },
    { name: 'large finite value', codes: [large] },
    { name: '-Inf everywhere', codes: [negative], everywhere: true },
    { name: 'NaN everywhere', codes: [quiet], everywhere: true },
  ];
}

/** Whether a tensor's type can hold what gate 1 plants. */
export function plantable(tensor: Tensor): boolean {
  return tensor.bits === undefined && KINDS[tensor.dtype] !== undefined;
}

/** One planted place, for a report. */
export interface Plant {
  /** The row of the planted tensor. */
  readonly row: number;
  readonly kind: string;
  readonly columns: readonly number[];
}

/** What is planted in a case, and where. */
export interface Planted {
  readonly name: string;
  readonly tensor: Tensor;
  readonly plants: readonly Plant[];
}

/** Codes that meet in pairs: two of them at one place of two operands. */
const MEETING: Readonly<Partial<Record<DType, readonly number[]>>> = {
  f32: [0x7f800000, 0xff800000, 0, 0x7fc00000],
  bf16: [0x7f80, 0xff80, 0, 0x7fc0],
  f16: [0x7c00, 0xfc00, 0, 0x7e00],
};
const MEETING_NAMES = ['+Inf', '-Inf', '0', 'NaN'] as const;

export const PAIR_CODES = MEETING_NAMES.length;
/** Every pair: what the first operand of pair `i` holds turns faster. */
export const PAIRS = PAIR_CODES ** 2;
/** Infinities of both signs, and 0 with an infinity, both ways about: for operands that take one pair a case. */
export const TELLING_PAIRS = [1, 2, 4, 8] as const;

/** Rows that a full round of plants takes: every kind and a clean row, at every position. */
export function plantRows(tensor: Tensor, positions: number): number {
  return ((KINDS[tensor.dtype]?.length ?? 0) + 1) * positions;
}

/** A copy of the inputs in which rows of two operands, from pair `from` on, hold a code each at one column of their own rows. */
export function plantPairs(
  inputs: Inputs,
  [first, second]: readonly [NamedTensor, NamedTensor],
  column: number,
  from: number,
): { readonly inputs: Inputs; readonly plants: readonly Plant[] } {
  const plants: Plant[] = [];
  const planted = [first, second].map(({ name, tensor }, which) => {
    const bytes = (inputs.bytes[name] ?? new Uint8Array(0)).slice();
    const width = rowLength(tensor, inputs.shape);
    const at = Math.floor(column / (tensor.group ?? 1)) % width;
    for (let row = 0; row < rowCount(tensor, inputs.shape); row++) {
      const pair = (from + row) % PAIRS;
      const code = which === 0 ? pair % PAIR_CODES : Math.floor(pair / PAIR_CODES);
      writeCode(bytes, tensor.dtype, row * width + at, MEETING[tensor.dtype]?.[code] ?? 0);
      if (which === 0)
        plants.push({ row, kind: `${MEETING_NAMES[code]} beside what ${second.name} holds`, columns: [at] });
    }
    return [name, bytes] as const;
  });
  return { inputs: { shape: inputs.shape, bytes: { ...inputs.bytes, ...Object.fromEntries(planted) } }, plants };
}

export interface NamedTensor {
  readonly name: string;
  readonly tensor: Tensor;
}

/** A copy of the inputs with one NaN a row at the positions in turn, from number `from` on. */
export function plantLanes(
  inputs: Inputs,
  { name, tensor }: NamedTensor,
  positions: readonly number[],
  from: number,
): { readonly inputs: Inputs; readonly plants: readonly Plant[] } {
  const bytes = (inputs.bytes[name] ?? new Uint8Array(0)).slice();
  const [nan] = KINDS[tensor.dtype] ?? [];
  const width = rowLength(tensor, inputs.shape);
  const plants: Plant[] = [];
  for (let row = 0; row < rowCount(tensor, inputs.shape); row++) {
    const position = positions[(from + row) % positions.length] ?? 0;
    const column = Math.floor(position / (tensor.group ?? 1)) % width;
    writeCode(bytes, tensor.dtype, row * width + column, nan?.codes[0] ?? 0);
    plants.push({ row, kind: nan?.name ?? '', columns: [column] });
  }
  return { inputs: { shape: inputs.shape, bytes: { ...inputs.bytes, [name]: bytes } }, plants };
}

/** How many plants one-row tensors take, one a case. */
export function plantCount(tensor: Tensor): number {
  return KINDS[tensor.dtype]?.length ?? 0;
}

/**
 * A copy of the inputs with plants in `name`, from plant number `from` on. `positions` are logical element indices of a row;
 * a grouped tensor takes the element that holds them.
 */
export function plantInputs(
  inputs: Inputs,
  name: string,
  tensor: Tensor,
  positions: readonly number[],
  from: number,
): { readonly inputs: Inputs; readonly plants: readonly Plant[] } {
  const bytes = (inputs.bytes[name] ?? new Uint8Array(0)).slice();
  const all = KINDS[tensor.dtype] ?? [];
  const rows = rowCount(tensor, inputs.shape);
  const width = rowLength(tensor, inputs.shape);
  const plants: Plant[] = [];
  for (let row = 0; row < rows; row++) {
    const round = rows === 1 ? all.length : all.length + 1;
    const kind = all[(from + row) % round];
    if (!kind) continue;
    const step = rows === 1 ? from : Math.floor((from + row) / round);
    const columns = kind.codes.map(
      (_, i) => Math.floor((positions[(step + i) % positions.length] ?? 0) / (tensor.group ?? 1)) % width,
    );
    if (kind.everywhere) columns.splice(0, 1, ...Array.from({ length: width }, (_, column) => column));
    columns.forEach((column, i) =>
      writeCode(bytes, tensor.dtype, row * width + column, kind.codes[i % kind.codes.length] ?? 0),
    );
    plants.push({ row, kind: kind.name, columns });
  }
  return { inputs: { shape: inputs.shape, bytes: { ...inputs.bytes, [name]: bytes } }, plants };
}

function writeCode(bytes: Uint8Array, dtype: DType, element: number, code: number): void {
  const size = bytesOf(dtype);
  for (let i = 0; i < size; i++) bytes[element * size + i] = (code >>> (8 * i)) & 0xff;
}
