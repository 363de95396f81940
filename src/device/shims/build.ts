/** The shims of GPUs, built for this machine: one C file a dialect in ffi/, behind ffi/shim.h. */

import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Dialect } from '../../families/formula/functions.ts';
import { hashOf, publishSealed, readSealed, temporaryBeside } from '../toolchain/cache.ts';
import { findClang } from '../toolchain/clang.ts';
import { CACHE_FOLDER, HOST_FOLDER } from '../toolchain/flags.ts';
import { run } from '../toolchain/process.ts';
import { ToolchainError } from '../toolchain/toolchain-error.ts';

const FOLDER = join(HOST_FOLDER, '..');

/** A shim needs no library to be linked: it finds the C library in the process that loads it, whichever that is. */
const FLAGS = [
  '-std=c11',
  '-D_GNU_SOURCE',
  '-O2',
  '-fPIC',
  '-fvisibility=hidden',
  '-fno-stack-protector',
  '-Wall',
  '-Wextra',
  '-Wno-unused-function', // of gpu.h, of which no shim needs all
  '-fno-color-diagnostics',
  '-shared',
  '-nostdlib',
  '-fuse-ld=lld',
  '-Wl,-Bsymbolic,-z,now,-z,noexecstack',
];

const sourceOf = (dialect: Dialect): string => join(FOLDER, `${dialect}.c`);

/** Whether a dialect's GPUs have a shim. */
export const hasShim = (dialect: Dialect): boolean => existsSync(sourceOf(dialect));

/** The bytes of a dialect's shim, built or found built before; throws a ToolchainError where it cannot be built. */
export async function buildShim(dialect: Dialect): Promise<Uint8Array> {
  const source = sourceOf(dialect);
  if (!hasShim(dialect)) throw new ToolchainError(`There is no shim for ${dialect}: ${source} is absent.`);
  const clang = await findClang();
  const path = join(CACHE_FOLDER, `shim-${dialect}-${hashOf(sourcesHash(source), clang.version, ...FLAGS)}.so`);
  const cached = readSealed(path);
  if (cached) return cached;
  const temporary = temporaryBeside(path);
  const { code, stderr } = await run([clang.path, ...FLAGS, source, '-o', temporary]);
  if (code === 0) return publishSealed(temporary, path);
  rmSync(temporary, { force: true });
  throw new ToolchainError(`The shim of ${dialect} does not compile with clang ${clang.version}.\n${stderr}`);
}

/** A hash of a shim's source and of every header beside it. */
function sourcesHash(source: string): string {
  const headers = readdirSync(FOLDER)
    .filter((name) => name.endsWith('.h'))
    .sort();
  return hashOf(readFileSync(source), ...headers.flatMap((name) => [name, readFileSync(join(FOLDER, name))]));
}
