/** Launches with what the records say of each on every chip: plain data, so that a build may join them once. */
import type { Dialect } from '../families/formula/functions.ts';
import type { Chip } from './chips/chip.ts';
import { definesText } from './launch.ts';
import type { MetalMeasured } from './measured.ts';
import type { RecordSet } from './records.ts';
import { keyText } from './records.ts';
import type { FoundRecord, ResolvedSet } from './records-sets.ts';
import { resolveSet } from './records-sets.ts';
import type { HashedLaunch } from './records-source.ts';

/** A launch by one set of records. */
export interface RecordedLaunch {
  readonly launch: HashedLaunch;
  /** `nvcc-13.0`; undefined where the dialect has no set. */
  readonly set?: string;
  /** By the names of the chips that are served; a chip without a record is absent. */
  readonly records: Readonly<Record<string, FoundRecord>>;
}

export interface Recorded {
  readonly launches: readonly RecordedLaunch[];
  /** What is wrong with the records themselves. */
  readonly problems: readonly string[];
}

/** The sets of all dialects, and what is wrong with their files. */
export interface AllRecords {
  readonly sets: readonly RecordSet[];
  readonly problems: readonly string[];
}

/** Every launch by every set of its dialect. */
export function recordedLaunches(
  launches: readonly HashedLaunch[],
  records: AllRecords,
  chips: readonly Chip[],
): Recorded {
  const books = new Map<Dialect, Book>();
  const recorded = launches.flatMap((launch) => {
    const book = books.get(launch.dialect) ?? openBook(launch.dialect, records.sets);
    books.set(launch.dialect, book);
    const own = chips.filter((chip) => chip.dialect === launch.dialect);
    return book.sets.map((set) => recordedLaunch(launch, set, book, own));
  });
  const problems = [...books.values()].flatMap((book) => book.sets.flatMap((set) => set?.problems ?? []));
  return { launches: recorded, problems: [...new Set([...records.problems, ...problems])] };
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

function recordedLaunch(
  launch: HashedLaunch,
  set: ResolvedSet | undefined,
  book: Book,
  chips: readonly Chip[],
): RecordedLaunch {
  const found = chips.flatMap((chip) => {
    const record = findRecord(launch, chip, set, book);
    return record ? [[chip.name, record] as const] : [];
  });
  return { launch, ...(set && { set: set.name }), records: Object.fromEntries(found) };
}

/** A chip's record, with what the source says added; the source's alone where that is enough to judge. */
function findRecord(
  launch: HashedLaunch,
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
