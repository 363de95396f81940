/**
 * What a compiled image was made from, found again without running the compiler: the source with its options leads to a
 * manifest, the manifest lists the files that the source included, and if those are unchanged it names the image.
 */

import { join } from 'node:path';
import { hashOf, readCached, readSealed, writeSealed } from './cache.ts';

interface Manifest {
  readonly files: readonly (readonly [path: string, hash: string])[];
  readonly image: string;
}

/** The image that the source under `key` made, if every file it included is what it was. */
export function cachedImage(folder: string, key: string): Uint8Array | null {
  const text = readSealed(manifestPath(folder, key));
  if (!text) return null;
  const manifest = JSON.parse(new TextDecoder().decode(text)) as Manifest;
  const isCurrent = manifest.files.every(([path, hash]) => hashOfFile(path) === hash);
  return isCurrent ? readSealed(imagePath(folder, manifest.image)) : null;
}

/** Records that the source under `key`, with the files it includes, made the image `image`. */
export function rememberImage(folder: string, key: string, files: readonly string[], image: string): void {
  const manifest: Manifest = { files: files.map((path) => [path, hashOfFile(path)] as const), image };
  writeSealed(manifestPath(folder, key), JSON.stringify(manifest));
}

/** The path of the image whose content hash is `image`. */
export function imagePath(folder: string, image: string): string {
  return join(folder, `${image}.so`);
}

function manifestPath(folder: string, key: string): string {
  return join(folder, `${key}.json`);
}

function hashOfFile(path: string): string {
  const bytes = readCached(path);
  return bytes ? hashOf(bytes) : 'absent';
}
