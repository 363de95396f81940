/** The arguments of `--repro` and of `--replay`; every mistake says what to write instead. */
import { GATES } from '../../spec/contract.ts';
import type { Command, FlagTable, OptionsOf } from '../arguments/flag.ts';
import { readWords, usage } from '../arguments/flag.ts';
import { FLAGS } from '../arguments/flags.ts';
import { isGiven, listOf, number, one, some } from '../arguments/values.ts';

const { only, dialect, mode, device, images, seed, jobs, timeout, schedules, lockstep, help } = FLAGS;
const strictWarps = FLAGS['strict-warps'];

export const REPRO_FLAGS = {
  repro: { group: 'Run', help: 'the smallest input behind each failure and known finding', read: isGiven },
  'shrink-time': {
    group: 'Run',
    value: 'S',
    help: 'seconds that one input may take to shrink (default 8)',
    read: one(number(0.1, 'a number of seconds, 0.1 or more'), 8),
  },
  fixtures: {
    group: 'Run',
    value: 'DIR',
    help: 'write each smallest input into DIR, for --replay',
    read: one(some('the path of a folder'), undefined),
  },
  only,
  gate: { ...FLAGS.gate, words: GATES, help: `${GATES.join(', ')}; by commas or again`, read: listOf(GATES, 'gate') },
  dialect,
  mode,
  device,
  images,
  seed,
  jobs,
  timeout,
  schedules,
  'strict-warps': strictWarps,
  lockstep,
  help,
} as const satisfies FlagTable;

export const REPLAY_FLAGS = {
  replay: {
    group: 'Run',
    value: 'FILE',
    help: 'run a fixture again: is the verdict the same?',
    read: one(some('the path of a fixture'), ''),
  },
  dialect: {
    ...dialect,
    help: "in place of the fixture's own",
    read: (given: readonly string[] | undefined) => (given ? dialect.read(given) : undefined),
  },
  device,
  images,
  timeout,
  'strict-warps': strictWarps,
  lockstep,
  help,
} as const satisfies FlagTable;

const REPRO: Command = { name: '--repro', page: 'repro', others: FLAGS };
const REPLAY: Command = { name: '--replay', page: 'replay', others: FLAGS };

export interface ReplayOptions extends OptionsOf<typeof REPLAY_FLAGS> {
  /** Contracts from outside. */
  readonly paths: readonly string[];
}
export interface ReproOptions extends OptionsOf<typeof REPRO_FLAGS> {
  /** A report of a run, in place of one. */
  readonly report?: string;
  /** Contracts from outside. */
  readonly paths: readonly string[];
}

/** Reads the arguments of `--repro [REPORT.json] [PATH ...]`; throws a UsageError for whatever cannot be meant. */
export function readReproFlags(argv: readonly string[]): ReproOptions {
  const { options, words } = readWords(REPRO_FLAGS, argv, REPRO);
  const [report, more] = words.filter((word) => word.endsWith('.json'));
  if (more !== undefined) throw usage(`Unexpected argument '${more}': --repro takes one report.`, REPRO);
  const paths = words.filter((word) => !word.endsWith('.json'));
  return { ...options, paths, ...(report !== undefined && { report }) };
}

/** Reads the arguments of `--replay FILE [PATH ...]`. */
export function readReplayFlags(argv: readonly string[]): ReplayOptions {
  const { options, words } = readWords(REPLAY_FLAGS, argv, REPLAY);
  return { ...options, paths: words };
}
