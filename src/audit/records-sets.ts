/**
 * The sets of a dialect together: which one an image is held to, what it inherits, and what a new measurement changes.
 */
import type { RecordKey, RecordLine, RecordSet } from './records.ts';
import { byKey, byRelease, keyText, sameRecord, setName, setPath } from './records.ts';

/** A record with the file that it stands in. */
export type FoundRecord = RecordLine & { readonly path: string };

/** A set with all that it inherits. */
export interface ResolvedSet {
  readonly set: RecordSet;
  readonly name: string;
  /** By key text. */
  readonly records: ReadonlyMap<string, FoundRecord>;
  readonly problems: readonly string[];
}

/**
 * The newest set of a compiler at or below a release; the oldest where the image names no release. Undefined where
 * every set is newer.
 */
export function chooseSet(sets: readonly RecordSet[], compiler: string, release?: string): RecordSet | undefined {
  const own = sets.filter((set) => set.compiler === compiler).toSorted((a, b) => byRelease(a.release, b.release));
  if (release === undefined) return own[0];
  return own.findLast((set) => byRelease(set.release, release) <= 0);
}

/** A set over those that it inherits. `sets`: all of its dialect. */
export function resolveSet(set: RecordSet, sets: readonly RecordSet[]): ResolvedSet {
  const parent = parentOf(set, sets);
  const problems: string[] = [];
  if (set.inherits !== undefined && !parent) {
    problems.push(`${setPath(set)} inherits ${set.inherits}, which is no earlier set of ${set.compiler}`);
  }
  const inherited = parent ? resolveSet(parent, sets) : undefined;
  const records = new Map<string, FoundRecord>();
  for (const [key, record] of inherited?.records ?? []) records.set(key, inheritedBy(record));
  for (const line of set.lines) records.set(keyText(line), { ...line, path: setPath(set) });
  return { set, name: setName(set), records, problems: [...(inherited?.problems ?? []), ...problems] };
}

/** Only an earlier release of the same compiler is inherited, so that no set inherits itself. */
function parentOf(set: RecordSet, sets: readonly RecordSet[]): RecordSet | undefined {
  return sets.find(
    (other) =>
      other.dialect === set.dialect &&
      other.compiler === set.compiler &&
      setName(other) === set.inherits &&
      byRelease(other.release, set.release) < 0,
  );
}

/** What a later set sees of a record: nothing of one that was measured after it. */
function inheritedBy(record: FoundRecord): FoundRecord {
  if ('pending' in record || !record.laterPending) return record;
  const { kernel, chip, symbol, defines, path } = record;
  return { kernel, chip, symbol, ...(defines !== undefined && { defines }), pending: true, path };
}

/** A record that a measurement changes: absent before where it is new, absent after where its launch is gone. */
export interface RecordChange {
  readonly key: RecordKey;
  readonly before?: RecordLine;
  readonly after?: RecordLine;
}

export interface MergedRecords {
  readonly set: RecordSet;
  /** In the order of the records. */
  readonly changes: readonly RecordChange[];
}

/**
 * A set with new measurements in place of its own; records of other launches stay. A set that inherits keeps only what
 * differs. Sets that inherit this one do not take over what was measured after them: see `laterPending`.
 * sets: all of the dialect. registered: whether a launch still exists; records of those that do not are dropped.
 */
export function mergeRecords(
  set: RecordSet,
  sets: readonly RecordSet[],
  measured: readonly RecordLine[],
  registered: (key: RecordKey) => boolean = () => true,
): MergedRecords {
  const before = resolveSet(set, sets).records;
  const heirs = heirsOf(set, sets).map((heir) => new Set(heir.lines.map(keyText)));
  const lines = new Map(set.lines.map((line) => [keyText(line), line]));
  for (const line of measured) {
    const key = keyText(line);
    const inherits = heirs.some((own) => !own.has(key));
    lines.set(key, marked(line, lines.get(key), inherits));
  }
  const parent = parentOf(set, sets);
  const inherited = parent ? resolveSet({ ...set, lines: [] }, sets).records : undefined;
  for (const [key, line] of lines) {
    const same = inherited?.get(key);
    if (!registered(line) || (same && sameRecord(same, line))) lines.delete(key);
  }
  const merged = { ...set, lines: [...lines.values()].toSorted(byKey) };
  const after = resolveSet(merged, [...sets.filter((other) => other !== set), merged]).records;
  return { set: merged, changes: changesOf(before, after) };
}

/** Sets that inherit a set, through others too. */
function heirsOf(set: RecordSet, sets: readonly RecordSet[]): RecordSet[] {
  const children = sets.filter((other) => parentOf(other, sets) === set);
  return children.flatMap((child) => [child, ...heirsOf(child, sets)]);
}

/**
 * A new measurement is not the heirs' own, unless it says what they took over before. inherits: some heir would take
 * it.
 */
function marked(line: RecordLine, known: RecordLine | undefined, inherits: boolean): RecordLine {
  if ('pending' in line) return line;
  const plain = withoutMark(line);
  if (known && !('pending' in known) && sameRecord(withoutMark(known), plain)) return known;
  return inherits ? { ...plain, laterPending: true } : plain;
}

function withoutMark(line: Exclude<RecordLine, { pending: true }>): RecordLine {
  const { laterPending: _mark, ...plain } = line;
  return plain;
}

function changesOf(before: ReadonlyMap<string, FoundRecord>, after: ReadonlyMap<string, FoundRecord>): RecordChange[] {
  const all = [...new Map([...before, ...after])].toSorted(([, a], [, b]) => byKey(a, b));
  return all.flatMap(([key, { kernel, chip, symbol, defines }]) => {
    const [from, to] = [before.get(key), after.get(key)];
    if (from && to && sameRecord(from, to)) return [];
    const named = { kernel, chip, symbol, ...(defines !== undefined && { defines }) };
    return [{ key: named, ...(from && { before: from }), ...(to && { after: to }) }];
  });
}
