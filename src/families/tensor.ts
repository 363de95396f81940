/** Shapes and tensors: how a logical index finds its element in memory. */
import type { DType } from '../numerics/dtype.ts';
import { bytesOf } from '../numerics/dtype.ts';

/** A size for each dimension, by name. */
export type Shape = Readonly<Record<string, number>>;

/**
 * A row-major tensor, last dimension contiguous. `bits` packs integer codes of that many bits into one little-endian bit
 * stream a row of u32 words; `group` holds one element for each `group` neighbours along the last dimension.
 */
export interface Tensor<D extends string = string> {
  readonly dtype: DType;
  readonly dims: readonly D[];
  readonly bits?: number;
  readonly group?: number;
}

/** The size of a dimension; throws where the shape lacks it. */
export function sizeOf(shape: Shape, dim: string): number {
  const size = shape[dim];
  if (size === undefined) throw new Error(`shape ${shapeText(shape)} has no dimension ${dim}`);
  return size;
}

/** Logical elements of a row: its last dimension's size over its group; 1 for a tensor without dimensions. */
export function rowLength(tensor: Tensor, shape: Shape): number {
  const last = tensor.dims.at(-1);
  return last === undefined ? 1 : sizeOf(shape, last) / (tensor.group ?? 1);
}

/** Rows of a tensor: the product of all dimensions but the last. */
export function rowCount(tensor: Tensor, shape: Shape): number {
  return tensor.dims.slice(0, -1).reduce((product, dim) => product * sizeOf(shape, dim), 1);
}

export function elementCount(tensor: Tensor, shape: Shape): number {
  return rowCount(tensor, shape) * rowLength(tensor, shape);
}

/** Bytes in memory, without guard bytes. A packed row must end on a whole word. */
export function byteCount(tensor: Tensor, shape: Shape): number {
  if (tensor.bits === undefined) return Math.ceil(elementCount(tensor, shape) * bytesOf(tensor.dtype));
  const rowBits = rowLength(tensor, shape) * tensor.bits;
  if (rowBits % 32 !== 0) throw new Error(`a row of ${rowBits} bits does not end on a 32-bit word`);
  return rowCount(tensor, shape) * (rowBits / 8);
}

/** A flat element index as coordinates: `[16, 2055]`. */
export function coordinates(tensor: Tensor, shape: Shape, flat: number): number[] {
  const sizes = tensor.dims.map((dim, i) =>
    i === tensor.dims.length - 1 ? rowLength(tensor, shape) : sizeOf(shape, dim),
  );
  const out: number[] = [];
  let rest = flat;
  for (let i = sizes.length - 1; i >= 0; i--) {
    const size = sizes[i] ?? 1;
    out.unshift(rest % size);
    rest = Math.floor(rest / size);
  }
  return out;
}

/** `rows=17,width=2056`, in the shape's own order. */
export function shapeText(shape: Shape): string {
  return Object.entries(shape)
    .map(([dim, size]) => `${dim}=${size}`)
    .join(',');
}
