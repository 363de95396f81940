/** A file that a flag names, `--json` or another: refused before anything runs where it cannot be written. */
import { accessSync, constants, lstatSync, realpathSync, statSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { UsageError } from '../errors.ts';
import { messageOf } from '../../spec/message-of.ts';

/** Throws a UsageError where a report cannot take the file's name. */
export function requireWritable(file: string, flag = '--json'): void {
  const reason = whyNot(file);
  if (reason === undefined) return;
  throw new UsageError(
    `${flag} ${file} cannot be written: ${reason}.\n  Name a file, new or to be replaced, in a folder that exists and is yours to write.`,
  );
}

/** A file of a command, and what it is to it: `--json`, `a report that is merged`. */
export interface NamedFile {
  readonly what: string;
  readonly file: string;
}

/** Throws a UsageError where a file that is written is another one of the command: one of them would be lost. */
export function requireApart(written: readonly NamedFile[], others: readonly NamedFile[] = []): void {
  const taken = new Map(others.map(({ what, file }) => [placeOf(file), what]));
  for (const { what, file } of written) {
    const other = taken.get(placeOf(file));
    if (other !== undefined)
      throw new UsageError(`${what} ${file} is ${other} as well, and would take its place.\n  Name another file.`);
    taken.set(placeOf(file), what);
  }
}

/** The file whatever it is called by; of a folder that is not there, its name. */
function placeOf(file: string): string {
  try {
    return join(realpathSync(dirname(file)), basename(file));
  } catch {
    return resolve(file);
  }
}

function whyNot(file: string): string | undefined {
  if (file === '-') return 'the report goes to a file, never to standard output';
  if (file.endsWith('/')) return 'it names a folder';
  const folder = dirname(file);
  try {
    accessSync(folder, constants.W_OK);
    if (!statSync(folder).isDirectory()) return `${folder} is no folder`;
    const found = lstatSync(file, { throwIfNoEntry: false });
    return found && !found.isFile() ? `it is ${kindOf(found)}, and the report replaces files only` : undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** A link counts as itself: the report would take its place and leave what it leads to, `/dev/stdout` among them. */
function kindOf(found: Stats): string {
  if (found.isDirectory()) return 'a folder';
  if (found.isSymbolicLink()) return 'a link';
  return 'a device, a pipe or a socket';
}
