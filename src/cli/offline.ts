/** `--offline DIR`: compile what is selected for every served chip, read the images back, hold them against the records. */
import type { Dialect } from '../families/formula/functions.ts';
import { SERVED_CHIPS } from '../audit/chips/all.ts';
import type { Chip } from '../audit/chips/chip.ts';
import { auditLaunches, definesText } from '../audit/launch.ts';
import type { RecordSet } from '../audit/records.ts';
import { keyText, setPath } from '../audit/records.ts';
import type { MergedRecords } from '../audit/records-sets.ts';
import { mergeRecords } from '../audit/records-sets.ts';
import { findCompiler, VENDORS } from '../device/vendor/all.ts';
import type { Compiler, Missing } from '../device/vendor/vendor.ts';
import { isMissing } from '../device/vendor/vendor.ts';
import { readListing } from '../spec/listing.ts';
import { loadKernels } from '../spec/load.ts';
import type { Kernel } from '../spec/registration.ts';
import { changeRows, recordLine } from '../report/records.ts';
import { changesTable } from '../report/records-table.ts';
import type { Style } from '../report/style.ts';
import { counted } from '../report/words.ts';
import { styleFor } from './colour.ts';
import type { ExitCode } from './errors.ts';
import { NothingRunError } from './errors.ts';
import type { OfflineOptions } from './offline-flags.ts';
import { readOfflineFlags } from './offline-flags.ts';
import type { OfflineJob, OfflineResult } from './offline-measure.ts';
import { measure } from './offline-measure.ts';
import { readRecords, RECORDS, setFor, writeRecords } from './offline-records.ts';
import { SOURCE_CHIP, SOURCE_READER } from './offline-source.ts';
import type { Unit } from './offline-units.ts';
import { unitsOf } from './offline-units.ts';
import type { Workspace } from './offline-workspace.ts';
import { openWorkspace, setOf } from './offline-workspace.ts';
import type { Plan } from './plan.ts';
import { planOf } from './plan.ts';
import { progressOn } from './progress.ts';

/** Runs the command; returns 1 where something did not compile, or differs from the records and was not written. */
export async function offline(argv: readonly string[]): Promise<ExitCode> {
  const options = readOfflineFlags(argv);
  const style = styleFor(process.stdout, process.env);
  const listing = await readListing();
  const kernels = loadKernels(listing);
  const units = unitsOf(planFor(kernels, options).registrations, listing.sources);
  if (units.length === 0) throw nothingSelected(options);
  const measurers = await findMeasurers(units, options, style);
  const jobs = jobsOf(units, measurers);
  if (jobs.length === 0) throw nothingCompiles();
  const workspace = openWorkspace(options.folder, listing.sources);
  const results = await runJobs(jobs, workspace, listing.sources, options.jobs ?? navigator.hardwareConcurrency);
  print(results.flatMap((result) => resultLines(result, style)));
  return finish(kernels, results, measurers, options, style);
}

function planFor(kernels: readonly Kernel[], options: OfflineOptions): Plan {
  const { only, gate: gates, dialect: dialects, seed } = options;
  return planOf(kernels, { seed, limitMs: 0, only, gates, dialects, controls: !options['no-controls'], jobs: 1 });
}

/** What measures a dialect, and for which of its chips. */
interface Measurer {
  readonly dialect: Dialect;
  readonly compiler: Compiler;
  readonly chips: readonly string[];
}

/** The compilers that are here; what is not is told. Metal's sources say a part by themselves, wherever they are. */
async function findMeasurers(
  units: readonly Unit[],
  { compilers: named }: OfflineOptions,
  style: Style,
): Promise<Measurer[]> {
  const measurers: Measurer[] = [];
  for (const dialect of new Set(units.map((unit) => unit.dialect))) {
    if (dialect === 'metal') measurers.push({ dialect, compiler: SOURCE_READER, chips: [SOURCE_CHIP] });
    const found = await findCompiler(dialect, named[dialect]);
    if (isMissing(found)) print(missingLines(found, dialect, style));
    else measurers.push({ dialect, compiler: found, chips: await knownChips(dialect, found, style) });
  }
  return measurers.filter(({ chips }) => chips.length > 0);
}

function missingLines({ why, install }: Missing, dialect: Dialect, style: Style): string[] {
  return [
    `${style.warn('NOT RUN')}  ${dialect}  no compiler: ${why}`,
    `      Its records stay as they are. To measure them, ${install}.`,
  ];
}

/** A run for each unit and, of a compiler that makes one chip's image at a time, for each chip. */
function jobsOf(units: readonly Unit[], measurers: readonly Measurer[]): OfflineJob[] {
  return units.flatMap((unit) =>
    measurers
      .filter(({ dialect, compiler }) => dialect === unit.dialect && !(unit.planted && compiler === SOURCE_READER))
      .flatMap(({ compiler, chips }): OfflineJob[] =>
        VENDORS[unit.dialect].together
          ? [{ unit, compiler, chips }]
          : chips.map((chip) => ({ unit, compiler, chips: [chip] })),
      ),
  );
}

async function knownChips(dialect: Dialect, compiler: Compiler, style: Style): Promise<string[]> {
  const names = SERVED_CHIPS.filter((chip) => chip.dialect === dialect && isCompiledFor(chip)).map(({ name }) => name);
  const known = await Promise.all(names.map((name) => VENDORS[dialect].knows(compiler, name)));
  const unknown = names.filter((_, i) => !known[i]);
  if (unknown.length > 0) {
    const what = `${compiler.name} ${compiler.version} does not know ${unknown.join(', ')}; their records stay as they are`;
    print([`${style.warn('NOT RUN')}  ${dialect}  ${what}`]);
  }
  return names.filter((_, i) => known[i]);
}

/** Where registers do not lower a pipeline's thread limit, its source says all there is. */
const isCompiledFor = (chip: Chip): boolean => chip.dialect !== 'metal' || chip.fallsWithRegisters;

/** Runs jobs, so many at a time; results in the order of the jobs. */
async function runJobs(
  jobs: readonly OfflineJob[],
  workspace: Workspace,
  sources: ReadonlyMap<string, string>,
  atOnce: number,
): Promise<OfflineResult[]> {
  const progress = progressOn(process.stderr);
  const results = new Map<OfflineJob, OfflineResult>();
  const waiting = [...jobs];
  const work = async (): Promise<void> => {
    for (let job = waiting.shift(); job; job = waiting.shift()) {
      progress.show(results.size, jobs.length, `${job.unit.addresses[0] ?? ''} ${job.chips.join(' ')}`);
      results.set(job, await measure(job, workspace, sources));
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, jobs.length) }, work));
  progress.clear();
  return jobs.flatMap((job) => results.get(job) ?? []);
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
  const { sets, problems } = readRecords(RECORDS);
  const merged = measurers.map((measurer) => mergedFor(measurer, kernels, results, sets));
  const changed = merged.filter(({ changes }) => changes.length > 0);
  const tables = changed.map(({ set, changes }) => ({ path: setPath(set), rows: changeRows(changes) }));
  print(await changesTable(tables, process.stdout.columns ?? WIDE, style));
  print(problems.map((problem) => `${style.bad('FAIL')}  ${problem}`));
  const writes = options.write && problems.length === 0;
  if (writes) for (const { set } of changed) writeRecords(RECORDS, set);
  print([closingLine(results, measurers, merged, writes)]);
  const failed = problems.length > 0 || results.some((result) => result.problems.length > 0);
  return failed || (changed.length > 0 && !writes) ? 1 : 0;
}

/** Columns of output that no terminal cuts. */
const WIDE = 160;

function mergedFor(
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
function closingLine(
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

function print(lines: readonly string[]): void {
  for (const line of lines) console.log(line);
}
