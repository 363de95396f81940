/** The host device's runtime: ffi/host/runtime and the shim over it, one shared object behind ffi/shim.h. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashOf, hashOfFolder } from './cache.ts';
import { HOST_FOLDER } from './flags.ts';
import { buildLibrary, FFI_FOLDER } from './library.ts';
import { ownPlatform, type Platform } from './target.ts';

export const RUNTIME_FLAGS = ['-std=c++17', '-fno-exceptions', '-fno-rtti', '-fno-threadsafe-statics'];

/** The bytes of the runtime, built or found built before; throws a ToolchainError where it cannot be built. */
export function buildRuntime(platform: Platform = ownPlatform()): Promise<Uint8Array> {
  const shim = readFileSync(join(FFI_FOLDER, 'shim.h'));
  return buildLibrary({
    name: "The host device's runtime",
    file: 'runtime',
    platform,
    flags: RUNTIME_FLAGS,
    sources: runtimeSources(),
    hash: hashOf(...['host', 'darwin'].map((name) => hashOfFolder(join(FFI_FOLDER, name))), shim),
  });
}

function runtimeSources(): string[] {
  const folder = join(HOST_FOLDER, 'runtime');
  const parts = readdirSync(folder)
    .filter((name) => name.endsWith('.cpp'))
    .sort();
  return [join(HOST_FOLDER, 'shim.cpp'), ...parts.map((name) => join(folder, name))];
}
