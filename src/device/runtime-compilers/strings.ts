/** Strings for C. */
import { ptr } from 'bun:ffi';

/** Text as C reads it. */
export const text = (value: string): Uint8Array => {
  const bytes = new TextEncoder().encode(`${value}\0`);
  const own = new Uint8Array(new ArrayBuffer(bytes.length)); // one that does not move
  own.set(bytes);
  return own;
};

/** Lists of C strings, which live as long as this does. */
export class Strings {
  private readonly kept: Uint8Array[] = [];

  /** The list's address; null for an empty one. */
  list(values: readonly string[]): BigUint64Array | null {
    return this.blocks(values.map(text));
  }

  /** The same of blocks of bytes. */
  blocks(values: readonly Uint8Array[]): BigUint64Array | null {
    if (values.length === 0) return null;
    this.kept.push(...values);
    const list = new BigUint64Array(new ArrayBuffer(8 * values.length));
    values.forEach((bytes, i) => (list[i] = BigInt(ptr(bytes))));
    return list;
  }
}
