/**
 * Images of one source, compiled where something that made them has changed. Beside them lies the hash of all that did: the
 * compiler, its flags, the source with its headers, the chips; and of the images themselves, so that a damaged one is made anew.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Dialect } from '../../families/formula/functions.ts';
import { hashOf, readCached, writeWhole } from '../toolchain/cache.ts';
import { VENDORS } from './all.ts';
import type { Compile, Compiled, Compiler } from './vendor.ts';

export interface ImageBuild {
  readonly dialect: Dialect;
  readonly compiler: Compiler;
  readonly compile: Compile;
  /** A hash of the source, its headers and its defines. */
  readonly sourceHash: string;
}

export interface BuiltImages {
  readonly compiled: readonly Compiled[];
  /** Whether nothing had to be compiled. */
  readonly cached: boolean;
}

/** The images of a source, or the compiler's words. A failed compile is not remembered. */
export async function buildImages(build: ImageBuild): Promise<BuiltImages> {
  const { dialect, compiler, compile } = build;
  const key = keyOf(build);
  const receipt = `${compile.output}.made`;
  const known = readReceipt(receipt, key);
  if (known) return { compiled: known, cached: true };
  mkdirSync(dirname(compile.output), { recursive: true });
  rmSync(receipt, { force: true });
  const compiled = await VENDORS[dialect].compile(compiler, compile);
  if (compiled.every((part) => 'image' in part)) writeReceipt(receipt, key, compiled);
  return { compiled, cached: false };
}

function keyOf({ dialect, compiler, compile, sourceHash }: ImageBuild): string {
  const { source, chips, includeDirs } = compile;
  const { name, version } = compiler;
  const salt = VENDORS[dialect].salt(compiler);
  return hashOf(name, version, salt, sourceHash, source, JSON.stringify([chips, includeDirs]));
}

interface Receipt {
  readonly key: string;
  readonly parts: readonly { readonly chips: readonly string[]; readonly image: string; readonly hash: string }[];
}

function readReceipt(path: string, key: string): Compiled[] | undefined {
  const bytes = readCached(path);
  if (!bytes) return undefined;
  try {
    const receipt = JSON.parse(new TextDecoder().decode(bytes)) as Receipt;
    if (receipt.key !== key || !receipt.parts.every(({ image, hash }) => imageHash(image) === hash)) return undefined;
    return receipt.parts.map(({ chips, image }) => ({ chips, image }));
  } catch {
    return undefined; // not a receipt, or one of another version: the images are made again
  }
}

function writeReceipt(path: string, key: string, compiled: readonly Compiled[]): void {
  const parts = compiled.flatMap((part) => ('image' in part ? [{ ...part, hash: imageHash(part.image) }] : []));
  writeWhole(path, JSON.stringify({ key, parts }));
}

/** '' where there is no such file, which no receipt holds. */
function imageHash(path: string): string {
  const bytes = readCached(path);
  return bytes ? hashOf(bytes) : '';
}
