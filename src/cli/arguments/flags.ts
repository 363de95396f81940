/** The flags of a run, which other commands take some of. A new flag is a row here; `commands.ts` has the commands and their pages. */
import type { DeviceId } from '../../device/run-device.ts';
import type { Dialect } from '../../families/formula/functions.ts';
import { DIALECTS } from '../../families/formula/functions.ts';
import { GATES } from '../../spec/contract.ts';
import { MODES } from '../../spec/modes.ts';
import type { FlagTable, OptionsOf } from './flag.ts';
import { readWords, usage } from './flag.ts';
import { askedForm, REPORT_FLAGS } from '../reports/flags.ts';
import { each, FlagFault, isGiven, listOf, number, one, oneOf, some, whole } from './values.ts';

/** Gate 5, which needs no device. */
export const LIMITS = 'limits';

/** The gates that `--gate` names. */
const ALL_GATES = [...GATES, LIMITS] as const;
const DEVICES = ['host', ...DIALECTS] as const;

export const FLAGS = {
  only: {
    group: 'Select',
    value: 'TEXT',
    multiple: true,
    help: "addresses that hold TEXT: rms_rows, 'rms_rows@*:sums:*'",
    read: each(some('a part of an address, or a pattern with *')),
  },
  gate: {
    group: 'Select',
    value: 'NAME',
    multiple: true,
    words: ALL_GATES,
    help: `${ALL_GATES.join(', ')}; by commas or again`,
    read: listOf(ALL_GATES, 'gate'),
  },
  dialect: {
    group: 'Select',
    value: 'NAME',
    multiple: true,
    words: DIALECTS,
    help: `${DIALECTS.join(', ')}; by commas or again`,
    read: listOf(DIALECTS, 'dialect'),
  },
  mode: {
    group: 'Select',
    value: 'NAME',
    multiple: true,
    words: MODES,
    help: MODES.join(', '),
    read: listOf(MODES, 'mode'),
  },
  'no-controls': {
    group: 'Select',
    help: 'leave the controls out; SUMMARY says so',
    read: isGiven,
  },
  device: {
    group: 'Run',
    value: 'NAME',
    words: DEVICES,
    help: 'host, or GPUs: cuda, or cuda:1; else what is there',
    read: one(deviceName, undefined),
  },
  images: {
    group: 'Run',
    rare: true,
    value: 'DIR',
    help: 'GPU images that --offline DIR compiled',
    read: one(some('the folder that --offline wrote'), undefined),
  },
  resume: {
    group: 'Run',
    value: 'FILE',
    rare: true,
    help: 'go on from FILE, which is written as jobs end',
    read: one(some('the path of a file'), undefined),
  },
  seed: {
    group: 'Run',
    value: 'N',
    help: 'seed of every input (default 1)',
    read: one(seed, '1'),
  },
  jobs: {
    group: 'Run',
    value: 'N',
    help: 'worker threads (default: one a core)',
    read: one(whole(1, 'a whole number of worker threads, 1 or more'), undefined),
  },
  timeout: {
    group: 'Run',
    value: 'S',
    rare: true,
    help: 'seconds that one launch may take (default 30)',
    read: one(number(0.001, 'a number of seconds above 0'), 30),
  },
  schedules: {
    group: 'Run',
    value: 'N',
    rare: true,
    help: 'gate 2 repeats in N orders, not 5; A,B: in those two',
    read: one(schedules, undefined),
  },
  'strict-warps': {
    group: 'Run',
    rare: true,
    help: 'in mode check a shuffle orders no accesses to memory',
    read: isGiven,
  },
  lockstep: {
    group: 'Run',
    rare: true,
    help: "in mode check a warp's lanes take turns at local memory",
    read: isGiven,
  },
  watch: {
    group: 'Run',
    help: 'run again what a saved file below PATH touches; q leaves',
    read: isGiven,
  },
  records: {
    group: 'Run',
    value: 'DIR',
    rare: true,
    help: "the records of gate 5, not the program's own",
    read: one(some('a folder of records'), undefined),
  },
  shard: {
    group: 'Run',
    value: 'I/N',
    rare: true,
    help: 'the I-th of N parts alone; merge joins their reports',
    read: one(shard, undefined),
  },
  times: {
    group: 'Run',
    value: 'FILE',
    rare: true,
    help: 'a JSON report: shards take as long as it measured',
    read: one(some('the path of a JSON report'), undefined),
  },
  quiet: {
    group: 'Show',
    help: 'only what fails, and SUMMARY',
    read: isGiven,
  },
  verbose: {
    group: 'Show',
    rare: true,
    help: 'each case as it ends, with its time',
    read: isGiven,
  },
  list: {
    group: 'Show',
    help: 'the address of every case and control, then stop',
    read: isGiven,
  },
  devices: {
    group: 'Show',
    help: 'what each dialect runs on here, then stop',
    read: isGiven,
  },
  ...REPORT_FLAGS,
  version: {
    group: 'Show',
    help: 'version, commit, platform',
    read: isGiven,
  },
  help: {
    group: 'Show',
    short: 'h',
    help: 'this text; of a command, its page',
    read: isGiven,
  },
} as const satisfies FlagTable;

export interface Options extends OptionsOf<typeof FLAGS> {
  /** Contracts from outside: files and folders, as they were given. */
  readonly paths: readonly string[];
}

/** `64`: the first 64 schedules. `0,37`: those. */
function schedules(value: string): readonly number[] {
  const numbers = value.split(',').map(Number);
  const [count = 0] = numbers;
  const read = numbers.length > 1 ? numbers : Array.from({ length: Math.min(count, 1e6) }, (_, schedule) => schedule);
  if (/^\d{1,9}(,\d{1,9})*$/.test(value) && read.length > 1) return read;
  throw new FlagFault(`'${value}' is not a number of schedules, 2 or more, nor a list such as 0,37`);
}

/** `cuda`: every such GPU. `cuda:1`: one of them. */
function deviceName(value: string): DeviceId | Dialect {
  const [, kind = value, index] = /^([a-z]+):(\d{1,2})$/.exec(value) ?? [];
  const known = oneOf(DEVICES, 'device')(kind);
  if (index === undefined) return known;
  if (known === 'host') throw new FlagFault("'host' is one device and has no number");
  return `${known}:${Number(index)}`;
}

/** `2/3`: the second of three. */
function shard(value: string): { readonly index: number; readonly of: number } {
  const [, index = 0, of = 0] = (/^(\d{1,4})\/(\d{1,4})$/.exec(value) ?? []).map(Number);
  if (index >= 1 && index <= of) return { index, of };
  throw new FlagFault(`'${value}' is no shard; 2/3 is the second of three`);
}

function seed(value: string): string {
  if (/^\d{1,15}$/.test(value)) return value;
  const digits = /^\d+$/.test(value);
  const fault = digits ? `has ${value.length} digits; a seed has 15 at most` : 'is not a whole number';
  throw new FlagFault(`'${value}' ${fault}`);
}

/** Reads the arguments of a run; throws a UsageError for whatever cannot be meant, all wrong values at once. */
export function readFlags(argv: readonly string[]): Options {
  const { options, words } = readWords(FLAGS, argv);
  // A report is of results, so it does not go with what runs nothing.
  const shown = (['list', 'devices'] as const).find((name) => options[name]);
  const form = askedForm(options);
  if (form !== undefined && shown)
    throw usage(`--${form} does not go with --${shown}, which runs nothing and has no results to write.`);
  if (options.times !== undefined && !options.shard)
    throw usage('--times says how long the shards of a run take, so it needs --shard I/N.');
  return { ...options, paths: words };
}
