/**
 * The executable holds the host device's headers, and the compiler reads files: they are written once, to a folder that is this
 * user's alone, under the hash of what they are. A folder that is not what was written is written again.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { privateFolders, takeFolder } from '../private-file.ts';
import { HOST_FOLDER } from './flags.ts';
import { ToolchainError } from './toolchain-error.ts';

let ready: Promise<void> | undefined;

/** Puts the headers where the compiler looks for them; throws a ToolchainError where they cannot be there. */
export const unpackHost = (): Promise<void> => (ready ??= unpack());

async function unpack(): Promise<void> {
  if (!Bun.isStandaloneExecutable || process.env['TF_HOST_FOLDER']) return;
  const { hostSources } = await import('./host-sources.ts');
  try {
    takeFolder(privateFolders()[0] ?? '');
    writeFolder(HOST_FOLDER, hostSources());
  } catch (error) {
    throw new ToolchainError(
      `The host device's headers cannot be written for the compiler: ${error instanceof Error ? error.message : error}\n` +
        '  Sources from outside are compiled on this machine, from headers in a folder of yours.\n' +
        '  Name another folder by TF_CACHE_DIR.',
    );
  }
}

/** Writes files so that a reader finds a whole folder, or none. */
export function writeFolder(folder: string, texts: Readonly<Record<string, string>>): void {
  if (holds(folder, texts)) return;
  const fresh = mkdtempSync(`${folder}.`);
  try {
    for (const [path, text] of Object.entries(texts)) {
      mkdirSync(dirname(join(fresh, path)), { recursive: true });
      writeFileSync(join(fresh, path), text);
    }
    rmSync(folder, { recursive: true, force: true });
    renameSync(fresh, folder);
  } catch (error) {
    if (!holds(folder, texts)) throw error; // else another process was first
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

const holds = (folder: string, texts: Readonly<Record<string, string>>): boolean =>
  Object.entries(texts).every(([path, text]) => {
    const file = join(folder, path);
    return existsSync(file) && readFileSync(file, 'utf8') === text;
  });
