/** The records folder: its files as sets, and sets back to files, each written beside its name and renamed. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Dialect } from '../../families/formula/functions.ts';
import { DIALECTS } from '../../families/formula/functions.ts';
import { parseRecords, serialiseRecords } from '../../audit/records-file.ts';
import type { AllRecords } from '../../audit/recorded.ts';
import type { RecordSet } from '../../audit/records.ts';
import { byRelease, setName } from '../../audit/records.ts';
import { writeWhole } from '../../device/toolchain/cache.ts';
import { outside } from '../../spec/outside.ts';
import type { Compiler } from '../../device/vendor/vendor.ts';

/**
 * The folder of records: TF_RECORDS, that beside the contracts that were named, or the project's own. The executable has none of its
 * own: it holds its records.
 */
export function recordsRoot(): string | undefined {
  const variable = process.env['TF_RECORDS'];
  if (variable) return variable;
  const named = outside();
  if (named) return join(named.root, 'records');
  return Bun.isStandaloneExecutable ? undefined : join(import.meta.dir, '../../../records');
}

export function readRecords(root: string | undefined): AllRecords {
  if (root === undefined) return { sets: [], problems: [] };
  const read = DIALECTS.flatMap((dialect) => {
    const folder = join(root, dialect);
    if (!existsSync(folder)) return [];
    const files = [...new Bun.Glob('*.jsonl').scanSync({ cwd: folder })].toSorted();
    return files.map((file) => parseRecords(dialect, file, readFileSync(join(folder, file), 'utf8')));
  });
  return { sets: read.flatMap(({ set }) => set ?? []), problems: read.flatMap(({ problems }) => problems) };
}

/** The set that a compiler's measurements go to: its own, or a new one that inherits the newest before it. */
export function setFor(dialect: Dialect, { name, release }: Compiler, sets: readonly RecordSet[]): RecordSet {
  const own = sets.filter((set) => set.dialect === dialect && set.compiler === name);
  const exact = own.find((set) => byRelease(set.release, release) === 0);
  if (exact) return exact;
  const earlier = own.filter((set) => byRelease(set.release, release) < 0);
  const newest = earlier.toSorted((a, b) => byRelease(a.release, b.release)).at(-1);
  return { dialect, compiler: name, release, ...(newest && { inherits: setName(newest) }), lines: [] };
}

/** Writes a set's file whole; returns its path. One that holds the same text is left as it is. */
export function writeRecords(root: string, set: RecordSet): string {
  const path = join(root, set.dialect, `${setName(set)}.jsonl`);
  const text = serialiseRecords(set);
  if (!existsSync(path) || readFileSync(path, 'utf8') !== text) writeWhole(path, text);
  return path;
}
