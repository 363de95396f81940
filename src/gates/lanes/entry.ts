/** The program's entry, which threads and children of it enter by a role. Inside the executable it is the one embedded module. */
import { join } from 'node:path';

export const ENTRY = Bun.isStandaloneExecutable ? Bun.main : join(import.meta.dir, '../../main.ts');

/** The command of a child that serves: the executable has its entry in it. */
export const serving = (word: string): string[] =>
  Bun.isStandaloneExecutable ? [process.execPath, word] : [process.execPath, ENTRY, word];
