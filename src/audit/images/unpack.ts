/**
 * Compressed entries of fatbins. The size an image declares is checked before a byte is allocated, and the output
 * never grows past it, so a small file cannot ask for much memory or time.
 */
import { ImageFault } from './bytes.ts';
import { unpackLz4 } from './lz4.ts';
import { readFrame } from './zstd-frame.ts';
import { messageOf } from '../../spec/message-of.ts';

export type Packing = 'zstd' | 'lz4';

/** The most that one entry of a file of `fileBytes` may unpack to. Entries live one at a time. */
export function largestPart(fileBytes: number): number {
  return Math.max(PART_FLOOR, PART_TIMES * fileBytes);
}

/** The `size` bytes that `packed` stands for. Any other size is a fault, as is one no compiler's image packs to. */
export function unpack(packing: Packing, packed: Uint8Array, size: number, largest: number): Uint8Array {
  const most = Math.min(largest, LARGEST_RATIO * packed.length);
  if (size > most) {
    throw new ImageFault('malformed', `${packed.length} bytes of ${packing} claim to unpack to ${size}, past ${most}`);
  }
  const unpacked = packing === 'lz4' ? unpackLz4(packed, size) : unpackZstd(packed, size);
  if (unpacked.length === size) return unpacked;
  throw new ImageFault('malformed', `${packing} gave ${unpacked.length} bytes where ${size} were declared`);
}

// --- details ---

/** Cubins pack by 4 to 20. The ratio bounds the work of a whole file as well: its entries do not overlap. */
const LARGEST_RATIO = 128;
const PART_TIMES = 4;
/** A file of one zstd cubin is smaller than a quarter of it. */
const PART_FLOOR = 64 * 2 ** 20;

/** The frame states its content's size, which bounds what is allocated. node:zlib keeps memory until the next tick. */
function unpackZstd(packed: Uint8Array, size: number): Uint8Array {
  const frame = readFrame(packed);
  if (frame.contentBytes !== size) {
    throw new ImageFault('malformed', `the zstd frame holds ${frame.contentBytes ?? 'unstated'} bytes, not ${size}`);
  }
  try {
    return Bun.zstdDecompressSync(packed.subarray(0, frame.size));
  } catch (error) {
    throw new ImageFault('malformed', `damaged zstd: ${messageOf(error)}`);
  }
}
