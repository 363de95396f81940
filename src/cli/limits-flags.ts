/** The arguments of `limits DIR`; every mistake says what to write instead. */
import type { FlagTable } from './arguments.ts';
import { UsageError } from './errors.ts';
import { splitFlags } from './offline-flags.ts';

export const LIMITS_FLAGS = {
  threads: { type: 'string' },
  dynamic: { type: 'string' },
  json: { type: 'string' },
} as const satisfies FlagTable;

export interface LimitsOptions {
  readonly folder: string;
  /** Threads a group of kernels that are not registered; undefined: the most that fit. */
  readonly threads?: number;
  /** Their dynamic local memory, in bytes. */
  readonly dynamic: number;
  readonly json?: string;
}

export const LIMITS_USAGE = `tf-kernel-contract limits DIR [flags]: may the launches of these images run?

Reads every image below DIR (fatbins, cubins, code objects, bundles, zebins, and
host binaries that hold them) without any vendor's tool. Registered kernels are
held to their launches and records; of the others it tells which chips could run
them, and at how many threads.

  --threads N      ask about N threads a group, not the most that fit
  --dynamic BYTES  with so much dynamic local memory (default 0)
  --json FILE      write all of it to FILE as JSON`;

/** Reads the arguments behind `limits`; throws a UsageError for whatever cannot be meant. */
export function readLimitsFlags(argv: readonly string[]): LimitsOptions {
  const { own, rest } = splitFlags(LIMITS_FLAGS, argv);
  const [folder, second] = rest;
  const unknown = rest.find((word) => word.startsWith('-'));
  if (unknown !== undefined) throw usage(`limits takes no ${unknown}.`);
  if (folder === undefined || folder === '') throw usage('limits needs the folder of the images.');
  if (second !== undefined) throw usage(`limits takes one folder, but got '${folder}' and '${second}'.`);
  const threads = own['threads'] === undefined ? undefined : whole('threads', own['threads'], 1);
  const json = own['json'];
  return {
    folder,
    ...(threads !== undefined && { threads }),
    dynamic: whole('dynamic', own['dynamic'] ?? '0', 0),
    ...(typeof json === 'string' && { json }),
  };
}

function whole(name: string, value: string | boolean, least: number): number {
  const n = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : -1;
  if (n < least) throw usage(`--${name} '${value}' is not a whole number of ${least} or more.`);
  return n;
}

const usage = (what: string): UsageError => new UsageError(`${what}\n${LIMITS_USAGE}`);
