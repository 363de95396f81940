/**
 * Compiled files by the hash of all that made them. A file is written beside its name and then renamed, so that it
 * appears whole and any number of processes may share a folder. A sealed file ends with the hash of what stands before it:
 * what a full disk or a copy cut short left of one is absent to its reader, and is made again. ELF files and precompiled
 * headers keep working with a seal behind them.
 */

import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';

let serial = 0;

const SEAL_BYTES = 32;

const sealOf = (bytes: Uint8Array): Uint8Array => new Bun.CryptoHasher('sha256').update(bytes).digest();

/** SHA-256 of parts, each kept apart from the next, as hex. */
export function hashOf(...parts: readonly (string | Uint8Array)[]): string {
  const hasher = new Bun.CryptoHasher('sha256');
  for (const part of parts) hasher.update(`${part.length}:`).update(part);
  return hasher.digest('hex');
}

/** One hash over the names and contents of every file below a folder. */
export function hashOfFolder(folder: string): string {
  const names = readdirSync(folder, { recursive: true }).map(String).sort();
  const files = names.filter((name) => statSync(join(folder, name)).isFile());
  return hashOf(...files.flatMap((name) => [name, readFileSync(join(folder, name))]));
}

/** The bytes of a cached file, or null. */
export function readCached(path: string): Uint8Array | null {
  try {
    return new Uint8Array(readFileSync(path));
  } catch {
    return null;
  }
}

/** A name in the folder of `path` that no other writer uses. */
export function temporaryBeside(path: string): string {
  mkdirSync(join(path, '..'), { recursive: true });
  return `${path}.${process.pid}-${threadId}-${serial++}`;
}

/** Gives a finished temporary file its name; the last writer of equal files wins. */
export function publish(temporary: string, path: string): void {
  renameSync(temporary, path);
}

/** Writes a file so that a reader finds all of it or what was there before; leaves nothing beside it where that fails. */
export function writeWhole(path: string, data: string | Uint8Array): void {
  const temporary = temporaryBeside(path);
  try {
    writeFileSync(temporary, data);
    publish(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** The bytes of a sealed file less its seal, or null where the file is absent or not what was sealed. */
export function readSealed(path: string): Uint8Array | null {
  const file = readCached(path);
  if (!file || file.length < SEAL_BYTES) return null;
  const bytes = file.subarray(0, -SEAL_BYTES);
  return Buffer.compare(sealOf(bytes), file.subarray(-SEAL_BYTES)) === 0 ? bytes : null;
}

/** Seals a finished temporary file, gives it its name and returns its bytes. */
export function publishSealed(temporary: string, path: string): Uint8Array {
  const bytes = new Uint8Array(readFileSync(temporary));
  appendFileSync(temporary, sealOf(bytes));
  publish(temporary, path);
  return bytes;
}

export function writeSealed(path: string, data: string): void {
  const bytes = Buffer.from(data);
  writeWhole(path, Buffer.concat([bytes, sealOf(bytes)]));
}
