/** What a command names in place of the program's own: contracts from outside, and a folder of records. */
import { shellWord } from '../../report/words.ts';
import { nameOutside, outside } from '../../spec/outside.ts';
import { COMMAND } from '../version.ts';

export interface Places {
  readonly paths: readonly string[];
  readonly records: string | undefined;
}

/** Makes this process, and what it starts, work with what is named. Throws a UsageError for a path that names no contract. */
export async function takePaths({ paths, records }: Places): Promise<void> {
  if (records !== undefined) process.env['TF_RECORDS'] = records;
  if (paths.length > 0) nameOutside((await import('./named-paths.ts')).outsideOf(paths));
}

/** The paths that were named, as words of a command. */
export const namedPaths = (): readonly string[] => (outside()?.named ?? []).map(shellWord);

/** How a person calls this program for the same kernels. */
export const commandText = (): string => [COMMAND, ...namedPaths()].join(' ');
