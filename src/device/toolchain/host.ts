/**
 * A kernel source to an image of the host device: the preprocessor, the dialect's lowering, then `image.ts`. An image is
 * a shared object that needs nothing from outside; ffi/host/image.h says what it exports.
 */

import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { hashOf, hashOfFolder, readSealed } from './cache.ts';
import { type Clang, findClang } from './clang.ts';
import { HOST_HASH } from './host-hash.ts';
import { ToolchainError } from './toolchain-error.ts';
import { explain } from './diagnostics.ts';
import type { ImageKind } from '../images.ts';
import { forkFrom } from './fork-library.ts';
import { CACHE_FOLDER, HOST_FOLDER, HOST_NAME, type HostDialect, preprocessFlags } from './flags.ts';
import { buildImage, CompileError, type LoweredSource, NoSteps } from './image.ts';
import { lowerCuda } from './lower/cuda.ts';
import { LoweringError } from './lower/error.ts';
import { filesOf, withFileNames } from './lower/locate.ts';
import { lowerMetal } from './lower/metal.ts';
import { lowerOpencl } from './lower/opencl.ts';
import { cachedImage, imagePath, rememberImage } from './manifest.ts';
import { run } from '../processes/process.ts';
import { OWN_PROCESSOR, type Processor } from './target.ts';
import { unpackHost } from './unpack.ts';

export type { HostDialect } from './flags.ts';

/** One kernel source to compile. */
export interface HostSource {
  readonly kind: ImageKind;
  readonly dialect: HostDialect;
  readonly source: string;
  /** The source's name in messages; its folder is where quoted includes are looked for first. */
  readonly path: string;
  readonly defines: Readonly<Record<string, string | number>>;
  readonly includeDirs: readonly string[];
  /** A folder whose files images and messages call by another name, so that they name no folder of the machine that made them. */
  readonly shown?: { readonly folder: string; readonly as: string };
  /** Lanes of a warp; 32 where it is left out. A kernel of OpenCL C that requires a size has that. */
  readonly warp?: number;
  /** What the image runs on; this machine's own where it is left out. */
  readonly processor?: Processor;
}

/** An image, or why there is none: messages that name the source's own lines. */
export type HostImage = { readonly image: Uint8Array } | { readonly error: string };

/** Lanes of a warp, where nothing else is said. */
const WARP = 32;

/** Steps may be turned off, to look at a fault of theirs or to measure them. */
const inSteps = ({ dialect }: HostSource): boolean => dialect !== 'xpu' && process.env['TF_HOST_FORM'] !== 'fibers';

let own: string | undefined;
let forking: Promise<void> | undefined;

/** Compiles a kernel source for the host device, or finds it compiled before. */
export async function compileHost(source: HostSource): Promise<HostImage> {
  try {
    const clang = await findClang();
    await unpackHost();
    const key = sourceKey(clang, source);
    return { image: cachedImage(CACHE_FOLDER, key) ?? (await compile(clang, source, key)) };
  } catch (error) {
    if (error instanceof CompileError || error instanceof LoweringError || error instanceof ToolchainError) {
      return { error: error.message };
    }
    throw error;
  }
}

/** Why the kernels of a source run as fibers; '' where they are steps. For tests: nothing else depends on the form. */
export async function whyFibers(source: HostSource): Promise<string> {
  try {
    await build(await findClang(), source, true);
    return '';
  } catch (error) {
    if (error instanceof NoSteps) return error.message;
    throw error;
  }
}

async function compile(clang: Clang, source: HostSource, key: string): Promise<Uint8Array> {
  await (forking ??= forkFrom(clang));
  const { bytes, name, text } = await buildEither(clang, source);
  const included = filesOf(text).filter((file) => file !== source.path && !file.startsWith(HOST_FOLDER));
  rememberImage(CACHE_FOLDER, key, included, name);
  return bytes;
}

interface Built {
  readonly bytes: Uint8Array;
  readonly name: string;
  /** The preprocessed source. */
  readonly text: string;
}

/** Kernels become steps where they can, and fibers where not. */
async function buildEither(clang: Clang, source: HostSource): Promise<Built> {
  if (!inSteps(source)) return build(clang, source, false);
  try {
    return await build(clang, source, true);
  } catch (error) {
    if (!(error instanceof NoSteps)) throw error;
    return build(clang, source, false);
  }
}

async function build(clang: Clang, source: HostSource, inSteps: boolean): Promise<Built> {
  const { kind, dialect, path, processor = OWN_PROCESSOR, warp = WARP } = source;
  const text = await preprocess(clang, source, inSteps);
  const lowered = lower(
    source,
    withFileNames(text, (file) => shownName(file, source)),
  );
  const salt = hashOf(ownHash(), clang.version);
  const name = hashOf(salt, kind, dialect, processor, String(warp), lowered.text, lowered.table ?? '');
  const file = imagePath(CACHE_FOLDER, name);
  const request = { kind, dialect, processor, warp, lowered, inSteps, path, source: source.source, salt };
  return { bytes: readSealed(file) ?? (await buildImage(clang, request, file)), name, text };
}

/** What an image calls a file that its source includes. */
function shownName(file: string, { shown }: HostSource): string {
  if (file.startsWith(`${HOST_FOLDER}/`)) return HOST_NAME + file.slice(HOST_FOLDER.length);
  return shown && file.startsWith(`${shown.folder}/`) ? join(shown.as, relative(shown.folder, file)) : file;
}

/** Everything that decides the image but the files that the source includes. */
function sourceKey(clang: Clang, source: HostSource): string {
  const defines = Object.entries(source.defines).map(([name, value]) => `${name}=${value}`);
  return hashOf(
    ownHash(),
    clang.version,
    source.kind,
    source.source,
    source.path,
    source.shown?.as ?? '',
    ...defines,
    ...flagsOf(source, inSteps(source)),
  );
}

/** A hash of what images are made of, which the runtime is no part of: the headers and this folder. */
function ownHash(): string {
  return (own ??= HOST_HASH || hostHash(HOST_FOLDER, import.meta.dir));
}

/** The hash by which the executable knows the headers and the lowering that it holds. */
export function hostHash(headers: string, toolchain: string): string {
  const own = ['image.h', 'switch.h'].map((name) => readFileSync(join(headers, name)));
  return hashOf(hashOfFolder(join(headers, 'dialect')), ...own, hashOfFolder(toolchain));
}

async function preprocess(clang: Clang, source: HostSource, inSteps: boolean): Promise<string> {
  const defines = Object.entries(source.defines).map(([name, value]) => `#define ${name} ${value}\n`);
  const text = `${defines.join('')}# 1 ${JSON.stringify(source.path)}\n${source.source}\n`;
  const { code, stdout, stderr } = await run([clang.path, ...flagsOf(source, inSteps)], text);
  if (code !== 0) throw new CompileError(explain(stderr, source.path, source.source));
  return stdout;
}

function flagsOf(source: HostSource, inSteps: boolean): string[] {
  const { kind, dialect, path, includeDirs, processor = OWN_PROCESSOR, warp = WARP } = source;
  return preprocessFlags({
    kind,
    dialect,
    processor,
    warp,
    inSteps,
    includeDirs,
    sourceFolder: resolve(dirname(path)),
  });
}

// --- the lowering of a dialect ---

function lower(source: HostSource, text: string): LoweredSource {
  const lowered = lowerText(source, text);
  if (lowered.symbols.length > 0) return lowered;
  throw new CompileError(`${source.path}: error: ${WITHOUT_KERNEL[source.dialect]}`);
}

function lowerText({ dialect, path, defines }: HostSource, text: string): LoweredSource {
  if (dialect === 'metal') return lowerMetal(text, { headers: HOST_NAME, defines });
  if (dialect === 'xpu') return lowerOpencl(text, { headers: HOST_NAME, path });
  return lowerCuda(text, HOST_NAME);
}

const INSTANTIATE = 'a template is one only by an explicit instantiation';
const WITHOUT_KERNEL: Readonly<Record<HostDialect, string>> = {
  cuda: `no __global__ function is defined; ${INSTANTIATE}, \`template __global__ void f<float>(...);\``,
  hip: `no __global__ function is defined; ${INSTANTIATE}, \`template __global__ void f<float>(...);\``,
  metal: `no kernel is defined; ${INSTANTIATE}, \`template [[host_name("f")]] kernel void f<float>(...);\``,
  xpu: 'no kernel is defined; write `kernel void f(...)`',
};
