/** The arguments of `limits DIR`; every mistake says what to write instead. */
import type { Command, FlagTable, OptionsOf } from '../arguments/flag.ts';
import { readWords, usage } from '../arguments/flag.ts';
import { FLAGS } from '../arguments/flags.ts';
import { one, whole } from '../arguments/values.ts';

const { json, help } = FLAGS;

export const LIMITS_FLAGS = {
  threads: {
    group: 'Run',
    value: 'N',
    help: 'ask about N threads a group, not the most that fit',
    read: one(whole(1), undefined),
  },
  dynamic: {
    group: 'Run',
    value: 'BYTES',
    help: 'with so much dynamic local memory (default 0)',
    read: one(whole(0), 0),
  },
  json,
  help,
} as const satisfies FlagTable;

const COMMAND: Command = { name: 'limits', page: 'limits', others: FLAGS };

/** threads: of a group of kernels that are not registered, undefined: the most that fit; dynamic: their dynamic local memory, in bytes. */
export type LimitsOptions = OptionsOf<typeof LIMITS_FLAGS> & { readonly folder: string };

/** Reads the arguments behind `limits`; throws a UsageError for whatever cannot be meant. */
export function readLimitsFlags(argv: readonly string[]): LimitsOptions {
  const { options, words } = readWords(LIMITS_FLAGS, argv, COMMAND);
  const [folder, second] = words;
  if (folder === undefined || folder === '') throw usage('limits needs the folder of the images.', COMMAND);
  if (second !== undefined) throw usage(`limits takes one folder, but got '${folder}' and '${second}'.`, COMMAND);
  return { ...options, folder };
}
