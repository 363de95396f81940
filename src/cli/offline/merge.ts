/** Measurements against the records there are, and the line that sums a run up. */
import { definesText } from '../../audit/launch.ts';
import { auditLaunches } from '../../audit/launches.ts';
import type { RecordSet } from '../../audit/records.ts';
import { keyText } from '../../audit/records.ts';
import type { MergedRecords } from '../../audit/records-sets.ts';
import { mergeRecords } from '../../audit/records-sets.ts';
import type { Kernel } from '../../spec/registration.ts';
import { counted } from '../../report/words.ts';
import type { Measurer } from './jobs.ts';
import type { OfflineResult } from './measure.ts';
import { setFor } from './records.ts';
import { setOf } from './workspace.ts';

/** The set of a measurer with what it measured; planted edits are nobody's records. */
export function mergedFor(
  { dialect, compiler }: Measurer,
  kernels: readonly Kernel[],
  results: readonly OfflineResult[],
  sets: readonly RecordSet[],
): MergedRecords {
  const own = sets.filter((set) => set.dialect === dialect);
  const measured = results
    .filter(({ job }) => job.unit.dialect === dialect && job.compiler === compiler && !job.unit.planted)
    .flatMap(({ records }) => records);
  const registered = new Set(
    kernels
      .flatMap(auditLaunches)
      .map((launch) => launchKey(launch.kernel, launch.symbol, definesText(launch.defines))),
  );
  return mergeRecords(setFor(dialect, compiler, own), own, measured, ({ kernel, symbol, defines = '' }) =>
    registered.has(launchKey(kernel, symbol, defines)),
  );
}

const launchKey = (kernel: string, symbol: string, defines: string): string =>
  keyText({ kernel, symbol, chip: '', defines });

/** `OFFLINE 322 records by nvcc-13.0, clang-19.1: 3 differ from records/, written; 12 of 40 compiles anew, 0 failed`. */
export function closingLine(
  results: readonly OfflineResult[],
  measurers: readonly Measurer[],
  merged: readonly MergedRecords[],
  written: boolean,
): string {
  const records = results.reduce((sum, { records: own }) => sum + own.length, 0);
  const changes = merged.reduce((sum, { changes: own }) => sum + own.length, 0);
  const failed = results.filter(({ problems }) => problems.length > 0).length;
  const anew = results.filter(({ cached }) => !cached).length;
  const differ = `${changes} ${changes === 1 ? 'differs' : 'differ'} from records/`;
  const todo = changes === 0 ? '' : written ? ', written' : ', not written: --write does';
  const by = measurers.map(({ compiler }) => setOf(compiler)).join(', ');
  return `OFFLINE ${counted(records, 'record')} by ${by}: ${differ}${todo}; ${anew} of ${counted(results.length, 'compile')} anew, ${failed} failed`;
}
