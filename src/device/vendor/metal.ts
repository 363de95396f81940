/**
 * Apple's Metal toolchain: one source to a metallib, and each pipeline of it translated for a chip, once as it is and once for
 * each thread count that is asked about. No image states a pipeline's thread limit; whoever compares the translations finds it.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Compile, Compiled, Compiler, Missing, Vendor } from './vendor.ts';
import { firstOf, notFound, outputOf, releaseOf, runIn, sourceFlags, wordsOf } from './vendor.ts';

const PLACES = ['xcrun', '/usr/bin/xcrun'];
const INSTALL =
  'on a Mac, install Xcode and its Metal toolchain (xcodebuild -downloadComponent MetalToolchain), ' +
  'or name xcrun by --metal or TF_METAL';
const FLAGS = ['-std=metal3.2', '-O2'];
const SDK = ['-sdk', 'macosx'];
/** The first macOS that runs the pipelines, and the SDK. */
const PLATFORM = ['-platform_version', 'macos', '14.0', '26.0'];
const ARCHITECTURES: Readonly<Record<string, string>> = { M1: 'applegpu_g13g', M2: 'applegpu_g14g' };

const NAMED = '--metal or TF_METAL';

export const METAL: Vendor = { find, knows, together: true, compile, salt: () => [...FLAGS, ...PLATFORM].join(' ') };

async function find(override: string | undefined): Promise<Compiler | Missing> {
  const path = firstOf(override, PLACES);
  if (path === undefined) return { name: 'metal', why: notFound(NAMED, override, PLACES), install: INSTALL };
  const version = metalVersion(await outputOf([path, ...SDK, 'metal', '--version']));
  if (version === '')
    return { name: 'metal', why: `${path} metal --version names no Metal toolchain`, install: INSTALL };
  return { name: 'metal', path, version, release: releaseOf(version) };
}

/** `32023.404` from `metal --version`; '' where it names none. */
export function metalVersion(output: string): string {
  return /Apple metal version (\d+\.\d+(?:\.\d+)?)/.exec(output)?.[1] ?? '';
}

async function knows(_compiler: Compiler, chip: string): Promise<boolean> {
  return Object.hasOwn(ARCHITECTURES, chip);
}

/** The metallib, which holds no chip's code. */
async function compile({ path }: Compiler, request: Compile): Promise<Compiled[]> {
  const { folder, source, chips, output } = request;
  const [air, image] = [`${output}.air`, `${output}.metallib`];
  const compiled = await runIn(folder, [
    path,
    ...SDK,
    'metal',
    ...FLAGS,
    ...sourceFlags(request),
    '-c',
    source,
    '-o',
    air,
  ]);
  if (compiled.code !== 0) return [{ chips, error: wordsOf(compiled) }];
  const linked = await runIn(folder, [path, ...SDK, 'metallib', air, '-o', image]);
  rmSync(air, { force: true });
  return [linked.code === 0 ? { chips, image } : { chips, error: wordsOf(linked) }];
}

/** One pipeline of a metallib on one chip. */
export interface Pipeline {
  readonly metallib: string;
  readonly symbol: string;
  /** `M1`, `M2`: the chips whose thread limit falls as registers rise. */
  readonly chip: string;
  /** Reserved threads; undefined for the pipeline as it is. */
  readonly threads?: number;
}

/** The translation of a pipeline as bytes of a GPU Mach-O, or the toolchain's words. */
export async function translate(
  { path }: Compiler,
  pipeline: Pipeline,
): Promise<Uint8Array | { readonly error: string }> {
  const { metallib, symbol, chip, threads } = pipeline;
  const architecture = ARCHITECTURES[chip];
  if (architecture === undefined) return { error: `${chip}: pipelines are translated for M1 and M2 alone` };
  const base = `${metallib.replace(/\.metallib$/, '')}.${symbol}.${chip}.${threads ?? 'plain'}`;
  const [script, image] = [`${base}.mtlp-json`, `${base}.gpu`];
  writeFileSync(script, JSON.stringify(pipelineScript(pipeline)));
  const target = ['-arch', architecture, ...PLATFORM];
  const finished = await runIn('.', [path, ...SDK, 'metal-tt', ...target, '-o', image, metallib, script]);
  if (finished.code !== 0) return { error: wordsOf(finished) };
  const bytes = new Uint8Array(readFileSync(image));
  rmSync(image); // one of dozens, which nothing loads
  return bytes;
}

/** What metal-tt builds: the pipelines of a file whose name ends in .mtlp-json. */
export function pipelineScript({ metallib, symbol, threads }: Pipeline): unknown {
  const pipeline = {
    compute_function: `alias:lib#${symbol}`,
    ...(threads && { max_total_threads_per_threadgroup: threads }),
  };
  return {
    libraries: { paths: [{ label: 'lib', path: metallib }] },
    pipelines: { compute_pipelines: [pipeline] },
  };
}
