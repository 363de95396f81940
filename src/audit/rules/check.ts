/**
 * One limit at one launch: whether it holds, and the sum that shows it. Rules give these; problems are those that do
 * not hold.
 */
import type { Chip } from '../chips/chip.ts';
import type { Extent, LaunchAt } from '../launch.ts';
import type { Measured } from '../measured.ts';
import type { Limit, LimitProblem } from '../problem.ts';
import { count } from '../../numerics/digits.ts';
import { extentText } from '../problem.ts';

/**
 * What the rules of a dialect read of a measured kernel, so that one kernel may stand for others: see cover.ts. A fact that
 * no rule reads is in neither part.
 */
export interface Asks<M extends Measured> {
  /** Facts that ask more of a chip the larger they are. */
  readonly rising: readonly (keyof M & string)[];
  /** Whether all others are equal, so that two kernels differ in how much they ask alone. */
  readonly same: (a: M, b: M) => boolean;
}

/** Equal sizes, or none in both. */
export const sameExtent = (a: Extent | undefined, b: Extent | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && a[0] === b[0] && a[1] === b[1] && a[2] === b[2]);

/** Whether something holds, and the sentence that shows it. */
export interface Must {
  readonly limit: Limit;
  readonly holds: boolean;
  /** A function, since most checks hold and are never told. */
  readonly what: () => string;
}

/** At most so much. */
export interface AtMost {
  readonly limit: Limit;
  readonly need: number;
  readonly most: number;
  /** What is needed, as a sum that ends in the number: `static 512 + dynamic 101,120 = 101,632`. */
  readonly sum?: () => string;
  /** What there is: `opt-in bytes of sm_86`. */
  readonly of: string | (() => string);
  /** Another compile or another shape moves what is needed, so a near miss is worth telling. */
  readonly moves?: boolean;
  /** The chip and its column that `most` is read from: an uncertain one is told as such. */
  readonly from?: readonly [chip: Chip, column: string];
  readonly do?: string;
}

export type Check = Must | AtMost;

/** A limit used to this share or more is tight. */
const TIGHT = 0.9;

export const holds = (check: Check): boolean => ('most' in check ? check.need <= check.most : check.holds);

/** The share of the limit that is used; 0 where the launch must equal something. */
const usedBy = (check: Check | undefined): number => (check && 'most' in check ? check.need / check.most : 0);

/** The sum. */
export function whatOf(check: Check): string {
  if (!('most' in check)) return check.what();
  const { need, most, sum, of, from } = check;
  const over = need <= most ? '' : ` (${count(need - most)} over)`;
  return `${sum?.() ?? count(need)} ${need <= most ? '<=' : '>'} ${count(most)} ${typeof of === 'string' ? of : of()}${over}${doubt(from)}`;
}

/** A condition that holds or does not. */
export const must = (limit: Limit, whether: boolean, what: () => string): Must => ({ limit, holds: whether, what });

/** A compile of another width than the kernel's launches run at, in words. */
export const launchedElsewhere = (name: string, lanes: number): string =>
  `compiled for ${name} of ${lanes}, at which no launch of the kernel takes the shape (\`warp\`)`;

export const AXES = ['x', 'y', 'z'] as const;

/** The axis that comes nearest to its limit, or misses it by most: the others need no check. */
export function nearestAxis(sizes: Extent, most: Extent): 0 | 1 | 2 {
  const [x, y, z] = [sizes[0] / most[0], sizes[1] / most[1], sizes[2] / most[2]];
  if (!(x < y || x < z)) return 0;
  return y < z ? 2 : 1;
}

/** Every size is at least 1. */
export function notEmpty(limit: Limit, extent: Extent, noun: string): Must {
  const [x, y, z] = extent;
  const full = x >= 1 && y >= 1 && z >= 1;
  return must(limit, full, () => `${noun} of ${extentText(extent)} is empty`);
}

/** A group is exactly what its image requires. of: where the image says so. */
export function sameGroup(threads: Extent, required: Extent, noun: string, of: string): Must {
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
  /** The nearest of the limits that hold and that another compile or shape moves. */
  readonly near?: Near;
}

interface Found {
  readonly check: Check;
  readonly at: string | undefined;
}

/** What the checks of a launch at all its shapes come to, not yet in words. */
export interface Gathered {
  /** By the limit that is broken, where it is missed by most. */
  readonly worst: ReadonlyMap<Limit, Found>;
  readonly near: Found | undefined;
}

export function gather(launches: readonly LaunchAt[], checks: (launch: LaunchAt) => readonly Check[]): Gathered {
  const worst = new Map<Limit, Found>();
  let near: Found | undefined;
  for (const launch of launches) {
    for (const check of checks(launch)) {
      if (!holds(check)) {
        const known = worst.get(check.limit);
        if (!known || usedBy(check) > usedBy(known.check)) worst.set(check.limit, { check, at: launch.label });
      } else if (isMoved(check) && usedBy(check) > usedBy(near?.check)) near = { check, at: launch.label };
    }
  }
  return { worst, near };
}

export const findingsOf = ({ worst, near }: Gathered): Findings => ({
  problems: [...worst.values()].map(problemOf),
  ...(near && { near: nearOf(near) }),
});

const isMoved = (check: Check): boolean => 'most' in check && check.moves === true;

/** Whether the nearest limit is worth telling by itself. */
export const isTight = (near: Near | undefined): near is Near => near !== undefined && near.used >= TIGHT;

const placed = ({ check, at }: Found): Pick<Near, 'limit' | 'what' | 'at'> => ({
  limit: check.limit,
  what: whatOf(check),
  ...(at !== undefined && { at }),
});

function problemOf(found: Found): LimitProblem {
  const advice = 'most' in found.check ? found.check.do : undefined;
  return { ...placed(found), ...(advice !== undefined && { do: advice }) };
}

const nearOf = (found: Found): Near => ({ ...placed(found), used: usedBy(found.check) });
