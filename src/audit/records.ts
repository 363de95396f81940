/**
 * What compiles gave: one file a compiler release, `records/<dialect>/<compiler>-<release>.jsonl`. Declared and
 * measured stay apart: contracts state launches, and only the tool writes these.
 */
import type { Dialect } from '../families/formula/functions.ts';
import type { Measured } from './measured.ts';
import { extentText } from './problem.ts';

/** What a record is of: a launch's kernel on a chip. */
export interface RecordKey {
  readonly kernel: string;
  readonly chip: string;
  readonly symbol: string;
  /** The launch's defines, where it has any: `HEAD=128 THREADS=256`. */
  readonly defines?: string;
}

export interface MeasuredRecord extends RecordKey {
  /** The hash of the source that was compiled. */
  readonly source: string;
  readonly facts: Measured;
  /**
   * Measured after later releases' sets were made: those do not inherit it, but wait for a measurement of their own.
   */
  readonly laterPending?: true;
}

/** Known to be unmeasured by this release. A key without a record is pending as well. */
export interface PendingRecord extends RecordKey {
  readonly pending: true;
}

export type RecordLine = MeasuredRecord | PendingRecord;

/** The records of one compiler release, sorted by kernel, then chip. */
export interface RecordSet {
  readonly dialect: Dialect;
  /** `nvcc`, `clang`, `ocloc`, `metal`. */
  readonly compiler: string;
  readonly release: string;
  /** The earlier set that this one holds only the differences to: `nvcc-13.0`. */
  readonly inherits?: string;
  readonly lines: readonly RecordLine[];
}

export const setName = ({ compiler, release }: Pick<RecordSet, 'compiler' | 'release'>): string =>
  `${compiler}-${release}`;

export const setPath = (set: Pick<RecordSet, 'dialect' | 'compiler' | 'release'>): string =>
  `records/${set.dialect}/${setName(set)}.jsonl`;

/** Equal keys have equal texts. */
export const keyText = ({ kernel, chip, symbol, defines = '' }: RecordKey): string =>
  `${kernel}\0${chip}\0${symbol}\0${defines}`;

/** `sm_90` before `sm_100`. */
const chipOrder = (chip: string): string => chip.replace(/\d+/g, (digits) => digits.padStart(5, '0'));

/** The order of records: by kernel, then chip, then symbol. */
export const byKey = (a: RecordKey, b: RecordKey): number => {
  const [left, right] = [a, b].map((key) => keyText({ ...key, chip: chipOrder(key.chip) })) as [string, string];
  return left < right ? -1 : Number(left > right);
};

/** Releases by their numbers: 13.2 before 13.10. */
export function byRelease(a: string, b: string): number {
  const [left, right] = [a.split('.').map(Number), b.split('.').map(Number)];
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Facts that two measurements of a kernel differ in: `registers 40, now 48`. The release is no fact. */
export function differences(before: Measured, after: Measured): string[] {
  const [left, right] = [factsOf(before), factsOf(after)];
  return Object.keys({ ...left, ...right }).flatMap((fact) => {
    if (left[fact] === right[fact]) return [];
    const [from, to] = [factText(left[fact]), factText(right[fact])];
    return from === to ? [] : [`${fact} ${from}, now ${to}`];
  });
}

/** A measurement without what its key and its set say. */
export function factsOf(measured: Measured): Readonly<Record<string, unknown>> {
  const { dialect: _dialect, symbol: _symbol, chip: _chip, release: _release, ...facts } = measured;
  return facts;
}

function factText(value: unknown): string {
  if (value === undefined) return 'none';
  return Array.isArray(value) && value.every((part) => typeof part === 'number') ? extentText(value) : String(value);
}

/** Whether two records of one key say the same. */
export function sameRecord(a: RecordLine, b: RecordLine): boolean {
  if ('pending' in a || 'pending' in b) return 'pending' in a && 'pending' in b;
  return a.source === b.source && a.laterPending === b.laterPending && differences(a.facts, b.facts).length === 0;
}
