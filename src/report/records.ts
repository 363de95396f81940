/** Records as lines that a program can read, and what a compile changed in them as rows of a table. */
import type { MeasuredRecord, RecordSet } from '../audit/records.ts';
import { differences, setName } from '../audit/records.ts';
import { serialiseRecords } from '../audit/records-file.ts';
import type { RecordChange } from '../audit/records-sets.ts';
import type { Style } from './style.ts';

/** `RECORD rms_rows_bf16@cuda sm_80 nvcc-13.0 tf_rms_rows_bf16 source=9f3c1a registers=32 …`: a record's line as words. */
export function recordLine(
  address: string,
  set: Pick<RecordSet, 'dialect' | 'compiler' | 'release'>,
  record: MeasuredRecord,
): string {
  const { kernel: _kernel, chip, symbol, defines, ...facts } = fileLine(set, record);
  const built = typeof defines === 'string' ? defines.split(' ').map((define) => `-D${define}`) : [];
  const named = Object.entries(facts).map(([fact, value]) => `${fact}=${wordOf(value)}`);
  return ['RECORD', address, chip, setName(set), symbol, ...built, ...named].join(' ');
}

/** A record as the file of its set holds it, so that both name the same facts in the same order. */
function fileLine(
  set: Pick<RecordSet, 'dialect' | 'compiler' | 'release'>,
  record: MeasuredRecord,
): Record<string, unknown> {
  return JSON.parse(serialiseRecords({ ...set, lines: [record] }));
}

/** A fact as one word: `256x1x1`, `none` for an empty list. */
function wordOf(value: unknown): string {
  if (!Array.isArray(value)) return String(value);
  if (value.length === 0) return 'none';
  return value.join(value.every((part) => typeof part === 'number') ? 'x' : ',');
}

/** One row of the table: a change that some kernels share on some chips. */
export interface ChangeRow {
  readonly kernels: readonly string[];
  readonly chips: readonly string[];
  readonly what: string;
}

/** What differs from the records there are: chips of a kernel with one change in one row, then kernels alike in both. */
export function changeRows(changes: readonly RecordChange[]): ChangeRow[] {
  const launches = [
    ...Map.groupBy(changes, (change) => JSON.stringify([launchName(change), changeText(change)])).values(),
  ];
  const rows = launches.map((own) => ({
    own,
    chips: own.map(({ key }) => key.chip),
    what: own.map(changeText)[0] ?? '',
  }));
  const alike = Map.groupBy(rows, ({ chips, what }) => JSON.stringify([chips, what]));
  return [...alike.values()].flatMap((group) => {
    const [first] = group;
    return first
      ? [{ kernels: launchNames(group.flatMap(({ own }) => own)), chips: first.chips, what: first.what }]
      : [];
  });
}

/** Tells the launches of a kernel apart. */
const launchName = ({ key: { kernel, symbol, defines } }: RecordChange): string =>
  [kernel, symbol, defines].filter((part) => part !== undefined).join(' ');

function launchNames(changes: readonly RecordChange[]): string[] {
  return [...new Set(changes.map(({ key }) => key.kernel))];
}

/** `new`, `gone`, `registers 40, now 48`; a source that compiles to the same facts says so. */
export function changeText({ before, after }: RecordChange): string {
  if (!after) return 'gone';
  if ('pending' in after) return 'pending';
  if (!before || 'pending' in before) return 'new';
  const changed = differences(before.facts, after.facts);
  if (changed.length > 0) return changed.join('; ');
  return before.source === after.source ? 'measured after later releases' : 'the source alone';
}

/** How a change is painted: what a kernel needs may have grown. */
export const changeStyle = (what: string, style: Style): string =>
  what === 'new' ? style.good(what) : what === 'the source alone' ? style.faint(what) : style.warn(what);
