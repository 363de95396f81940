/** Gate 5: every launch of every kernel against every chip, from declarations and records alone. */
import type { Dialect } from '../families/formula/functions.ts';
import type { Chip } from './chips/chip.ts';
import type { AuditLaunch, LaunchAt } from './launch.ts';
import { definesText, ofAnyWidth } from './launch.ts';
import { leastMeasured } from './least.ts';
import type { Measured } from './measured.ts';
import { occupancyOf } from './occupancy.ts';
import type { LimitProblem } from './problem.ts';
import type { Recorded, RecordedLaunch } from './recorded.ts';
import { staleSource } from './records-stale.ts';
import type { Near } from './rules/check.ts';
import { isTight } from './rules/check.ts';
import { findLimits, limitProblems } from './rules/rules.ts';

/** stale: the record is of another source. pending: nothing was measured, and the launch alone breaks no limit. */
export type VerdictStatus = 'fits' | 'tight' | 'does not fit' | 'stale' | 'pending';

/** One launch on one chip, as one set of records has it. */
export interface Verdict {
  readonly kernel: string;
  readonly dialect: Dialect;
  readonly symbol: string;
  readonly defines?: string;
  readonly chip: string;
  readonly status: VerdictStatus;
  readonly problems: readonly LimitProblem[];
  /** The limit that a launch comes nearest to, of those that another compile or shape moves. */
  readonly near?: Near;
  /** The fewest groups that a multiprocessor holds at once, over all shapes. */
  readonly groups?: number;
  /** The set of records that was used: `nvcc-13.0`. Undefined where the dialect has none. */
  readonly set?: string;
}

/** Whether a launch is judged on a chip of its dialect. */
export type Selects = (launch: AuditLaunch, chip: Chip) => boolean;

export const everything: Selects = () => true;

/** A verdict for every launch, chip and set of records that is selected. */
export function auditAll({ launches }: Recorded, chips: readonly Chip[], selects: Selects = everything): Verdict[] {
  return launches.flatMap((recorded) => {
    const own = chips.filter((chip) => chip.dialect === recorded.launch.dialect && selects(recorded.launch, chip));
    return own.map((chip) => verdictOn(questionOf(recorded, chip)));
  });
}

/** A launch on a chip. */
export interface Question {
  readonly recorded: RecordedLaunch;
  readonly chip: Chip;
  readonly at: readonly LaunchAt[];
  /** The record, where it is of the source that there is now; else the least that any kernel asks. */
  readonly measured: Measured;
  readonly isPending: boolean;
  /** The record is of another source. */
  readonly isStale: boolean;
}

export function questionOf(recorded: RecordedLaunch, chip: Chip): Question {
  const { launch, records } = recorded;
  const record = records[chip.name];
  const facts = record && !('pending' in record) ? record.facts : undefined;
  const isStale = record !== undefined && staleSource(record, launch.dialect, launch.hash) !== undefined;
  const measured = facts && !isStale ? facts : leastMeasured(launch.symbol, chip);
  return { recorded, chip, at: launch.at, measured, isPending: !facts, isStale };
}

type Judgement = Pick<Verdict, 'status' | 'problems' | 'near' | 'groups'>;

export const verdictOn = (question: Question): Verdict =>
  verdictOf(question, question.isPending || question.isStale ? judgeUnmeasured(question) : judgeMeasured(question));

function verdictOf({ recorded: { launch, set }, chip }: Question, judgement: Judgement): Verdict {
  const { kernel, dialect, symbol } = launch;
  const defines = definesText(launch.defines);
  const named = { kernel, dialect, symbol, ...(defines !== '' && { defines }), chip: chip.name };
  return { ...named, ...(set !== undefined && { set }), ...judgement };
}

/** A launch whose record is missing or stale is still held to what no compile can change. */
function judgeUnmeasured({ recorded: { launch, records }, at, measured, chip }: Question): Judgement {
  const record = records[chip.name];
  const stale = record && staleSource(record, launch.dialect, launch.hash);
  const problems = limitProblems(at.map(ofAnyWidth), measured, chip).filter(({ limit }) => limit !== 'pending');
  if (problems.length > 0) return { status: 'does not fit', problems: stale ? [stale, ...problems] : problems };
  return stale ? { status: 'stale', problems: [stale] } : { status: 'pending', problems: [] };
}

function judgeMeasured({ at, measured, chip }: Question): Judgement {
  const { problems, near } = findLimits(at, measured, chip);
  const [first] = problems;
  if (first && problems.every(({ limit }) => limit === 'pending')) return { status: 'pending', problems: [] };
  if (first) return { status: 'does not fit', problems };
  const groups = at.flatMap((launch) => occupancyOf(launch, measured, chip)?.groups ?? []);
  return {
    status: isTight(near) ? 'tight' : 'fits',
    problems,
    ...(near && { near }),
    ...(groups.length > 0 && { groups: Math.min(...groups) }),
  };
}
