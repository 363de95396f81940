/** Files that many images share, compiled once: by this process or, through the cache, by another before it. */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { hashOf, publishSealed, readSealed, temporaryBeside } from './cache.ts';
import { ToolchainError } from './toolchain-error.ts';
import { CACHE_FOLDER } from './flags.ts';
import { run } from '../processes/process.ts';

export interface SharedFile {
  /** The compiler with its arguments, less `-o`. */
  readonly command: readonly string[];
  /** The text on its standard input. */
  readonly input: string;
  /** A hash of what else decides the result: the compiler, the headers. */
  readonly salt: string;
  readonly extension: 'pch' | 'o';
}

const made = new Map<string, Promise<string>>();

/** The path of the compiled file; rejects with a ToolchainError where it does not compile. */
export function compileOnce(file: SharedFile): Promise<string> {
  const { command, input, salt, extension } = file;
  const path = join(CACHE_FOLDER, `${hashOf(salt, ...command, input)}.${extension}`);
  const known = made.get(path);
  if (known) return known;
  const compiled = readSealed(path) ? Promise.resolve(path) : compile(command, input, path);
  made.set(path, compiled);
  return compiled;
}

async function compile(command: readonly string[], input: string, path: string): Promise<string> {
  const temporary = temporaryBeside(path);
  const { code, stderr } = await run([...command, '-o', temporary], input);
  if (code === 0) {
    publishSealed(temporary, path);
    return path;
  }
  rmSync(temporary, { force: true });
  throw new ToolchainError(`The dialect's header does not compile with these definitions.\n${stderr.trimEnd()}`);
}
