/**
 * Images, the host device's runtime and the shims of GPUs: compiled by the toolchain when run from source, embedded in the executable. Embedded
 * files are read as bytes and never loaded by path, so that no temporary folder is needed.
 */
import { outside } from '../spec/outside.ts';
import { shownPath } from '../spec/shown-path.ts';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Dialect } from '../families/formula/functions.ts';
import { KERNELS } from '../spec/folder.ts';
import { DeviceError } from './device.ts';
import type { ImageRequest, ImageResult, ImageStore } from './images.ts';
import { imageKey } from './images.ts';
import { findClang } from './toolchain/clang.ts';
import { compileHost } from './toolchain/host.ts';
import { unpackHost } from './toolchain/unpack.ts';
import { buildRuntime } from './toolchain/runtime.ts';
import { OWN_PROCESSOR, type Processor } from './toolchain/target.ts';
import { buildShim } from './shims/build.ts';

/** The folder that the build embeds, as it is found inside the executable. */
export const EMBEDDED = 'embedded';
export const RUNTIME_FILE = 'runtime';
export const shimFile = (dialect: Dialect): string => `${dialect}.shim`;
/** An image's file is compressed by zstd; in place of one that did not compile is the compiler's text. */
export const imageFile = (key: string): string => `${key}.image`;
export const errorFile = (key: string): string => `${key}.error`;

const embedded = (file: string): string => join(import.meta.dir, EMBEDDED, file);

/** The bytes of the host device's runtime; throws a ToolchainError where it has to be built and cannot be. */
export async function runtimeImage(): Promise<Uint8Array> {
  return Bun.isStandaloneExecutable ? readFileSync(embedded(RUNTIME_FILE)) : buildRuntime();
}

/** The bytes of the shim of a dialect's GPUs; throws as runtimeImage does, and a DeviceError where the executable has none. */
export async function shimImage(dialect: Dialect): Promise<Uint8Array> {
  if (!Bun.isStandaloneExecutable) return buildShim(dialect);
  const file = embedded(shimFile(dialect));
  if (existsSync(file)) return readFileSync(file);
  throw new DeviceError(
    'absent',
    `this executable holds no shim for ${dialect}; take the build for a system that has one`,
  );
}

/** Where the images of GPUs lie that the executable holds, packed, if it was built with any. */
export const gpuImages = (): string => join(import.meta.dir, EMBEDDED);

/** Where images come from in this process: contracts from outside are in no executable. */
export const openImages = (): ImageStore =>
  Bun.isStandaloneExecutable && !outside() ? { get: readEmbedded } : compilingStore(outside()?.root);

/** Finds the compiler and its headers where kernels from outside are compiled; throws a ToolchainError, once for all of them. */
export async function readyCompiler(): Promise<void> {
  if (!outside()) return;
  await findClang();
  await unpackHost();
}

/** A store that compiles each request for the host device of a processor, or finds it compiled before. */
export function compilingStore(root: string = KERNELS, processor: Processor = OWN_PROCESSOR): ImageStore {
  return {
    get: ({ kind, dialect, warp, path, text, defines }) => {
      const includeDirs = [join(root, 'shared', HEADERS[dialect]), join(root, dirname(path))];
      const shown = { folder: root, as: shownPath('') };
      const own = { kind, dialect, defines, includeDirs, shown, processor, ...(warp !== undefined && { warp }) };
      return compileHost({ ...own, source: text, path: shownPath(path) });
    },
  };
}

/** The folder of the headers that several kernels share, by dialect. */
export const HEADERS: Readonly<Record<Dialect, string>> = { cuda: 'cuda', hip: 'hip', metal: 'metal', xpu: 'opencl' };

async function readEmbedded(request: ImageRequest): Promise<ImageResult> {
  const key = imageKey(request);
  const image = embedded(imageFile(key));
  if (existsSync(image)) return { image: Bun.zstdDecompressSync(readFileSync(image)) };
  const error = embedded(errorFile(key));
  if (existsSync(error)) return { error: readFileSync(error, 'utf8') };
  return {
    error: `${request.path}: this executable holds no ${request.kind} image of it. Run from source, where the compiler is used.`,
  };
}
