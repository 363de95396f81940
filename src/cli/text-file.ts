/** The text of a file that may be anybody's: a plain file, of a bounded size. */
import { readFileSync, statSync } from 'node:fs';

/** @throws {Error} In words, where the file is none, is larger, or cannot be read. */
export function textOf(file: string, mostBytes: number): string {
  const found = statSync(file);
  if (found.isDirectory()) throw new Error('it is a folder');
  // A pipe or a device may keep its reader forever.
  if (!found.isFile()) throw new Error('it is a device, a pipe or a socket, and no file');
  if (found.size > mostBytes) throw new Error(`it has ${found.size} bytes, and ${mostBytes} at most are read`);
  return readFileSync(file, 'utf8');
}
