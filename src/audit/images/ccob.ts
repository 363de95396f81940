/** A compressed offload bundle, versions 1 to 3: a header and a zlib or zstd stream of a plain bundle. */
import { inflateSync } from 'node:zlib';
import type { Allowance, Reader } from './bytes.ts';
import { ImageFault, readerOf, slice, spend, startsWith, u16, u32, u64 } from './bytes.ts';
import { readFrame } from './zstd-frame.ts';

export interface Unpacked {
  /** The plain bundle. */
  readonly bytes: Uint8Array;
  /** Bytes of the compressed bundle, header included. */
  readonly size: number;
}

export function isCompressedBundle(bytes: Uint8Array, at = 0): boolean {
  return startsWith(bytes, MAGIC, at);
}

/**
 * What a file of `fileBytes` may unpack to, over all its bundles. Code objects pack by 5 to 20; bundles of small
 * kernels, whose entries are aligned to 4,096, by more, hence the floor.
 */
export function unpackAllowance(fileBytes: number): Allowance {
  return { left: Math.max(UNPACKED_FLOOR, UNPACKED_RATIO * fileBytes) };
}

/** Unpacks the compressed bundle at the start of `bytes`, which may go on after it. Throws ImageFault. */
export function unpack(bytes: Uint8Array, allowance: Allowance): Unpacked {
  const header = headerOf(readerOf(bytes));
  const { uncompressed, packed, headerBytes } = header;
  spend(allowance, uncompressed, `unpacks to ${uncompressed} bytes: more than ${UNPACKED_RATIO} times the file`);
  if (header.method === ZSTD) return unpackZstd(packed, uncompressed, headerBytes);
  if (header.method === ZLIB) return unpackZlib(packed, uncompressed, headerBytes);
  throw new ImageFault('newer-than-known', `compression method ${header.method}; zlib and zstd are known`);
}

// --- details ---

const MAGIC = 'CCOB';
const ZLIB = 0;
const ZSTD = 1;
const UNPACKED_RATIO = 64;
const UNPACKED_FLOOR = 2 ** 20;

interface Header {
  readonly method: number;
  readonly uncompressed: number;
  readonly headerBytes: number;
  /** Version 1 does not say where it ends: then everything that follows. */
  readonly packed: Uint8Array;
}

function headerOf(reader: Reader): Header {
  if (!isCompressedBundle(reader.bytes)) throw new ImageFault('not-an-image', 'no compressed bundle magic');
  const version = u16(reader, 4);
  const method = u16(reader, 6);
  if (version === 1) return { method, uncompressed: u32(reader, 8), ...payload(reader, 20, reader.bytes.length) };
  if (version === 2) return { method, uncompressed: u32(reader, 12), ...payload(reader, 24, u32(reader, 8)) };
  if (version === 3) return { method, uncompressed: u64(reader, 16), ...payload(reader, 32, u64(reader, 8)) };
  const known = version > 3 ? 'newer-than-known' : 'malformed';
  throw new ImageFault(known, `compressed bundle version ${version}; 1 to 3 are known`);
}

function payload(reader: Reader, headerBytes: number, total: number): Pick<Header, 'headerBytes' | 'packed'> {
  return { headerBytes, packed: slice(reader, headerBytes, total - headerBytes) };
}

/** The frame must say how much it holds: that is checked before anything is allocated. */
function unpackZstd(packed: Uint8Array, uncompressed: number, headerBytes: number): Unpacked {
  const frame = readFrame(packed);
  if (frame.contentBytes !== uncompressed) {
    const stated = frame.contentBytes ?? 'no number of';
    throw new ImageFault('malformed', `the header says ${uncompressed} bytes, the zstd frame ${stated} bytes`);
  }
  const bytes = unpacking(() => Bun.zstdDecompressSync(packed.subarray(0, frame.size)));
  return unpacked(bytes, uncompressed, headerBytes + frame.size);
}

function unpackZlib(packed: Uint8Array, uncompressed: number, headerBytes: number): Unpacked {
  // With `info` the answer says how much was read; the type of the call does not know.
  const options = { maxOutputLength: Math.max(uncompressed, 1), info: true };
  const answer = unpacking(() => inflateSync(packed, options)) as unknown as Inflated;
  return unpacked(answer.buffer, uncompressed, headerBytes + answer.engine.bytesWritten);
}

interface Inflated {
  readonly buffer: Uint8Array;
  readonly engine: { readonly bytesWritten: number };
}

function unpacked(bytes: Uint8Array, uncompressed: number, size: number): Unpacked {
  if (bytes.length === uncompressed) return { bytes, size };
  throw new ImageFault('malformed', `unpacks to ${bytes.length} bytes where its header says ${uncompressed}`);
}

/** A decompressor throws on broken streams and on output past its bound. */
function unpacking<T>(decompress: () => T): T {
  try {
    return decompress();
  } catch (fault) {
    throw new ImageFault('malformed', `does not decompress: ${fault instanceof Error ? fault.message : String(fault)}`);
  }
}
