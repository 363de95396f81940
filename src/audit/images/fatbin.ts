/** CUDA fatbins: containers back to back, each of entries that hold PTX, a cubin or LTO-IR for one SM. */
import { aligned } from './elf.ts';
import type { Reader } from './bytes.ts';
import { ImageFault, readerOf, slice, u16, u32, u64 } from './bytes.ts';
import { unpack } from './unpack.ts';

export const FATBIN_MAGIC = 0xba55ed50;

/** One entry. `packed` is its payload as stored; `unpackEntry` gives the content. */
export interface FatbinEntry {
  /** The container's place in the file, and the entry's place among all of the file's entries. */
  readonly container: number;
  readonly index: number;
  readonly kind: 'ptx' | 'cubin' | 'lto' | number;
  readonly sm: number;
  /** `sm_90`, `sm_90a`, `sm_100f`. */
  readonly chip: string;
  readonly flags: number;
  readonly debug: boolean;
  readonly packing: 'stored' | 'zstd' | 'lz4' | 'unknown';
  readonly packed: Uint8Array;
  readonly size: number;
}

/** Whether `bytes` begin a fatbin container. */
export function isFatbin(bytes: Uint8Array): boolean {
  return bytes.length >= 4 && u32(readerOf(bytes), 0) === FATBIN_MAGIC;
}

/**
 * The entries of every container, in the file's order, without unpacking any. Throws ImageFault where the bytes
 * break the format; the entries before that were given.
 */
export function* fatbinEntries(bytes: Uint8Array): Generator<FatbinEntry> {
  const reader = readerOf(bytes);
  let index = 0;
  let container = 0;
  for (let at = nextContainer(reader, 0); at < bytes.length; at = nextContainer(reader, at)) {
    const end = at + CONTAINER_BYTES + containerSize(reader, at);
    for (let entry = at + u16(reader, at + 6); entry < end; index++) {
      const length = u32(reader, entry + 4) + u64(reader, entry + 8);
      if (entry + length > end) throw new ImageFault('truncated', `entry ${index} is longer than its container`);
      yield entryAt(reader, entry, container, index);
      entry += length;
    }
    container++;
    at = end;
  }
}

/** An entry's content, unpacked where it is compressed, to `largest` bytes at most. */
export function unpackEntry(entry: FatbinEntry, largest: number): Uint8Array {
  const { packing, packed, size } = entry;
  if (packing === 'stored') return packed;
  if (packing !== 'unknown') return unpack(packing, packed, size, largest);
  throw new ImageFault('newer-than-known', `flags 0x${entry.flags.toString(16)} name no known compression`);
}

// --- details ---

const CONTAINER_BYTES = 16;
const ENTRY_BYTES = 64;
const KNOWN_VERSION = 1;
const KINDS: Readonly<Record<number, 'ptx' | 'cubin' | 'lto'>> = { 1: 'ptx', 2: 'cubin', 8: 'lto' };
const FLAG = { debug: 0x2, lz4: 0x2000, zstd: 0x8000, archSpecific: 0x100000, family: 0x200000 };

/** Where the next container begins: containers start at multiples of 8, with zeros between them. */
function nextContainer(reader: Reader, from: number): number {
  let at = aligned(from, 8);
  while (at + 4 <= reader.bytes.length && u32(reader, at) === 0) at += 8;
  if (at + 4 > reader.bytes.length) return reader.bytes.length;
  if (u32(reader, at) !== FATBIN_MAGIC) throw new ImageFault('malformed', `no fatbin container at offset ${at}`);
  return at;
}

function containerSize(reader: Reader, at: number): number {
  const version = u16(reader, at + 4);
  if (version > KNOWN_VERSION) throw new ImageFault('newer-than-known', `fatbin version ${version}`);
  if (u16(reader, at + 6) < CONTAINER_BYTES) throw new ImageFault('malformed', 'a fatbin header under 16 bytes');
  const size = u64(reader, at + 8);
  const have = reader.bytes.length - at - CONTAINER_BYTES;
  if (size > have) throw new ImageFault('truncated', `a fatbin container of ${size} bytes, of which ${have} are there`);
  return size;
}

function entryAt(reader: Reader, at: number, container: number, index: number): FatbinEntry {
  const header = u32(reader, at + 4);
  if (header < ENTRY_BYTES) throw new ImageFault('malformed', `entry ${index} has a header of ${header} bytes`);
  const flags = u64(reader, at + 40);
  const packedSize = u32(reader, at + 16);
  const storedSize = u64(reader, at + 8);
  if (packedSize > storedSize) throw new ImageFault('malformed', `entry ${index} is longer than its payload`);
  const kind = u16(reader, at);
  const sm = u32(reader, at + 28);
  return {
    container,
    index,
    kind: KINDS[kind] ?? kind,
    sm,
    chip: `sm_${sm}${suffixOf(flags)}`,
    flags,
    debug: has(flags, FLAG.debug),
    packing: packingOf(flags, packedSize),
    packed: slice(reader, at + header, packedSize === 0 ? storedSize : packedSize),
    size: packedSize === 0 ? storedSize : u64(reader, at + 56),
  };
}

const has = (flags: number, flag: number): boolean => (flags & flag) !== 0;

function suffixOf(flags: number): '' | 'a' | 'f' {
  if (has(flags, FLAG.archSpecific)) return 'a';
  return has(flags, FLAG.family) ? 'f' : '';
}

function packingOf(flags: number, packedSize: number): FatbinEntry['packing'] {
  if (packedSize === 0) return 'stored';
  if (has(flags, FLAG.zstd)) return 'zstd';
  return has(flags, FLAG.lz4) ? 'lz4' : 'unknown';
}
