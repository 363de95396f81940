/** A file that a flag names, `--json` or another: refused before anything runs where it cannot be written. */
import { accessSync, constants, lstatSync, statSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { dirname } from 'node:path';
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
