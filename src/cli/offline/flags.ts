/** The arguments of `--offline DIR`; every mistake says what to write instead. */
import type { Dialect } from '../../families/formula/functions.ts';
import { COMPILER_FLAGS } from '../../device/vendor/compiler-flags.ts';
import type { Command, FlagTable, OptionsOf } from '../arguments/flag.ts';
import { readWords, usage } from '../arguments/flag.ts';
import { FLAGS } from '../arguments/flags.ts';
import { isGiven, one, some } from '../arguments/values.ts';

const { only, gate, dialect, seed, jobs, records, 'no-controls': noControls, help } = FLAGS;

const compiler = (what: string) =>
  ({ group: 'Compile', value: 'PATH', help: what, read: one(some('the path of a compiler'), undefined) }) as const;

export const OFFLINE_FLAGS = {
  only,
  gate,
  dialect,
  'no-controls': noControls,
  seed,
  jobs,
  offline: {
    group: 'Compile',
    value: 'DIR',
    help: 'where sources and images go',
    read: one(some('a folder for sources and images'), undefined),
  },
  records,
  write: { group: 'Compile', help: 'write what differs to the records', read: isGiven },
  nvcc: compiler("CUDA's compiler, else TF_NVCC, else the usual ones"),
  hipcc: compiler("HIP's, else TF_HIPCC; clang with its libraries will do"),
  metal: compiler('xcrun, else TF_METAL'),
  ocloc: compiler("XPU's, else TF_OCLOC"),
  help,
} as const satisfies FlagTable;

const COMMAND: Command = { name: '--offline', page: 'offline', others: FLAGS };

export interface OfflineOptions extends OptionsOf<typeof OFFLINE_FLAGS> {
  /** Where sources and images go. */
  readonly folder: string;
  /** Contracts from outside. */
  readonly paths: readonly string[];
  /** The compiler that a flag names, by dialect. */
  readonly compilers: Partial<Readonly<Record<Dialect, string>>>;
}

/** Reads the arguments of `--offline DIR`; throws a UsageError for whatever cannot be meant. */
export function readOfflineFlags(argv: readonly string[]): OfflineOptions {
  const { options, words } = readWords(OFFLINE_FLAGS, argv, COMMAND);
  const { offline } = options;
  if (offline === undefined) throw usage('--offline needs a value.', COMMAND);
  const named = Object.entries(COMPILER_FLAGS).flatMap(([name, flag]) =>
    options[flag] === undefined ? [] : [[name, options[flag]]],
  );
  return { ...options, folder: offline, paths: words, compilers: Object.fromEntries(named) };
}
