/**
 * One limit at one launch: whether it holds, and the sum that shows it. Rules give these; problems are those that do
 * not hold.
 */
import type { Chip } from '../chips/chip.ts';
import type { Extent, LaunchAt } from '../launch.ts';
import type { Limit, LimitProblem } from '../problem.ts';
import { count } from '../../numerics/digits.ts';
import { extentText } from '../problem.ts';

export interface Check {
  readonly limit: Limit;
  readonly holds: boolean;
  /** The share of the limit that is used; absent where the launch must equal something. */
  readonly used?: number;
  /** Another compile or another shape moves what is needed, so a near miss is worth telling. */
  readonly moves: boolean;
  /** The sum. A function, since most checks hold and are never told. */
  readonly what: () => string;
  readonly do?: string | undefined;
}

/** A limit used to this share or more is tight. */
export const TIGHT = 0.9;

interface AtMost {
  readonly limit: Limit;
  readonly need: number;
  readonly most: number;
  /** What is needed, as a sum that ends in the number: `static 512 + dynamic 101,120 = 101,632`. */
  readonly sum?: () => string;
  /** What there is: `opt-in bytes of sm_86`. */
  readonly of: string;
  readonly moves?: boolean;
  /** The chip and its column that `most` is read from: an uncertain one is told as such. */
  readonly from?: readonly [chip: Chip, column: string];
  readonly do?: string;
}

/** At most so much. */
export function atMost({ limit, need, most, sum, of, moves = false, from, do: advice }: AtMost): Check {
  const holds = need <= most;
  const what = (): string => {
    const over = holds ? '' : ` (${count(need - most)} over)`;
    return `${sum?.() ?? count(need)} ${holds ? '<=' : '>'} ${count(most)} ${of}${over}${doubt(from)}`;
  };
  const used = need / most;
  return { limit, holds, used, moves, what, do: advice };
}

/** A condition that holds or does not. */
export const must = (limit: Limit, holds: boolean, what: () => string): Check => ({ limit, holds, moves: false, what });

/** Every size is at least 1. */
export function notEmpty(limit: Limit, extent: Extent, noun: string): Check {
  const full = extent.every((size) => size >= 1);
  return must(limit, full, () => `${noun} of ${extentText(extent)} is empty`);
}

/** A group is exactly what its image requires. of: where the image says so. */
export function sameGroup(threads: Extent, required: Extent, noun: string, of: string): Check {
  const same = threads.every((size, i) => size === required[i]);
  return must('required group', same, () => `${noun} ${extentText(threads)}, but ${of} ${extentText(required)}`);
}

function doubt(from: AtMost['from']): string {
  if (!from) return '';
  const [chip, column] = from;
  return chip.uncertain.includes(column) ? `; that number of ${chip.name} is uncertain` : '';
}

/** The limit that a launch comes nearest to. */
export interface Near {
  readonly limit: Limit;
  /** The share of it that is used, at most 1. */
  readonly used: number;
  readonly what: string;
  readonly at?: string;
}

export interface Findings {
  /** Each limit that is broken once, at the shape that misses it by most. */
  readonly problems: readonly LimitProblem[];
  /** The nearest of the limits that hold and that another compile or shape moves; absent where none is tight. */
  readonly near?: Near;
}

interface Found {
  readonly check: Check;
  readonly at: string | undefined;
}

const usedBy = (found: Found | undefined): number => found?.check.used ?? 0;

/** What the checks of a launch at all its shapes come to. */
export function gather(launches: readonly LaunchAt[], checks: (launch: LaunchAt) => readonly Check[]): Findings {
  const worst = new Map<Limit, Found>();
  let near: Found | undefined;
  for (const launch of launches) {
    for (const check of checks(launch)) {
      const found = { check, at: launch.label };
      if (!check.holds) {
        const known = worst.get(check.limit);
        if (!known || usedBy(found) > usedBy(known)) worst.set(check.limit, found);
      } else if (check.moves && usedBy(found) >= TIGHT && usedBy(found) > usedBy(near)) near = found;
    }
  }
  return { problems: [...worst.values()].map(problemOf), ...(near && { near: nearOf(near) }) };
}

function problemOf({ check: { limit, what, do: advice }, at }: Found): LimitProblem {
  return { limit, what: what(), ...(at !== undefined && { at }), ...(advice !== undefined && { do: advice }) };
}

function nearOf({ check: { limit, what, used = 0 }, at }: Found): Near {
  return { limit, used, what: what(), ...(at !== undefined && { at }) };
}
