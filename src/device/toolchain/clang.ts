/** The compiler of host images: clang 16 or later with its linker, from TF_CLANG or by its usual names. */

import { existsSync } from 'node:fs';
import { run } from '../processes/process.ts';
import { ToolchainError } from './toolchain-error.ts';

export interface Clang {
  readonly path: string;
  /** `19.1.7` */
  readonly version: string;
  /** The path of ld.lld. */
  readonly linker: string;
}

const NAMES = ['clang-19', 'clang-18', 'clang-17', 'clang-16', 'clang'];
const LEAST_VERSION = 16; // the first clang with -fbfloat16-excess-precision and __bf16 arithmetic
const INSTALL = process.platform === 'darwin' ? 'brew install llvm lld' : 'apt-get install clang-19 lld-19';

let found: Promise<Clang> | undefined;

/** The compiler, looked for once a process; throws a ToolchainError. */
export function findClang(): Promise<Clang> {
  return (found ??= locateClang(process.env['TF_CLANG']));
}

/** Looks for clang at `override`, or by its names where that is undefined or empty. */
export async function locateClang(override: string | undefined): Promise<Clang> {
  const path = override ? existing(override) : firstOnPath();
  const version = versionIn((await run([path, '--version'])).stdout);
  if (!version || Number.parseInt(version) < LEAST_VERSION) throw tooOld(path, version);
  return { path, version, linker: await linkerOf(path) };
}

/** `19.1.7` from the output of `clang --version`; '' where it names no clang. */
export function versionIn(output: string): string {
  return /clang version (\d+(?:\.\d+)*)/.exec(output)?.[1] ?? '';
}

// --- details ---

function existing(override: string): string {
  const path = override.includes('/') ? override : Bun.which(override);
  if (path && existsSync(path)) return path;
  throw new ToolchainError(
    `No host compiler: TF_CLANG is '${override}', which was not found.\n` +
      '  Kernel sources are compiled by clang to run on the host device.\n' +
      `  Set TF_CLANG to a clang of version ${LEAST_VERSION} or later, or unset it to look for ${NAMES.join(', ')}.`,
  );
}

function firstOnPath(): string {
  for (const name of NAMES) {
    const path = Bun.which(name);
    if (path) return path;
  }
  throw new ToolchainError(
    `No host compiler: none of ${NAMES.join(', ')} is on the PATH.\n` +
      '  Kernel sources are compiled by clang to run on the host device.\n' +
      `  Install it (${INSTALL}), or set TF_CLANG to its path.`,
  );
}

function tooOld(path: string, version: string): ToolchainError {
  return new ToolchainError(
    `No host compiler: ${path} is ${version ? `clang ${version}` : 'no clang'}.\n` +
      `  The dialect headers need clang ${LEAST_VERSION} or later: earlier ones round 16-bit arithmetic late.\n` +
      `  Install one (${INSTALL}), or set TF_CLANG to its path.`,
  );
}

async function linkerOf(clang: string): Promise<string> {
  const path = (await run([clang, '-print-prog-name=ld.lld'])).stdout.trim();
  const linker = path.includes('/') ? path : Bun.which('ld.lld');
  if (linker && existsSync(linker)) return linker;
  throw new ToolchainError(
    `No linker: ${clang} has no ld.lld beside it.\n` +
      '  Host images are linked by lld, which needs no C library to link against.\n' +
      `  Install it (${INSTALL}).`,
  );
}
