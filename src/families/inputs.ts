/** The inputs of a case: bytes as the kernel gets them, read back as exact values a row at a time. */
import { decodeAll } from '../numerics/codec.ts';
import { bytesOf } from '../numerics/dtype.ts';
import type { Shape, Tensor } from './tensor.ts';
import { byteCount, rowCount, rowLength, sizeOf } from './tensor.ts';

/** One case's inputs. The object's identity stands for its contents: nothing changes the bytes. */
export interface Inputs {
  readonly shape: Shape;
  readonly bytes: Readonly<Record<string, Uint8Array>>;
}

/** The bytes of one input; throws where the case lacks it. */
export function bytesFor(inputs: Inputs, name: string): Uint8Array {
  const bytes = inputs.bytes[name];
  if (!bytes) throw new Error(`the case has no input ${name}`);
  return bytes;
}

/** Decodes row `row` of a tensor: `length` logical elements, packed codes unpacked and grouped elements repeated. */
export function readRow(tensor: Tensor, shape: Shape, bytes: Uint8Array, row: number): Float64Array {
  const stored = rowLength(tensor, shape);
  if (tensor.bits !== undefined) return unpack(bytes, (row * stored * tensor.bits) / 8, stored, tensor.bits);
  const size = bytesOf(tensor.dtype);
  const values = decodeAll(tensor.dtype, bytes.subarray(row * stored * size, (row + 1) * stored * size), stored);
  return tensor.group === undefined ? values : repeat(values, tensor.group);
}

/** Codes of `bits` bits from one little-endian bit stream, first code in the low bits. */
function unpack(bytes: Uint8Array, from: number, count: number, bits: number): Float64Array {
  const out = new Float64Array(count);
  const mask = 2 ** bits - 1;
  for (let i = 0; i < count; i++) {
    const bit = i * bits;
    const byte = from + (bit >> 3);
    const word = (bytes[byte] ?? 0) | ((bytes[byte + 1] ?? 0) << 8);
    out[i] = (word >> (bit & 7)) & mask;
  }
  return out;
}

function repeat(values: Float64Array, group: number): Float64Array {
  const out = new Float64Array(values.length * group);
  for (let i = 0; i < values.length; i++) out.fill(values[i] ?? 0, i * group, (i + 1) * group);
  return out;
}

/** Which row of a tensor belongs to an output row, from the dimensions the two share. */
export function rowIndexer(tensor: Tensor, outer: readonly string[], shape: Shape): (row: number) => number {
  const strides = new Map<string, number>();
  let stride = 1;
  for (const dim of tensor.dims.slice(0, -1).toReversed()) {
    strides.set(dim, stride);
    stride *= sizeOf(shape, dim);
  }
  const steps = outer.map((dim) => ({ size: sizeOf(shape, dim), stride: strides.get(dim) ?? 0 })).toReversed();
  return (row) => {
    let rest = row;
    let index = 0;
    for (const step of steps) {
      index += (rest % step.size) * step.stride;
      rest = Math.floor(rest / step.size);
    }
    return index;
  };
}

/** The inputs of a smaller shape: the first elements of each dimension. */
export function firstOf(inputs: Inputs, tensors: Readonly<Record<string, Tensor>>, shape: Shape): Inputs {
  const entries = Object.entries(tensors).map(([name, tensor]) => {
    const from = bytesFor(inputs, name);
    const rows = rowCount(tensor, shape);
    const stride = from.length / rowCount(tensor, inputs.shape);
    const out = new Uint8Array(new ArrayBuffer(byteCount(tensor, shape)));
    const length = out.length / rows;
    for (let row = 0; row < rows; row++) {
      const at = sameRow(tensor, shape, inputs.shape, row) * stride;
      out.set(from.subarray(at, at + length), row * length);
    }
    return [name, out] as const;
  });
  return { shape, bytes: Object.fromEntries(entries) };
}

/** The row of a larger shape that has the coordinates of a row. */
function sameRow(tensor: Tensor, shape: Shape, larger: Shape, row: number): number {
  let [rest, stride, index] = [row, 1, 0];
  for (const dim of tensor.dims.slice(0, -1).toReversed()) {
    index += (rest % sizeOf(shape, dim)) * stride;
    rest = Math.floor(rest / sizeOf(shape, dim));
    stride *= sizeOf(larger, dim);
  }
  return index;
}
