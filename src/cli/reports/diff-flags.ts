/** The arguments of `diff`; every mistake says what to write instead. */
import type { Command, FlagTable, OptionsOf } from '../arguments/flag.ts';
import { readWords, usage } from '../arguments/flag.ts';
import { FLAGS } from '../arguments/flags.ts';
import { one, some } from '../arguments/values.ts';

export const DIFF_FLAGS = {
  markdown: {
    group: 'Report',
    value: 'FILE',
    help: 'write the changes as Markdown, for a pull request',
    read: one(some('the path of a file'), undefined),
  },
  help: FLAGS.help,
} as const satisfies FlagTable;

const COMMAND: Command = { name: 'diff', page: 'diff', others: FLAGS };

export type DiffOptions = OptionsOf<typeof DIFF_FLAGS> & { readonly before: string; readonly after: string };

/** Reads the arguments behind `diff`; throws a UsageError for whatever cannot be meant. */
export function readDiffFlags(argv: readonly string[]): DiffOptions {
  const { options, words } = readWords(DIFF_FLAGS, argv, COMMAND);
  const [before, after, ...more] = words;
  if (before === undefined || after === undefined || more.length > 0)
    throw usage('diff needs two JSON reports, the older one first: diff before.json after.json.', COMMAND);
  return { ...options, before, after };
}
