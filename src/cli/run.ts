/** The default command: load the contracts, settle what is selected, run it, print each registration as it completes. */
import { accessSync, constants, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { runtimeImage } from '../device/store.ts';
import type { JobDone, RunOptions, RunTotals } from '../gates/run.ts';
import { runJobs } from '../gates/run.ts';
import { readListing } from '../spec/listing.ts';
import { loadKernels } from '../spec/load.ts';
import type { ReportHead } from '../report/json.ts';
import { reportOf, reportText } from '../report/json.ts';
import { closingLine, registrationLines } from '../report/lines.ts';
import type { Registration } from '../report/registration.ts';
import type { LimitsTally } from '../report/tally.ts';
import { exitCode, summaryLine, tallyOf } from '../report/tally.ts';
import { counted } from '../report/words.ts';
import { styleFor } from './colour.ts';
import { requireDevice } from './devices.ts';
import type { ExitCode } from './errors.ts';
import { NothingRunError, UsageError } from './errors.ts';
import type { Options } from './flags.ts';
import { LIMITS } from './flags.ts';
import type { LimitsRun } from './limits-gate.ts';
import { runLimits } from './limits-gate.ts';
import { listLines } from './list.ts';
import type { Plan } from './plan.ts';
import { planOf } from './plan.ts';
import { progressOn } from './progress.ts';
import { sequenceOf } from './sequence.ts';
import { BUILD_COMMIT, PLATFORM, VERSION } from './version.ts';

/** Runs what the options select, or lists it; returns the exit code of the verdicts. */
export async function run(options: Options): Promise<ExitCode> {
  requireDevice(options.device);
  if (options.json !== undefined) requireWritable(options.json);
  const settings = settingsOf(options);
  const limits = options.gate.includes(LIMITS) ? await auditOf(options) : undefined;
  // Gate 5 alone needs no contract: what it needs is plain data.
  const kernels = settings.gates.length > 0 ? loadKernels(await readListing()) : [];
  const plan = planOf(kernels, settings);
  const selected = plan.registrations.length + (limits?.addresses.length ?? 0);
  if (selected === 0) throw nothingSelected(options, plan.total);
  if (options.list) return print([...listLines(plan), ...(limits?.addresses ?? [])]);
  if (plan.jobs.length > 0) await runtimeImage(); // once here, so that workers find it made, and its absence is told once
  const finished = await runPlan(plan, settings, (jobs, onDone) => runJobs(kernels, jobs, settings, onDone));
  print(limits?.lines ?? []);
  return finish(options, settings, plan, finished, limits?.tally);
}

const auditOf = ({ only, dialect, 'no-controls': without }: Options): Promise<LimitsRun> =>
  runLimits({ only, dialects: dialect, controls: !without }, styleFor(process.stdout, process.env));

function settingsOf(options: Options): RunOptions {
  return {
    seed: options.seed,
    limitMs: options.timeout * 1000,
    only: options.only,
    gates: options.gate.filter((gate) => gate !== LIMITS),
    dialects: options.dialect,
    controls: !options['no-controls'],
    jobs: options.jobs ?? navigator.hardwareConcurrency,
  };
}

interface Finished {
  readonly registrations: readonly Registration[];
  readonly totals: RunTotals;
  /** Jobs that a fault of ours ended. */
  readonly died: number;
}

type Runner = (jobs: Plan['jobs'], onDone: Parameters<typeof runJobs>[3]) => Promise<RunTotals>;

async function runPlan(plan: Plan, { seed }: RunOptions, runner: Runner): Promise<Finished> {
  const context = { device: 'host', seed, style: styleFor(process.stdout, process.env) };
  const progress = progressOn(process.stderr);
  const sequence = sequenceOf(plan);
  const registrations: Registration[] = [];
  let died = 0;
  const totals = await runner(plan.jobs, (done: JobDone, at) => {
    if (done.error !== undefined) died++;
    const ready = sequence.take(done);
    progress.clear();
    for (const registration of ready) print(registrationLines(registration, context));
    registrations.push(...ready);
    if (at.done < at.total) progress.show(at.done, at.total, `${at.job.kernel} ${at.job.gate}`);
  });
  return { registrations, totals, died };
}

/** The last lines, the JSON file, the exit code. */
function finish(
  options: Options,
  settings: RunOptions,
  plan: Plan,
  { registrations, totals, died }: Finished,
  limits: LimitsTally | undefined,
): ExitCode {
  const planned = {
    kernels: plan.registrations.filter(({ gates }) => gates.length > 0).length,
    controls: plan.registrations.reduce((sum, { controls }) => sum + controls.length, 0),
  };
  const tally = tallyOf(registrations, planned);
  const gates = settings.gates.filter((gate) => plan.registrations.some((planned) => planned.gates.includes(gate)));
  const summary = summaryLine(tally, gates, settings.controls, limits);
  const code = died > 0 ? 70 : exitCode(tally, limits);
  const workers = Math.max(1, Math.min(settings.jobs, plan.jobs.length));
  const facts = { ...totals, workers, seed: options.seed, device: options.device };
  if (options.json !== undefined) {
    const program = { version: VERSION, commit: BUILD_COMMIT, platform: PLATFORM };
    const head = {
      ...facts,
      program,
      gates,
      only: options.only,
      withControls: settings.controls,
      summary,
      exitCode: code,
    };
    writeReport(options.json, head, registrations);
  }
  if (plan.jobs.length > 0) print([closingLine({ ...facts, selected: selectedText(planned.kernels, plan.total) })]);
  print([summary]);
  return code;
}

function selectedText(selected: number, total: number): string {
  return selected === total ? `all ${counted(total, 'kernel')}` : `${selected} of ${counted(total, 'kernel')} selected`;
}

function nothingSelected(options: Options, total: number): Error {
  if (total === 0)
    return new NothingRunError(
      'No kernel is registered for these dialects, so nothing was run.\n  Kernels are folders of kernels/ with a contract.',
    );
  const filters = options.only.map((filter) => `--only ${filter}`).join(' ');
  return new NothingRunError(
    [
      `Nothing is selected, so nothing was run: ${filters || 'the command'} matches no case and no control.`,
      `  There are ${counted(total, 'kernel')} in the dialects asked for; an address reads kernel@dialect:gate:shape.`,
      '  tf-kernel-contract --list prints every address.',
    ].join('\n'),
  );
}

function requireWritable(file: string): void {
  try {
    accessSync(dirname(file), constants.W_OK);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(
      `--json ${file} cannot be written: ${reason}.\n  Name a file in a folder that exists and is yours to write.`,
    );
  }
}

/** Writes the report beside its name and renames it, so that a reader finds a whole file or none. */
function writeReport(file: string, head: ReportHead, registrations: readonly Registration[]): void {
  const temporary = join(dirname(file), `.${basename(file)}.${process.pid}`);
  try {
    writeFileSync(temporary, reportText(reportOf(head, registrations)));
    renameSync(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
}

function print(lines: readonly string[]): ExitCode {
  for (const line of lines) console.log(line);
  return 0;
}
