/** The shims of GPUs, one C file a dialect in ffi/, behind ffi/shim.h: built for this platform, or for another. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Dialect } from '../../families/formula/functions.ts';
import { hashOf } from '../toolchain/cache.ts';
import { buildLibrary, FFI_FOLDER } from '../toolchain/library.ts';
import { ownPlatform, type Platform } from '../toolchain/target.ts';
import { ToolchainError } from '../toolchain/toolchain-error.ts';

const FLAGS = [
  '-std=c11',
  '-D_GNU_SOURCE',
  '-Wno-unused-function', // of the headers that they share, of which no shim needs all
];

const sourceOf = (dialect: Dialect): string => join(FFI_FOLDER, `${dialect}.c`);

/** The dialects whose GPUs a platform may have, and that have a shim. */
export function shimsOf(platform: Platform): Dialect[] {
  const dialects: readonly Dialect[] = platform === 'darwin-arm64' ? ['metal'] : ['cuda', 'hip', 'xpu'];
  return dialects.filter((dialect) => existsSync(sourceOf(dialect)));
}

/** The bytes of a dialect's shim, built or found built before; throws a ToolchainError where it cannot be built. */
export async function buildShim(dialect: Dialect, platform: Platform = ownPlatform()): Promise<Uint8Array> {
  const source = sourceOf(dialect);
  if (!existsSync(source)) throw new ToolchainError(`There is no shim for ${dialect}: ${source} is absent.`);
  return buildLibrary({
    name: `The shim of ${dialect}`,
    file: `shim-${dialect}`,
    platform,
    flags: FLAGS,
    sources: [source],
    hash: sourcesHash(source),
  });
}

/** A hash of a shim's source and of every header beside it. */
function sourcesHash(source: string): string {
  const headers = readdirSync(FFI_FOLDER)
    .filter((name) => name.endsWith('.h'))
    .sort();
  return hashOf(readFileSync(source), ...headers.flatMap((name) => [name, readFileSync(join(FFI_FOLDER, name))]));
}
