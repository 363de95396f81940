/** The inputs of a case with one element changed: what tells whether that element moves anything. */
import { decodeAll, encodeAll } from '../../numerics/codec.ts';
import { bytesOf, formatOf, isFloat } from '../../numerics/dtype.ts';
import type { Inputs } from '../inputs.ts';
import { bytesFor } from '../inputs.ts';
import type { Shape, Tensor } from '../tensor.ts';
import { elementCount, rowCount, rowLength } from '../tensor.ts';

/** An element of an input, by its flat index. */
export interface Place {
  readonly input: string;
  readonly index: number;
}

/** First, middle and last of the first and of the last row of every input. */
export function placesOf(tensors: Readonly<Record<string, Tensor>>, shape: Shape): Place[] {
  return Object.entries(tensors).flatMap(([input, tensor]) => {
    const length = rowLength(tensor, shape);
    const rows = [0, rowCount(tensor, shape) - 1];
    const indices = rows.flatMap((row) => [0, length >> 1, length - 1].map((column) => row * length + column));
    return [...new Set(indices)].map((index) => ({ input, index }));
  });
}

/** So far that a sum of ordinary terms moves by more than its value. */
const FAR = 64;
/** Elements from which a tensor's largest magnitude is taken. */
const SEEN = 4096;

/**
 * An input's values that move an element far: many times its largest magnitude, of both signs, and zero; of codes the least and
 * the largest.
 */
export function farValues(tensor: Tensor, inputs: Inputs, input: string): number[] {
  if (tensor.bits !== undefined) return [0, 2 ** tensor.bits - 1];
  if (!isFloat(tensor.dtype)) return [0, 1];
  const bytes = bytesFor(inputs, input);
  const count = Math.min(SEEN, elementCount(tensor, inputs.shape));
  const values = decodeAll(tensor.dtype, bytes.subarray(0, count * bytesOf(tensor.dtype)), count);
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
  const far = Math.min(FAR * largest, formatOf(tensor.dtype).max / 2);
  return [far, -far, 0];
}

/** The same inputs but for one element. */
export function withElement(tensor: Tensor, inputs: Inputs, { input, index }: Place, value: number): Inputs {
  const bytes = bytesFor(inputs, input).slice();
  if (tensor.bits === undefined) bytes.set(encodeAll(tensor.dtype, [value]), index * bytesOf(tensor.dtype));
  else setCode(bytes, index * tensor.bits, tensor.bits, value);
  return { shape: inputs.shape, bytes: { ...inputs.bytes, [input]: bytes } };
}

/** Rows of codes end on whole words, so all of them are one stream of bits. */
function setCode(bytes: Uint8Array, bit: number, bits: number, code: number): void {
  for (let k = 0; k < bits; k++) {
    const byte = (bit + k) >> 3;
    const mask = 1 << ((bit + k) & 7);
    bytes[byte] = ((bytes[byte] ?? 0) & ~mask) | ((code >> k) & 1 ? mask : 0);
  }
}
