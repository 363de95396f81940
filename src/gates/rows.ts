/** Rows of a case by their numbers. */
import type { Inputs } from '../families/inputs.ts';
import { bytesFor } from '../families/inputs.ts';
import type { Tensor } from '../families/tensor.ts';
import { byteCount, sizeOf } from '../families/tensor.ts';

/** A row of some inputs. */
export interface PlacedRow {
  readonly inputs: Inputs;
  readonly row: number;
}

/** Some rows of every tensor that has the dimension first; the other tensors whole. */
export const pickRows = (
  from: Inputs,
  tensors: Readonly<Record<string, Tensor>>,
  dim: string,
  picked: readonly number[],
): Inputs =>
  joinRows(
    from,
    tensors,
    dim,
    picked.map((row) => ({ inputs: from, row })),
  );

/** Rows of several inputs as one, of every tensor that has the dimension first; the other tensors are those of `rest`, whole. */
export function joinRows(
  rest: Inputs,
  tensors: Readonly<Record<string, Tensor>>,
  dim: string,
  picked: readonly PlacedRow[],
): Inputs {
  const bytes = Object.entries(tensors).map(([name, tensor]) => {
    if (tensor.dims[0] !== dim) return [name, bytesFor(rest, name)] as const;
    const rowBytes = byteCount(tensor, rest.shape) / sizeOf(rest.shape, dim);
    const out = new Uint8Array(new ArrayBuffer(rowBytes * picked.length));
    picked.forEach(({ inputs, row }, i) => {
      out.set(bytesFor(inputs, name).subarray(row * rowBytes, (row + 1) * rowBytes), i * rowBytes);
    });
    return [name, out] as const;
  });
  return { shape: { ...rest.shape, [dim]: picked.length }, bytes: Object.fromEntries(bytes) };
}
