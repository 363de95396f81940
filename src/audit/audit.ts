/** Gate 5: every launch of every kernel against every chip, from declarations and records alone. */
import type { Dialect } from '../families/formula/functions.ts';
import type { Chip } from './chips/chip.ts';
import type { AuditLaunch } from './launch.ts';
import { definesText } from './launch.ts';
import { leastMeasured } from './least.ts';
import type { Measured, MetalMeasured } from './measured.ts';
import { occupancyOf } from './occupancy.ts';
import type { LimitProblem } from './problem.ts';
import type { RecordSet } from './records.ts';
import { keyText } from './records.ts';
import type { FoundRecord, ResolvedSet } from './records-sets.ts';
import { resolveSet } from './records-sets.ts';
import type { HashedLaunch } from './records-source.ts';
import { staleSource } from './records-stale.ts';
import type { Near } from './rules/check.ts';
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
  /** The limit that a tight launch comes nearest to. */
  readonly near?: Near;
  /** The fewest groups that a multiprocessor holds at once, over all shapes. */
  readonly groups?: number;
  /** The set of records that was used: `nvcc-13.0`. Undefined where the dialect has none. */
  readonly set?: string;
}

export interface AuditInput {
  readonly launches: readonly HashedLaunch[];
  /** The sets of all dialects. */
  readonly records: readonly RecordSet[];
  readonly chips: readonly Chip[];
}

export interface Audit {
  readonly verdicts: readonly Verdict[];
  /** What is wrong with the records themselves. */
  readonly problems: readonly string[];
}

/** A verdict for every launch, chip and set of records. */
export function auditAll({ launches, records, chips }: AuditInput): Audit {
  const books = new Map<Dialect, Book>();
  const bookOf = (dialect: Dialect): Book => {
    const book = books.get(dialect) ?? openBook(dialect, records);
    books.set(dialect, book);
    return book;
  };
  const verdicts = launches.flatMap((launch) => {
    const book = bookOf(launch.dialect);
    const own = chips.filter((chip) => chip.dialect === launch.dialect);
    return own.flatMap((chip) => book.sets.map((set) => audit({ launch, chip, set, book })));
  });
  const problems = [...books.values()].flatMap((book) => book.sets.flatMap((set) => set?.problems ?? []));
  return { verdicts, problems: [...new Set(problems)] };
}

/** The records of one dialect. `sets` holds undefined alone where there are none: everything is pending then. */
interface Book {
  readonly sets: readonly (ResolvedSet | undefined)[];
  /** What sources say on every chip, by key text with the chip `source`. */
  readonly ofSources: ReadonlyMap<string, FoundRecord>;
}

const SOURCE = 'source';

function openBook(dialect: Dialect, records: readonly RecordSet[]): Book {
  const own = records.filter((set) => set.dialect === dialect);
  const resolved = own.map((set) => resolveSet(set, own));
  const ofSources = resolved.flatMap(({ records: all }) => [...all].filter(([, { chip }]) => chip === SOURCE));
  const ofChips = resolved.filter(({ records: all }) => all.values().some(({ chip }) => chip !== SOURCE));
  const sets = ofChips.length > 0 ? ofChips : resolved.slice(-1);
  return { sets: sets.length > 0 ? sets : [undefined], ofSources: new Map(ofSources) };
}

interface Question {
  readonly launch: HashedLaunch;
  readonly chip: Chip;
  readonly set: ResolvedSet | undefined;
  readonly book: Book;
}

function audit(question: Question): Verdict {
  const { launch, chip, set } = question;
  const { kernel, dialect, symbol } = launch;
  const defines = definesText(launch.defines);
  const named = { kernel, dialect, symbol, ...(defines !== '' && { defines }), chip: chip.name };
  return { ...named, ...(set && { set: set.name }), ...judge(question) };
}

type Judgement = Pick<Verdict, 'status' | 'problems' | 'near' | 'groups'>;

/** A launch whose record is missing or stale is still held to what no compile can change. */
function judge({ launch, chip, set, book }: Question): Judgement {
  const record = findRecord(launch, chip, set, book);
  const stale = record && staleSource(record, launch.dialect, launch.hash);
  const measured = record && !stale && !('pending' in record) ? record.facts : undefined;
  if (measured) return judgeMeasured(launch, measured, chip);
  const problems = limitProblems(launch.at, leastMeasured(launch.symbol, chip), chip).filter(
    ({ limit }) => limit !== 'pending',
  );
  if (problems.length > 0) return { status: 'does not fit', problems: stale ? [stale, ...problems] : problems };
  return stale ? { status: 'stale', problems: [stale] } : { status: 'pending', problems: [] };
}

function judgeMeasured(launch: AuditLaunch, measured: Measured, chip: Chip): Judgement {
  const { problems, near } = findLimits(launch.at, measured, chip);
  const [first] = problems;
  if (first && problems.every(({ limit }) => limit === 'pending')) return { status: 'pending', problems: [] };
  if (first) return { status: 'does not fit', problems };
  const groups = launch.at.flatMap((at) => occupancyOf(at, measured, chip)?.groups ?? []);
  return {
    status: near ? 'tight' : 'fits',
    problems,
    ...(near && { near }),
    ...(groups.length > 0 && { groups: Math.min(...groups) }),
  };
}

/** A chip's record, with what the source says added; the source's alone where that is enough to judge. */
function findRecord(
  launch: AuditLaunch,
  chip: Chip,
  set: ResolvedSet | undefined,
  book: Book,
): FoundRecord | undefined {
  const defines = definesText(launch.defines);
  const named = { kernel: launch.kernel, symbol: launch.symbol, ...(defines !== '' && { defines }) };
  const onChip = chipNames(chip)
    .map((name) => set?.records.get(keyText({ ...named, chip: name })))
    .find((record) => record !== undefined);
  const ofSource = book.ofSources.get(keyText({ ...named, chip: SOURCE }));
  if (!onChip || 'pending' in onChip) return ofSource ?? onChip;
  if (!ofSource || 'pending' in ofSource || ofSource.source !== onChip.source) return onChip;
  return { ...onChip, facts: { ...(ofSource.facts as MetalMeasured), ...(onChip.facts as MetalMeasured) } };
}

/** A chip's name as records have it: an image may be of the chip's own features. */
const chipNames = ({ dialect, name }: Chip): string[] => (dialect === 'cuda' ? [name, `${name}a`, `${name}f`] : [name]);
