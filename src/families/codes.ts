/** The elements of a tensor as codes, whatever way they lie in memory, and inputs with fewer of them. */
import { encode, fromBits, toBits } from '../numerics/codec.ts';
import { putCode } from './fills/exact.ts';
import type { Inputs } from './inputs.ts';
import { bytesFor, readRow } from './inputs.ts';
import type { Shape, Tensor } from './tensor.ts';
import { byteCount, coordinates, elementCount, rowCount, rowLength, sizeOf } from './tensor.ts';

/** The code of an element that is not there: zero, or where a type has none, one. */
export const restingCode = ({ dtype }: Tensor): number => (dtype === 'e8m0' ? encode('e8m0', 1) : 0);

/** The code of every element, row-major. */
export function elementCodes(tensor: Tensor, shape: Shape, bytes: Uint8Array): Uint32Array {
  if (tensor.bits === undefined) return toBits(tensor.dtype, bytes, elementCount(tensor, shape));
  const rows = Array.from({ length: rowCount(tensor, shape) }, (_, row) => readRow(tensor, shape, bytes, row));
  return new Uint32Array(rows.flatMap((row) => [...row]));
}

/** The bytes of a tensor whose elements have these codes. */
export function bytesOfCodes(tensor: Tensor, shape: Shape, codes: Uint32Array): Uint8Array {
  const { bits } = tensor;
  if (bits === undefined) return fromBits(tensor.dtype, codes);
  const bytes = new Uint8Array(new ArrayBuffer(byteCount(tensor, shape)));
  const rows = rowCount(tensor, shape);
  const [rowBytes, width] = [bytes.length / rows, codes.length / rows];
  codes.forEach((code, i) => putCode(bytes, Math.floor(i / width) * rowBytes, (i % width) * bits, code));
  return bytes;
}

/** The inputs at the named places of one dimension; places of a grouped tensor come in whole groups. */
export function picked(
  inputs: Inputs,
  tensors: Readonly<Record<string, Tensor>>,
  dim: string,
  places: readonly number[],
): Inputs {
  const shape = { ...inputs.shape, [dim]: places.length };
  const entries = Object.entries(tensors).map(([name, tensor]) => {
    const bytes = bytesFor(inputs, name);
    if (!tensor.dims.includes(dim)) return [name, bytes] as const;
    const codes = pickedCodes(tensor, inputs.shape, elementCodes(tensor, inputs.shape, bytes), dim, places);
    return [name, bytesOfCodes(tensor, shape, codes)] as const;
  });
  return { shape, bytes: Object.fromEntries(entries) };
}

/** The inputs at another shape: elements of both stay at their places, new ones are as if they were not there. */
export function resized(inputs: Inputs, tensors: Readonly<Record<string, Tensor>>, shape: Shape): Inputs {
  const entries = Object.entries(tensors).map(([name, tensor]) => {
    const codes = elementCodes(tensor, inputs.shape, bytesFor(inputs, name));
    const out = new Uint32Array(elementCount(tensor, shape)).fill(restingCode(tensor));
    const sizes = storedSizes(tensor, shape);
    codes.forEach((code, i) => {
      const at = coordinates(tensor, inputs.shape, i);
      if (at.every((place, axis) => place < (sizes[axis] ?? 0))) out[flatIndex(tensor, shape, at)] = code;
    });
    return [name, bytesOfCodes(tensor, shape, out)] as const;
  });
  return { shape, bytes: Object.fromEntries(entries) };
}

/** Elements along each dimension, as they lie in memory. */
export const storedSizes = (tensor: Tensor, shape: Shape): number[] =>
  tensor.dims.map((dim, axis) => (axis === tensor.dims.length - 1 ? rowLength(tensor, shape) : sizeOf(shape, dim)));

/** The flat index of a place: the inverse of `coordinates`. */
export const flatIndex = (tensor: Tensor, shape: Shape, at: readonly number[]): number =>
  storedSizes(tensor, shape).reduce((flat, size, axis) => flat * size + (at[axis] ?? 0), 0);

function pickedCodes(
  tensor: Tensor,
  shape: Shape,
  codes: Uint32Array,
  dim: string,
  places: readonly number[],
): Uint32Array {
  const { dims, group = 1 } = tensor;
  const at = dims.indexOf(dim);
  const last = dims.length - 1;
  const stored = storedSizes(tensor, shape);
  const size = stored[at] ?? 1;
  const inner = stored.slice(at + 1).reduce((product, count) => product * count, 1);
  const own = at === last ? places.filter((_, i) => i % group === 0).map((place) => Math.floor(place / group)) : places;
  const out = new Uint32Array((codes.length / size) * own.length);
  for (let i = 0; i < out.length; i++) {
    const outer = Math.floor(i / (own.length * inner));
    const place = own[Math.floor(i / inner) % own.length] ?? 0;
    out[i] = codes[(outer * size + place) * inner + (i % inner)] ?? 0;
  }
  return out;
}
