/**
 * Bounds-checked reading of untrusted bytes. Every function here either stays inside its bytes or throws an
 * ImageFault; a public reader wraps its work in `attempt`, which turns the fault into an ImageProblem.
 */
import type { ImageProblem, ImageReading } from '../measured.ts';

/** Bytes with a view over them. Offsets count from the reader's own start. */
export interface Reader {
  readonly bytes: Uint8Array;
  readonly view: DataView;
}

/** What is left of a bound on work or memory; `spend` takes from it. */
export interface Allowance {
  left: number;
}

/** Why bytes cannot be read. Never leaves the public readers. */
export class ImageFault extends Error {
  constructor(
    readonly problemClass: ImageProblem['class'],
    message: string,
  ) {
    super(message);
  }
}

export function readerOf(bytes: Uint8Array): Reader {
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength) };
}

export function u8(reader: Reader, at: number): number {
  inside(reader, at, 1);
  return reader.view.getUint8(at);
}

export function u16(reader: Reader, at: number, bigEndian = false): number {
  inside(reader, at, 2);
  return reader.view.getUint16(at, !bigEndian);
}

export function u32(reader: Reader, at: number, bigEndian = false): number {
  inside(reader, at, 4);
  return reader.view.getUint32(at, !bigEndian);
}

/** As a number: from 2^53 up it is rounded, and still far outside any file. */
export function u64(reader: Reader, at: number, bigEndian = false): number {
  inside(reader, at, 8);
  const low = reader.view.getUint32(bigEndian ? at + 4 : at, !bigEndian);
  const high = reader.view.getUint32(bigEndian ? at : at + 4, !bigEndian);
  return high * 2 ** 32 + low;
}

/** A view of `length` bytes at `at`, not a copy. */
export function slice(reader: Reader, at: number, length: number): Uint8Array {
  inside(reader, at, length);
  return reader.bytes.subarray(at, at + length);
}

/** `length` bytes as UTF-8. */
export function text(reader: Reader, at: number, length: number): string {
  return UTF8.decode(slice(reader, at, length));
}

/** The bytes from `at` to the next NUL, as UTF-8. No NUL is a fault. */
export function textToNul(reader: Reader, at: number): string {
  inside(reader, at, 1);
  const end = reader.bytes.indexOf(0, at);
  if (end < 0) throw new ImageFault('truncated', `the text at offset ${at} has no end`);
  return text(reader, at, end - at);
}

/** Whether the bytes at `at` are those of `ascii`; false where they would lie outside. */
export function startsWith(bytes: Uint8Array, ascii: string, at = 0): boolean {
  for (let i = 0; i < ascii.length; i++) if (bytes[at + i] !== ascii.charCodeAt(i)) return false;
  return true;
}

export function spend(allowance: Allowance, amount: number, what: string): void {
  allowance.left -= amount;
  if (!(allowance.left >= 0)) throw new ImageFault('malformed', what);
}

/** What `read` returns, or the problem it met at `where`. Anything but an ImageFault is a fault of ours and passes. */
export function attempt<T>(where: string, read: () => T): T | ImageProblem {
  try {
    return read();
  } catch (fault) {
    if (fault instanceof ImageFault) return { class: fault.problemClass, where, what: fault.message };
    throw fault;
  }
}

/** As `attempt`, for a reader that answers with a reading. */
export function attemptReading(where: string, read: () => ImageReading): ImageReading {
  const answer = attempt(where, read);
  return 'class' in answer ? { kernels: [], problems: [answer] } : answer;
}

// --- details ---

const UTF8 = new TextDecoder();

function inside(reader: Reader, at: number, length: number): void {
  if (at >= 0 && length >= 0 && at + length <= reader.bytes.length) return;
  const have = reader.bytes.length;
  throw new ImageFault('truncated', `${length} bytes at offset ${at} lie outside the ${have} bytes there are`);
}
