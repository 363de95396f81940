/** The flags of `--offline` and of `limits`, over those that every command has. */
import { COMPILER_FLAGS } from '../device/vendor/all.ts';
import type { Dialect } from '../families/formula/functions.ts';
import type { FlagTable } from './arguments.ts';
import { wordsOf } from './arguments.ts';
import { UsageError } from './errors.ts';
import type { Options } from './flags.ts';
import { FLAGS, HELP, readFlags } from './flags.ts';

export const OFFLINE_FLAGS = {
  offline: { type: 'string' },
  write: { type: 'boolean' },
  nvcc: { type: 'string' },
  hipcc: { type: 'string' },
  metal: { type: 'string' },
  ocloc: { type: 'string' },
} as const satisfies FlagTable;

export interface OfflineOptions extends Options {
  /** Where sources and images go. */
  readonly folder: string;
  readonly write: boolean;
  /** The compiler that a flag names, by dialect. */
  readonly compilers: Partial<Readonly<Record<Dialect, string>>>;
}

/** Reads the arguments of `--offline DIR`; throws a UsageError for whatever cannot be meant. */
export function readOfflineFlags(argv: readonly string[]): OfflineOptions {
  const { own, rest } = splitFlags(OFFLINE_FLAGS, argv);
  const options = readFlags(rest);
  for (const name of ['list', 'devices', 'json', 'version'] as const) {
    if (options[name])
      throw new UsageError(`--${name} does not go with --offline, which compiles and runs nothing.\n${HELP}`);
  }
  const named = Object.entries(COMPILER_FLAGS).flatMap(([dialect, flag]) =>
    own[flag] === undefined ? [] : [[dialect, String(own[flag])]],
  );
  return {
    ...options,
    folder: String(own['offline']),
    write: own['write'] === true,
    compilers: Object.fromEntries(named),
  };
}

export interface SplitFlags {
  /** The table's flags by name. */
  readonly own: Readonly<Record<string, string | boolean>>;
  /** What is not the table's, in order. */
  readonly rest: readonly string[];
}

/** Takes a table's flags out of the arguments; each may be given once, with a value that is not empty where it has one. */
export function splitFlags(table: FlagTable, argv: readonly string[]): SplitFlags {
  const own: Record<string, string | boolean> = {};
  const taken = new Set<number>();
  for (const word of wordsOf(argv, { ...FLAGS, ...table })) {
    if (word.kind === 'plain' || !Object.hasOwn(table, word.name)) continue;
    const { name, value, from, to } = word;
    if (Object.hasOwn(own, name)) throw new UsageError(`--${name} is given twice; it takes one value.\n${HELP}`);
    own[name] = valueOf(table, name, value);
    for (let at = from; at < to; at++) taken.add(at);
  }
  return { own, rest: argv.filter((_, i) => !taken.has(i)) };
}

function valueOf(table: FlagTable, name: string, value: string | undefined): string | boolean {
  if (table[name]?.type === 'boolean') {
    if (value !== undefined) throw new UsageError(`--${name} takes no value, but got '${value}'.\n${HELP}`);
    return true;
  }
  if (value === undefined || value === '' || value.startsWith('--'))
    throw new UsageError(`--${name} needs a value.\n${HELP}`);
  return value;
}
