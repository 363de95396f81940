/** argv to options. The flags are a table; each has a reader of its values; every mistake says what to write instead. */
import { DIALECTS } from '../families/formula/functions.ts';
import { GATES } from '../spec/contract.ts';
import { MODES } from '../spec/modes.ts';
import type { FlagTable, FlagWord } from './arguments.ts';
import { wordsOf } from './arguments.ts';
import { UsageError } from './errors.ts';
import { nearest } from '../spec/nearest.ts';

export const FLAGS = {
  only: { type: 'string', multiple: true },
  gate: { type: 'string', multiple: true },
  dialect: { type: 'string', multiple: true },
  mode: { type: 'string', multiple: true },
  device: { type: 'string' },
  seed: { type: 'string' },
  jobs: { type: 'string' },
  timeout: { type: 'string' },
  list: { type: 'boolean' },
  devices: { type: 'boolean' },
  json: { type: 'string' },
  'no-controls': { type: 'boolean' },
  'strict-warps': { type: 'boolean' },
  lockstep: { type: 'boolean' },
  schedules: { type: 'string' },
  version: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const satisfies FlagTable;
export type FlagName = keyof typeof FLAGS;

/** Gate 5, which needs no device. */
export const LIMITS = 'limits';

const DEVICES = ['host', 'cuda', 'hip', 'metal', 'xpu'] as const;
const NUMBER = /^\d+(\.\d+)?$/;

/** A flag's values as they were given, undefined where it was not; throws a FlagFault for what cannot be meant. */
type Reader<T> = (given: readonly string[] | undefined) => T;

class FlagFault extends Error {}

const isGiven: Reader<boolean> = (given) => given !== undefined;

/** A flag that is given once; `fallback` stands for one that is not. */
const one =
  <T, const F>(read: (value: string) => T, fallback: F): Reader<T | F> =>
  (given) =>
    given?.[0] === undefined ? fallback : read(given[0]);

const oneOf =
  <const W extends string>(words: readonly W[], noun: string) =>
  (value: string): W => {
    const found = words.find((word) => word === value);
    if (found !== undefined) return found;
    throw new FlagFault(`'${value}' is no ${noun}${suggestion(value, words)}; there are ${words.join(', ')}`);
  };

/** Words by commas or by giving the flag again, in their own order; all of them where it is not given. */
const listOf = <const W extends string>(words: readonly W[], noun: string): Reader<W[]> => {
  const read = oneOf(words, noun);
  return (given) => {
    if (!given) return [...words];
    const wanted = given.flatMap((value) => value.split(',')).map(read);
    return words.filter((word) => wanted.includes(word));
  };
};

const number =
  (least: number, what: string) =>
  (value: string): number => {
    if (NUMBER.test(value) && Number(value) >= least) return Number(value);
    throw new FlagFault(`'${value}' is not ${what}`);
  };

/** `64`: the first 64 schedules. `0,37`: those. */
function schedules(value: string): readonly number[] {
  const numbers = value.split(',').map(Number);
  const [count = 0] = numbers;
  const read = numbers.length > 1 ? numbers : Array.from({ length: Math.min(count, 1e6) }, (_, schedule) => schedule);
  if (/^\d{1,9}(,\d{1,9})*$/.test(value) && read.length > 1) return read;
  throw new FlagFault(`'${value}' is not a number of schedules, 2 or more, nor a list such as 0,37`);
}

function workers(value: string): number {
  const read = number(1, 'a number of worker threads, 1 or more')(value);
  if (Number.isInteger(read)) return read;
  throw new FlagFault('worker threads come whole');
}

const some =
  (what: string) =>
  (value: string): string => {
    if (value !== '') return value;
    throw new FlagFault(`an empty value selects nothing; give ${what}`);
  };

function seed(value: string): string {
  if (/^\d{1,15}$/.test(value)) return value;
  const digits = /^\d+$/.test(value);
  const fault = digits ? `has ${value.length} digits; a seed has 15 at most` : 'is not a whole number';
  throw new FlagFault(`'${value}' ${fault}`);
}

const READERS = {
  only: (given) => (given ?? []).map(some('a part of an address, or a pattern with *')),
  gate: listOf([...GATES, LIMITS], 'gate'),
  dialect: listOf(DIALECTS, 'dialect'),
  mode: listOf(MODES, 'mode'),
  device: one(oneOf(DEVICES, 'device'), 'host'),
  seed: one(seed, '1'),
  jobs: one(workers, undefined),
  timeout: one(number(0.001, 'a number of seconds above 0'), 30),
  list: isGiven,
  devices: isGiven,
  json: one(some('the path of a file'), undefined),
  'no-controls': isGiven,
  'strict-warps': isGiven,
  lockstep: isGiven,
  schedules: one(schedules, undefined),
  version: isGiven,
  help: isGiven,
} satisfies Record<FlagName, Reader<unknown>>;

export type Options = { readonly [F in FlagName]: ReturnType<(typeof READERS)[F]> };

/** Whether the arguments ask for `--offline`. */
export const isOffline = (argv: readonly string[]): boolean =>
  argv.some((word) => word === '--offline' || word.startsWith('--offline='));

/** Whether the arguments ask for `--faults`. */
export const isFaults = (argv: readonly string[]): boolean => argv.includes('--faults');

/** Reads the arguments behind the program's name; throws a UsageError for whatever cannot be meant, all wrong values at once. */
export function readFlags(argv: readonly string[]): Options {
  const given = valuesOf(argv);
  const options: Partial<Record<FlagName, unknown>> = {};
  const faults: string[] = [];
  for (const name of Object.keys(READERS) as FlagName[]) {
    try {
      options[name] = READERS[name](given[name]);
    } catch (error) {
      if (!(error instanceof FlagFault)) throw error;
      faults.push(`--${name}: ${error.message}.`);
    }
  }
  if (faults.length > 0) throw new UsageError([...faults, HELP].join('\n'));
  return checked(options as Options);
}

/** A report is of results, so it does not go with what runs nothing. */
function checked(options: Options): Options {
  const shown = (['list', 'devices'] as const).find((name) => options[name]);
  if (options.json !== undefined && shown)
    throw usage(`--json does not go with --${shown}, which runs nothing and has no results to write.`);
  return options;
}

/** The line below what is wrong with a command. */
export const HELP = '  tf-kernel-contract --help lists every flag and its values.';

/** The values of every flag that is given, in their order. */
function valuesOf(argv: readonly string[]): Partial<Record<FlagName, string[]>> {
  const values: Partial<Record<FlagName, string[]>> = {};
  for (const word of wordsOf(argv, FLAGS)) {
    if (word.kind === 'plain') throw plain(word.value);
    const { name, value } = checkedWord(word, values);
    (values[name] ??= []).push(...(value === undefined ? [] : [value]));
  }
  return values;
}

function checkedWord(
  { name, rawName, value }: FlagWord,
  before: object,
): { name: FlagName; value: string | undefined } {
  if (!isFlag(name)) throw unknown(rawName);
  const flag = FLAGS[name];
  if (flag.type === 'boolean' && value !== undefined) throw usage(`${rawName} takes no value, but got '${value}'.`);
  if (flag.type === 'string' && (value === undefined || value.startsWith('--')))
    throw usage(`${rawName} needs a value.`);
  if (!('multiple' in flag) && Object.hasOwn(before, name))
    throw usage(`${rawName} is given twice; it takes one value.`);
  return { name, value };
}

const isFlag = (name: string): name is FlagName => Object.hasOwn(FLAGS, name);
const usage = (what: string): UsageError => new UsageError(`${what}\n${HELP}`);

function unknown(rawName: string): UsageError {
  const names = Object.keys(FLAGS).map((name) => `--${name}`);
  return usage(`Unknown flag ${rawName}${suggestion(rawName, names)}.`);
}

function plain(value: string): UsageError {
  return usage(`Unexpected argument '${value}'. Cases are selected with --only ${value}.`);
}

/** Other names that dialects and their devices go by. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  nvidia: 'cuda',
  rocm: 'hip',
  amd: 'hip',
  apple: 'metal',
  opencl: 'xpu',
  ocl: 'xpu',
  sycl: 'xpu',
  intel: 'xpu',
};

function suggestion(value: string, known: readonly string[]): string {
  const word = value.toLowerCase();
  const other = Object.hasOwn(OTHER_NAMES, word) ? OTHER_NAMES[word] : undefined;
  const close = other !== undefined && known.includes(other) ? other : nearest(value, known);
  return close === undefined ? '' : ` (did you mean ${close}?)`;
}
