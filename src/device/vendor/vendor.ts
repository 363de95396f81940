/** What the vendors' compilers have in common: how one is found, what it is asked for, what it answers. */
import { existsSync } from 'node:fs';
import type { Finished } from '../processes/process.ts';
import { run } from '../processes/process.ts';

export type CompilerName = 'nvcc' | 'hipcc' | 'clang' | 'ocloc' | 'metal' | 'source';

/** A compiler of this machine. */
export interface Compiler {
  /** With `release`, the name of its records: `nvcc-13.0`. */
  readonly name: CompilerName;
  readonly path: string;
  /** `13.0` */
  readonly release: string;
  /** All of it: `13.0.88`. */
  readonly version: string;
}

/** A compiler that is not here, or is not what it was called. */
export interface Missing {
  readonly name: CompilerName;
  readonly why: string;
  /** How to get it. */
  readonly install: string;
}

export const isMissing = (found: Compiler | Missing): found is Missing => 'why' in found;

/** One source for some chips. Paths are relative to `folder`, so that no image and no message names this machine. */
export interface Compile {
  readonly folder: string;
  readonly source: string;
  /** What it defines for a launcher, in order. */
  readonly symbols: readonly string[];
  readonly includeDirs: readonly string[];
  readonly defines: Readonly<Record<string, number | string>>;
  readonly chips: readonly string[];
  /** Where images go, without an extension; its folder exists. */
  readonly output: string;
}

/** The image of some chips, or the compiler's own words on why they have none. */
export type Compiled =
  | { readonly chips: readonly string[]; readonly image: string }
  | { readonly chips: readonly string[]; readonly error: string };

/** A vendor's compiler as this program uses it. */
export interface Vendor {
  /** Looks at `override` (a path, or a name on the PATH), else at the usual places. */
  readonly find: (override: string | undefined) => Promise<Compiler | Missing>;
  /** Whether this release knows a chip. */
  readonly knows: (compiler: Compiler, chip: string) => Promise<boolean>;
  /** Whether one run makes the images of several chips; where not, a request names one chip. */
  readonly together: boolean;
  /** It never rejects for what a source holds. */
  readonly compile: (compiler: Compiler, compile: Compile) => Promise<Compiled[]>;
  /** What decides an image beside the compiler and the source: flags, and headers of ours. */
  readonly salt: (compiler: Compiler) => string;
}

/** The first that exists of an override, or of names on the PATH and paths; undefined where none does. */
export function firstOf(override: string | undefined, candidates: readonly string[]): string | undefined {
  for (const candidate of override ? [override] : candidates) {
    const path = candidate.includes('/') ? candidate : Bun.which(candidate);
    if (path && existsSync(path)) return path;
  }
  return undefined;
}

/** Why a search found nothing. `named`: the flag and the variable that name the compiler. */
export function notFound(named: string, override: string | undefined, candidates: readonly string[]): string {
  if (override) return `${named} names '${override}', which was not found`;
  return `none of ${candidates.join(', ')} was found`;
}

/** What a compiler prints, on either stream. */
export async function outputOf(command: readonly string[]): Promise<string> {
  const { stdout, stderr } = await run(command);
  return stdout + stderr;
}

/** Runs a command with `folder` as its working folder. */
export function runIn(folder: string, command: readonly string[]): Promise<Finished> {
  return run(['sh', '-c', 'cd "$0" && exec "$@"', folder, ...command]);
}

/** The words of a command that failed; never empty. */
export function wordsOf({ code, stdout, stderr }: Finished): string {
  const words = [stderr, stdout].map((text) => text.trim()).filter((text) => text !== '');
  return words.join('\n') || `the compiler ended with code ${code} and said nothing`;
}

/** `-DHEAD=128 -Ishared`, as every compiler here takes them, each a word of its own. */
export function sourceFlags({ defines, includeDirs }: Compile): string[] {
  return [
    ...Object.entries(defines).map(([name, value]) => `-D${name}=${value}`),
    ...includeDirs.map((dir) => `-I${dir}`),
  ];
}

/** `13.0` of `13.0.88`. */
export const releaseOf = (version: string): string => version.split('.').slice(0, 2).join('.');
