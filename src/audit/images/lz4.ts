/** LZ4 raw blocks, as fatbins pack them. */
import { ImageFault } from './bytes.ts';

const LEAST_MATCH = 4;
const LENGTH_GOES_ON = 15;

/** The `size` bytes that `packed` stands for; a block of any other size, or one that reaches outside, is a fault. */
export function unpackLz4(packed: Uint8Array, size: number): Uint8Array {
  const out = new Uint8Array(size);
  let from = 0;
  let to = 0;

  /** The rest of a length whose four bits are full: bytes of 255, then one below. */
  const longer = (length: number): number => {
    if (length < LENGTH_GOES_ON) return length;
    for (;;) {
      const byte = packed[from++];
      if (byte === undefined) throw damaged();
      length += byte;
      if (byte !== 255) return length;
    }
  };

  while (from < packed.length) {
    const token = packed[from++] ?? 0;
    const literals = longer(token >> 4);
    if (from + literals > packed.length || to + literals > size) throw damaged();
    copyLiterals(packed, from, out, to, literals);
    from += literals;
    to += literals;
    // The last sequence has no match.
    if (from === packed.length) break;
    if (from + 2 > packed.length) throw damaged();
    const distance = (packed[from] ?? 0) | ((packed[from + 1] ?? 0) << 8);
    from += 2;
    const match = longer(token & 15) + LEAST_MATCH;
    if (distance === 0 || distance > to || to + match > size) throw damaged();
    copyMatch(out, to, distance, match);
    to += match;
  }
  if (to !== size) throw damaged();
  return out;
}

/** Below this length a loop is faster than a call. */
const SHORT = 48;

function copyLiterals(packed: Uint8Array, from: number, out: Uint8Array, to: number, length: number): void {
  if (length > SHORT) out.set(packed.subarray(from, from + length), to);
  else for (let i = 0; i < length; i++) out[to + i] = packed[from + i] ?? 0;
}

/** A match may overlap its own output, where it repeats: then byte by byte. */
function copyMatch(out: Uint8Array, to: number, distance: number, length: number): void {
  if (length > SHORT && distance >= length) out.copyWithin(to, to - distance, to - distance + length);
  else for (let i = to; i < to + length; i++) out[i] = out[i - distance] ?? 0;
}

const damaged = (): ImageFault => new ImageFault('malformed', 'a damaged LZ4 block');
