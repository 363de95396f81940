/** The outline of a zstd frame: what it says of its content, and where it ends, without decompressing. */
import type { Reader } from './bytes.ts';
import { ImageFault, readerOf, slice, u16, u32, u64, u8 } from './bytes.ts';

export interface ZstdFrame {
  /** Decompressed size by the frame's header; undefined where it has none. */
  readonly contentBytes: number | undefined;
  /** Bytes of the frame itself. */
  readonly size: number;
}

/** The frame at the start of `bytes`, which may go on after it. Throws ImageFault. */
export function readFrame(bytes: Uint8Array): ZstdFrame {
  const reader = readerOf(bytes);
  if (u32(reader, 0) !== MAGIC) throw new ImageFault('malformed', 'no zstd frame magic');
  const descriptor = u8(reader, 4);
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] ?? 0;
  const sizeAt = 5 + (isSingleSegment ? 0 : 1) + dictionaryBytes;
  const sizeBytes = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0;
  const end = blocksEnd(reader, sizeAt + sizeBytes);
  const size = end + ((descriptor & 4) !== 0 ? CHECKSUM_BYTES : 0);
  slice(reader, 0, size);
  return { contentBytes: contentBytes(reader, sizeAt, sizeBytes), size };
}

// --- details ---

const MAGIC = 0xfd2fb528;
const CHECKSUM_BYTES = 4;

function contentBytes(reader: Reader, at: number, sizeBytes: number): number | undefined {
  if (sizeBytes === 0) return undefined;
  if (sizeBytes === 1) return u8(reader, at);
  // Two bytes count from 256 on: smaller sizes fit one.
  if (sizeBytes === 2) return u16(reader, at) + 256;
  return sizeBytes === 4 ? u32(reader, at) : u64(reader, at);
}

/** Where the block marked last ends. */
function blocksEnd(reader: Reader, start: number): number {
  for (let at = start; ;) {
    const header = u16(reader, at) + u8(reader, at + 2) * 2 ** 16;
    const type = (header >> 1) & 3;
    if (type === 3) throw new ImageFault('malformed', 'a zstd block of a reserved type');
    // A run-length block holds one byte, whatever it regenerates.
    at += 3 + (type === 1 ? 1 : header >> 3);
    if ((header & 1) === 1) return at;
  }
}
