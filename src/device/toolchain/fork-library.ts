/** The library that makes the compiler and its linker servers of themselves: built on first use, on Linux alone. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { privateFile } from '../private-file.ts';
import { hashOf } from './cache.ts';
import type { Clang } from './clang.ts';
import { CACHE_FOLDER, HOST_FOLDER } from './flags.ts';
import { buildLibrary } from './library.ts';
import { serve } from '../processes/process.ts';
import { ownPlatform } from './target.ts';

const SOURCE = join(HOST_FOLDER, 'fork_server.c');
/** What ends a path in LD_PRELOAD. */
const SEPARATOR = /[\s:]/;

/** From now on the compiler is forked, where it can be: without headers of the C library, say, it is started each time. */
export async function forkFrom({ path, linker }: Clang): Promise<void> {
  if (process.platform !== 'linux' || SEPARATOR.test(CACHE_FOLDER)) return;
  try {
    const library = privateFile(join(CACHE_FOLDER, 'forks'), await buildForkLibrary());
    for (const program of [path, linker]) serve(program, library);
  } catch {
    // Compiles take longer, and come to the same.
  }
}

/** The library's bytes, built or found built before; rejects where it cannot be built. */
export function buildForkLibrary(): Promise<Uint8Array> {
  return buildLibrary({
    name: 'The library that forks compilers',
    file: 'fork-server',
    platform: ownPlatform(),
    flags: ['-std=gnu17'],
    sources: [SOURCE],
    hash: hashOf(readFileSync(SOURCE)),
  });
}
