/** argv to options. The flags are a table; their values are checked by a schema; every mistake says what to write instead. */
import { parseArgs } from 'node:util';
import * as v from 'valibot';
import { DIALECTS } from '../families/formula/functions.ts';
import { GATES } from '../spec/contract.ts';
import { MODES } from '../spec/modes.ts';
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
  version: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;
export type FlagName = keyof typeof FLAGS;

/** Gate 5, which needs no device. */
export const LIMITS = 'limits';

const DEVICES = ['host', 'cuda', 'hip', 'metal', 'xpu'] as const;
const NUMBER = /^\d+(\.\d+)?$/;

const oneOf = <const W extends string>(values: readonly W[], noun: string) =>
  v.pipe(
    v.string(),
    v.check(
      (value) => values.includes(value as W),
      ({ input }) => `'${input}' is no ${noun}${suggestion(String(input), values)}; there are ${values.join(', ')}`,
    ),
    v.transform((value) => value as W),
  );

const listOf = <const W extends string>(values: readonly W[], noun: string) =>
  v.optional(
    v.pipe(
      v.array(v.string()),
      v.transform((given) => given.flatMap((value) => value.split(','))),
      v.array(oneOf(values, noun)),
      v.transform((given) => values.filter((value) => given.includes(value))),
    ),
    [...values],
  );

const number = (least: number, what: string) =>
  v.pipe(
    v.string(),
    v.check(
      (value) => NUMBER.test(value) && Number(value) >= least,
      ({ input }) => `'${input}' is not ${what}`,
    ),
    v.transform(Number),
  );

const some = (what: string) => v.pipe(v.string(), v.minLength(1, `an empty value selects nothing; give ${what}`));

const seedFault = (value: string): string =>
  /^\d+$/.test(value) ? `has ${value.length} digits; a seed has 15 at most` : 'is not a whole number';

const schema = v.object({
  only: v.optional(v.array(some('a part of an address, or a pattern with *')), []),
  gate: listOf([...GATES, LIMITS], 'gate'),
  dialect: listOf(DIALECTS, 'dialect'),
  mode: listOf(MODES, 'mode'),
  device: v.optional(oneOf(DEVICES, 'device'), 'host'),
  seed: v.optional(
    v.pipe(
      v.string(),
      v.check(
        (value) => /^\d{1,15}$/.test(value),
        ({ input }) => `'${input}' ${seedFault(String(input))}`,
      ),
    ),
    '1',
  ),
  jobs: v.optional(v.pipe(number(1, 'a number of worker threads, 1 or more'), v.integer('worker threads come whole'))),
  timeout: v.optional(number(0.001, 'a number of seconds above 0'), '30'),
  list: v.optional(v.boolean(), false),
  devices: v.optional(v.boolean(), false),
  json: v.optional(some('the path of a file')),
  'no-controls': v.optional(v.boolean(), false),
  version: v.optional(v.boolean(), false),
  help: v.optional(v.boolean(), false),
});

export type Options = v.InferOutput<typeof schema>;

/** Whether the arguments ask for `--offline`. */
export const isOffline = (argv: readonly string[]): boolean =>
  argv.some((word) => word === '--offline' || word.startsWith('--offline='));

/** Reads the arguments behind the program's name; throws a UsageError for whatever cannot be meant. */
export function readFlags(argv: readonly string[]): Options {
  const parsed = v.safeParse(schema, valuesOf(argv));
  if (parsed.success) return checked(parsed.output);
  const lines = parsed.issues.map((issue) => `--${String(issue.path?.[0]?.key)}: ${issue.message}.`);
  throw new UsageError([...lines, HELP].join('\n'));
}

/** A report is of results, so it does not go with what runs nothing. */
function checked(options: Options): Options {
  const shown = (['list', 'devices'] as const).find((name) => options[name]);
  if (options.json !== undefined && shown)
    throw usage(`--json does not go with --${shown}, which runs nothing and has no results to write.`);
  return options;
}

const HELP = '  tf-kernel-contract --help lists every flag and its values.';

function valuesOf(argv: readonly string[]): Record<string, unknown> {
  const { tokens, values } = parseArgs({ args: [...argv], options: FLAGS, strict: false, tokens: true });
  const seen = new Set<string>();
  for (const token of tokens) {
    if (token.kind === 'positional') throw positional(token.value);
    if (token.kind === 'option') checkToken(token, seen);
  }
  return values;
}

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value: string | undefined;
}

function checkToken({ name, rawName, value }: OptionToken, seen: Set<string>): void {
  if (!isFlag(name)) throw unknown(rawName);
  const flag = FLAGS[name];
  if (flag.type === 'boolean' && value !== undefined) throw usage(`${rawName} takes no value, but got '${value}'.`);
  if (flag.type === 'string' && (value === undefined || value.startsWith('--')))
    throw usage(`${rawName} needs a value.`);
  if (!('multiple' in flag) && seen.has(name)) throw usage(`${rawName} is given twice; it takes one value.`);
  seen.add(name);
}

const isFlag = (name: string): name is FlagName => Object.hasOwn(FLAGS, name);
const usage = (what: string): UsageError => new UsageError(`${what}\n${HELP}`);

function unknown(rawName: string): UsageError {
  const names = Object.keys(FLAGS).map((name) => `--${name}`);
  return usage(`Unknown flag ${rawName}${suggestion(rawName, names)}.`);
}

function positional(value: string): UsageError {
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
