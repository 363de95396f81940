/** The arguments of `--faults`; every mistake says what to write instead. */
import type { Command, FlagTable, OptionsOf } from '../arguments/flag.ts';
import { readWords, usage } from '../arguments/flag.ts';
import { FLAGS } from '../arguments/flags.ts';
import { isGiven } from '../arguments/values.ts';

const { only, gate, dialect, mode, seed, jobs, timeout, list, json, help } = FLAGS;

export const FAULTS_FLAGS = {
  faults: { group: 'Run', help: 'plant faults by rule: which gate kills each?', read: isGiven },
  only,
  gate,
  dialect,
  mode,
  seed,
  jobs,
  timeout,
  list,
  json,
  help,
} as const satisfies FlagTable;

const COMMAND: Command = { name: '--faults', page: 'faults', others: FLAGS };

export type FaultsOptions = OptionsOf<typeof FAULTS_FLAGS>;

/** Reads the arguments of `--faults`; throws a UsageError for whatever cannot be meant. */
export function readFaultsFlags(argv: readonly string[]): FaultsOptions {
  const { options, words } = readWords(FAULTS_FLAGS, argv, COMMAND);
  const [word] = words;
  if (word !== undefined)
    throw usage(`Unexpected argument '${word}'. Faults are selected with --only ${word}.`, COMMAND);
  return options;
}
