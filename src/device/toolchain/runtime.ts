/** The host device's runtime: ffi/host/runtime and the shim over it, one shared object behind ffi/shim.h. */

import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { hashOf, hashOfFolder, publishSealed, readSealed, temporaryBeside } from './cache.ts';
import { findClang } from './clang.ts';
import { ToolchainError } from './toolchain-error.ts';
import { CACHE_FOLDER, HOST_FOLDER, RUNTIME_FLAGS } from './flags.ts';
import { run } from './process.ts';

/** The bytes of the runtime, built or found built before; throws a ToolchainError where it cannot be built. */
export async function buildRuntime(): Promise<Uint8Array> {
  const clang = await findClang();
  const sources = runtimeSources();
  const key = hashOf(hashOfFolder(join(HOST_FOLDER, '..')), clang.version, ...RUNTIME_FLAGS);
  const path = join(CACHE_FOLDER, `runtime-${key}.so`);
  const cached = readSealed(path);
  if (cached) return cached;
  const temporary = temporaryBeside(path);
  const { code, stderr } = await run([clang.path, ...RUNTIME_FLAGS, ...sources, '-o', temporary]);
  if (code !== 0) {
    rmSync(temporary, { force: true });
    throw new ToolchainError(`The host device's runtime does not compile with clang ${clang.version}.\n${stderr}`);
  }
  return publishSealed(temporary, path);
}

function runtimeSources(): string[] {
  const folder = join(HOST_FOLDER, 'runtime');
  const parts = readdirSync(folder)
    .filter((name) => name.endsWith('.cpp'))
    .sort();
  return [join(HOST_FOLDER, 'shim.cpp'), ...parts.map((name) => join(folder, name))];
}
