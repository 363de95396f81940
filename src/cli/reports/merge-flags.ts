/** The arguments of `merge`; every mistake says what to write instead. */
import type { Command, FlagTable, OptionsOf } from '../arguments/flag.ts';
import { readWords, usage } from '../arguments/flag.ts';
import { FLAGS } from '../arguments/flags.ts';
import { REPORT_FLAGS } from './flags.ts';

export const MERGE_FLAGS = { ...REPORT_FLAGS, help: FLAGS.help } as const satisfies FlagTable;

const COMMAND: Command = { name: 'merge', page: 'merge', others: FLAGS };

export type MergeOptions = OptionsOf<typeof MERGE_FLAGS> & { readonly files: readonly string[] };

/** Reads the arguments behind `merge`; throws a UsageError for whatever cannot be meant. */
export function readMergeFlags(argv: readonly string[]): MergeOptions {
  const { options, words } = readWords(MERGE_FLAGS, argv, COMMAND);
  if (words.length === 0) throw usage('merge needs the JSON reports to join: merge a.json b.json.', COMMAND);
  return { ...options, files: words };
}
