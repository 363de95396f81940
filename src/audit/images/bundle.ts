/** A clang offload bundle: the images of several chips behind one table. Throws ImageFault. */
import { ImageFault, readerOf, slice, startsWith, text, u64 } from './bytes.ts';

export interface Bundle {
  readonly entries: readonly BundleEntry[];
  /** Bytes up to the end of the last entry. */
  readonly size: number;
}

export interface BundleEntry {
  /** `hipv4-amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-`. */
  readonly id: string;
  /** Empty for the host's entry. */
  readonly bytes: Uint8Array;
}

export function isBundle(bytes: Uint8Array, at = 0): boolean {
  return startsWith(bytes, MAGIC, at);
}

/** The bundle at the start of `bytes`, which may go on after it. Entries that overlap are refused. */
export function readBundle(bytes: Uint8Array): Bundle {
  const reader = readerOf(bytes);
  if (!isBundle(bytes)) throw new ImageFault('not-an-image', 'no offload bundle magic');
  const count = u64(reader, MAGIC.length);
  const places: Place[] = [];
  let at = HEADER_BYTES;
  for (let i = 0; i < count; i++) {
    const idBytes = u64(reader, at + 16);
    if (idBytes > ID_BYTES) throw new ImageFault('malformed', `entry ${i} has an id of ${idBytes} bytes`);
    places.push({
      offset: u64(reader, at),
      size: u64(reader, at + 8),
      id: text(reader, at + ENTRY_BYTES, idBytes),
    });
    at += ENTRY_BYTES + idBytes;
  }
  checkOverlap(places, at);
  return {
    entries: places.map(({ id, offset, size }) => ({ id, bytes: slice(reader, offset, size) })),
    size: places.reduce((end, { offset, size }) => Math.max(end, offset + size), at),
  };
}

// --- details ---

const MAGIC = '__CLANG_OFFLOAD_BUNDLE__';
const HEADER_BYTES = 32;
const ENTRY_BYTES = 24;
const ID_BYTES = 4096;

interface Place {
  readonly offset: number;
  readonly size: number;
  readonly id: string;
}

/** Shared bytes would be read once an entry: work out of proportion to the file. */
function checkOverlap(places: readonly Place[], headerEnd: number): void {
  let end = headerEnd;
  for (const { id, offset, size } of places.toSorted((a, b) => a.offset - b.offset)) {
    if (size === 0) continue;
    if (offset < end) throw new ImageFault('malformed', `the entry ${id} overlaps what stands before it`);
    end = offset + size;
  }
}
