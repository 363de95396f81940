/** `--offline DIR`: compile what is selected for every served chip, read the images back, hold them against the records. */
import { HOST } from '../../device/run-device.ts';
import { setPath } from '../../audit/records.ts';
import { addToIndex } from '../../device/image-folder.ts';
import { readListing } from '../../spec/listing.ts';
import { loadKernels } from '../../spec/load.ts';
import type { Kernel } from '../../spec/registration.ts';
import { changeRows, recordLine } from '../../report/records.ts';
import { changesTable } from '../../report/records-table.ts';
import type { Style } from '../../report/style.ts';
import { styleFor } from '../colour.ts';
import type { ExitCode } from '../errors.ts';
import { NothingRunError, UsageError } from '../errors.ts';
import { LIMITS } from '../arguments/flags.ts';
import type { OfflineOptions } from './flags.ts';
import { readOfflineFlags } from './flags.ts';
import type { Absent, Measurer } from './jobs.ts';
import { findMeasurers, jobsOf, runJobs } from './jobs.ts';
import type { OfflineResult } from './measure.ts';
import { closingLine, mergedFor } from './merge.ts';
import { recordsRoot, writeRecords } from './records.ts';
import { unitsOf } from './units.ts';
import { takePaths } from '../outside/take-paths.ts';
import { openWorkspace } from './workspace.ts';
import { print } from '../print.ts';
import { programRecords } from '../limits/program-records.ts';
import type { Plan } from '../plan.ts';
import { planOf } from '../plan.ts';

/** Runs the command; returns 1 where something did not compile, or differs from the records and was not written. */
export async function offline(argv: readonly string[]): Promise<ExitCode> {
  const options = readOfflineFlags(argv);
  await takePaths(options);
  if (options.write && recordsRoot() === undefined) throw nowhereToWrite();
  const style = await styleFor(process.stdout, process.env);
  const listing = await readListing();
  const kernels = loadKernels(listing);
  const units = unitsOf(planFor(kernels, options).registrations, listing.sources);
  if (units.length === 0) throw nothingSelected(options);
  const { measurers, absent } = await findMeasurers(units, options.compilers);
  print(absent.flatMap((each) => absentLines(each, style)));
  const jobs = jobsOf(units, measurers);
  if (jobs.length === 0) throw nothingCompiles();
  const workspace = openWorkspace(options.folder, listing.sources);
  const results = await runJobs(jobs, workspace, listing.sources, options.jobs ?? navigator.hardwareConcurrency);
  addToIndex(
    workspace.root,
    listing.sources,
    results.flatMap(({ images }) => images),
  );
  print(results.flatMap((result) => resultLines(result, style)));
  return finish(kernels, results, measurers, options, style);
}

function planFor(kernels: readonly Kernel[], options: OfflineOptions): Plan {
  const { only, dialect: dialects, seed } = options;
  const gates = options.gate.filter((gate) => gate !== LIMITS);
  return planOf(kernels, {
    seed,
    limitMs: 0,
    only,
    gates,
    dialects,
    modes: ['plain'],
    devices: [HOST],
    controls: !options['no-controls'],
    jobs: 1,
  });
}

function absentLines({ dialect, what, install }: Absent, style: Style): string[] {
  const head = `${style.warn('NOT RUN')}  ${dialect}  ${what}; its records stay as they are`;
  return install === undefined ? [head] : [head, `      To measure them, ${install}.`];
}

function resultLines({ job, records, problems }: OfflineResult, style: Style): string[] {
  const { unit, compiler } = job;
  const failed = problems.flatMap(({ what, words }) => [
    `${style.bad('FAIL')}  ${unit.addresses.join(', ')}  ${what}`,
    ...(words?.split('\n').map((line) => `      ${line}`) ?? []),
  ]);
  const addresses = unit.planted ? unit.addresses : undefined;
  const lines = records.flatMap((record) => {
    const own = addresses?.filter((address) => address.startsWith(`${record.kernel}@`)) ?? [
      `${record.kernel}@${unit.dialect}`,
    ];
    return own.map((address) =>
      recordLine(address, { dialect: unit.dialect, compiler: compiler.name, release: compiler.release }, record),
    );
  });
  return [...failed, ...lines];
}

async function finish(
  kernels: readonly Kernel[],
  results: readonly OfflineResult[],
  measurers: readonly Measurer[],
  options: OfflineOptions,
  style: Style,
): Promise<ExitCode> {
  const { sets, problems } = await programRecords();
  const merged = measurers.map((measurer) => mergedFor(measurer, kernels, results, sets));
  const changed = merged.filter(({ changes }) => changes.length > 0);
  const tables = changed.map(({ set, changes }) => ({ path: setPath(set), rows: changeRows(changes) }));
  print(await changesTable(tables, process.stdout.columns ?? WIDE, style));
  print(problems.map((problem) => `${style.bad('FAIL')}  ${problem}`));
  const writes = options.write && problems.length === 0;
  const root = recordsRoot();
  if (writes && root !== undefined) for (const { set } of changed) writeRecords(root, set);
  print([closingLine(results, measurers, merged, writes)]);
  const failed = problems.length > 0 || results.some((result) => result.problems.length > 0);
  return failed || (changed.length > 0 && !writes) ? 1 : 0;
}

/** Columns of output that no terminal cuts. */
const WIDE = 160;

function nowhereToWrite(): UsageError {
  return new UsageError(
    "--write has nowhere to write: the program's own records are inside it.\n  Name the folder of records by TF_RECORDS.",
  );
}

function nothingSelected({ only }: OfflineOptions): NothingRunError {
  return new NothingRunError(
    `Nothing is selected, so nothing was compiled: ${only.map((filter) => `--only ${filter}`).join(' ') || 'the command'} matches no kernel.\n` +
      '  tf-kernel-contract --list prints every address.',
  );
}

function nothingCompiles(): NothingRunError {
  return new NothingRunError(
    'Nothing was compiled: no compiler of the selected dialects is here that knows a served chip.\n' +
      '  The lines above say what was looked for and how to get it; records in records/ serve without any.',
  );
}
