/**
 * A command's flags are one table, a row each: what reads it, checks it, explains it and completes it. argv to options is made
 * from the table alone, and every mistake says what to write instead.
 */
import type { FlagWord } from './arguments.ts';
import { wordsOf } from './arguments.ts';
import { UsageError } from '../errors.ts';
import type { Reader } from './values.ts';
import { FlagFault, suggestion } from './values.ts';

/** Where a flag stands on the pages of the help; in this order. */
export const GROUPS = ['Select', 'Run', 'Show', 'Report', 'Compile'] as const;

export interface Flag {
  readonly group: (typeof GROUPS)[number];
  /** What one line of help says of it: at most 61 columns. */
  readonly help: string;
  /** The word that stands for its value, FILE and DIR for paths; a flag without one takes no value. */
  readonly value?: string;
  /** The values that there are, where they are few. */
  readonly words?: readonly string[];
  /** Whether it may be given again. */
  readonly multiple?: true;
  /** A letter that stands for it. */
  readonly short?: string;
  /** What `--help` leaves to the command's own page. */
  readonly rare?: true;
  readonly read: Reader<unknown>;
}

export type FlagTable = Readonly<Record<string, Flag>>;
export type OptionsOf<T extends FlagTable> = { readonly [F in keyof T]: ReturnType<T[F]['read']> };

export interface ReadWords<T extends FlagTable> {
  readonly options: OptionsOf<T>;
  /** What is no flag, in order. */
  readonly words: readonly string[];
}

/** A command whose flags are not those of a run. */
export interface Command {
  /** As it is written: `limits`, `--offline`. */
  readonly name: string;
  /** The page of the help that explains it. */
  readonly page: string;
  /** Flags of other commands, which are told apart from those that nobody knows. */
  readonly others: FlagTable;
}

const LISTED = 'tf-kernel-contract help run lists every flag and its values.';

/** A flag that a run does not know; another command may. */
export class UnknownFlag extends UsageError {
  constructor(
    readonly flag: string,
    message: string,
  ) {
    super(message);
  }
}

/** A UsageError whose last line says where the flags are explained. */
export function usage(what: string, command?: Command): UsageError {
  const where = command ? `tf-kernel-contract help ${command.page} says what it does and takes.` : LISTED;
  return new UsageError(`${what}\n  ${where}`);
}

/**
 * Reads arguments by a table; throws a UsageError for whatever cannot be meant, all wrong values at once.
 * @param command What the flags belong to, where that is not a plain run: a flag of another command does not go with it.
 */
export function readWords<T extends FlagTable>(table: T, argv: readonly string[], command?: Command): ReadWords<T> {
  const { values, words } = valuesOf(table, argv, command);
  const options: Record<string, unknown> = {};
  const faults: string[] = [];
  for (const [name, { read }] of Object.entries(table)) {
    try {
      options[name] = read(values[name]);
    } catch (error) {
      if (!(error instanceof FlagFault)) throw error;
      faults.push(`--${name}: ${error.message}.`);
    }
  }
  if (faults.length > 0) throw usage(faults.join('\n'), command);
  return { options: options as OptionsOf<T>, words };
}

interface Given {
  readonly values: Readonly<Record<string, readonly string[] | undefined>>;
  readonly words: readonly string[];
}

function valuesOf(table: FlagTable, argv: readonly string[], command: Command | undefined): Given {
  const values: Record<string, string[]> = {};
  const words: string[] = [];
  for (const word of wordsOf(argv, { ...command?.others, ...table })) {
    if (word.kind === 'plain') words.push(word.value);
    else {
      const value = checkedValue(word, table, command, values);
      (values[word.name] ??= []).push(...value);
    }
  }
  return { values, words };
}

/** The value that a flag is given, if it takes one. */
function checkedValue(
  { name, rawName, value }: FlagWord,
  table: FlagTable,
  command: Command | undefined,
  before: object,
): string[] {
  const flag = Object.hasOwn(table, name) ? table[name] : undefined;
  if (!flag) throw unknown(name, rawName, table, command);
  if (!flag.multiple && Object.hasOwn(before, name))
    throw usage(`${rawName} is given twice; it takes one value.`, command);
  if (flag.value === undefined) {
    if (value !== undefined) throw usage(`${rawName} takes no value, but got '${value}'.`, command);
    return [];
  }
  if (value === undefined || value.startsWith('--')) throw usage(`${rawName} needs a value.`, command);
  return [value];
}

function unknown(name: string, rawName: string, table: FlagTable, command: Command | undefined): UsageError {
  if (command && Object.hasOwn(command.others, name))
    return usage(`${rawName} does not go with ${command.name}.`, command);
  const names = Object.keys(table).map((known) => `--${known}`);
  if (!command) return new UnknownFlag(name, `Unknown flag ${rawName}${suggestion(rawName, names)}.\n  ${LISTED}`);
  return usage(`Unknown flag ${rawName}${suggestion(rawName, names)}.`, command);
}
