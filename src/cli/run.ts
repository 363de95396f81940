/** The default command: run what is selected, print each registration as it completes, close with SUMMARY. */
import type { JobDone, Progress, RunTotals } from '../gates/run.ts';
import { writeWhole } from '../device/toolchain/cache.ts';
import { closingLine, registrationLines } from '../report/lines.ts';
import type { Registration } from '../report/registration.ts';
import { exitCode, summaryLine, tallyOf } from '../report/tally.ts';
import { counted } from '../report/words.ts';
import { styleFor } from './colour.ts';
import { requireDevice } from './devices.ts';
import type { ExitCode } from './errors.ts';
import type { Options } from './flags.ts';
import { interruptedText, interruptibly } from './interrupt.ts';
import { requireWritable } from './json-file.ts';
import { progressOn } from './progress.ts';
import type { Selection } from './selection.ts';
import { selectionOf } from './selection.ts';
import { sequenceOf } from './sequence.ts';
import { BUILD_COMMIT, COMMAND, PLATFORM, VERSION } from './version.ts';

/** Runs what the options select, or lists it; returns the exit code of the verdicts. */
export async function run(options: Options): Promise<ExitCode> {
  requireDevice(options.device);
  if (options.json !== undefined) requireWritable(options.json);
  const selection = await selectionOf(options);
  if (options.list) return print(selection.addresses);
  const finished = selection.plan.jobs.length > 0 ? await runPlan(selection) : NOTHING;
  print(selection.limits?.lines ?? []);
  return finish(options, selection, finished);
}

interface Finished {
  readonly registrations: readonly Registration[];
  readonly totals: RunTotals;
  /** Jobs that a fault of ours ended. */
  readonly died: number;
}

const NOTHING: Finished = { registrations: [], totals: { elapsedMs: 0, referenceMs: 0 }, died: 0 };

async function runPlan({ kernels, settings, plan }: Selection): Promise<Finished> {
  const { seed } = settings;
  const context = { device: 'host', seed, command: COMMAND, style: styleFor(process.stdout, process.env) };
  const progress = progressOn(process.stderr);
  const sequence = sequenceOf(plan);
  const registrations: Registration[] = [];
  const count = { done: 0, died: 0 };
  const onDone = (done: JobDone, at: Progress): void => {
    count.done = at.done;
    if (done.error !== undefined) count.died++;
    const ready = sequence.take(done);
    progress.clear();
    for (const registration of ready) print(registrationLines(registration, context));
    registrations.push(...ready);
    if (at.done < at.total) progress.show(at.done, at.total, `${at.job.kernel} ${at.job.gate}`);
  };
  const told = (signal: string): string => {
    progress.clear();
    return interruptedText(signal, count.done, plan.jobs.length);
  };
  const totals = await interruptibly(told, async () => {
    const { runJobs } = await import('../gates/run.ts');
    await (await import('../device/store.ts')).runtimeImage(); // once here, so that workers find it made, and its absence is told once
    return runJobs(kernels, plan.jobs, settings, onDone);
  });
  return { registrations, totals, died: count.died };
}

/** The last lines, the JSON file, the exit code. */
async function finish(options: Options, { settings, plan, limits }: Selection, finished: Finished): Promise<ExitCode> {
  const { registrations, totals, died } = finished;
  const planned = {
    kernels: plan.registrations.filter(({ gates }) => gates.length > 0).length,
    controls: plan.registrations.reduce((sum, { controls }) => sum + controls.length, 0),
  };
  const tally = tallyOf(registrations, planned);
  const gates = settings.gates.filter((gate) => plan.registrations.some((planned) => planned.gates.includes(gate)));
  const summary = summaryLine(tally, gates, settings.controls, limits?.tally);
  const code = died > 0 ? 70 : exitCode(tally, limits?.tally);
  const workers = Math.max(1, Math.min(settings.jobs, plan.jobs.length));
  const facts = { ...totals, workers, seed: options.seed, device: options.device };
  if (options.json !== undefined) {
    const program = { version: VERSION, commit: BUILD_COMMIT, platform: PLATFORM };
    const asked = { gates, only: options.only, withControls: settings.controls };
    const head = { ...facts, program, ...asked, summary, exitCode: code };
    const { reportOf, reportText } = await import('../report/json.ts');
    writeWhole(options.json, reportText(reportOf(head, registrations, limits?.results())));
  }
  if (plan.jobs.length > 0) print([closingLine({ ...facts, selected: selectedText(planned.kernels, plan.total) })]);
  print([summary]);
  return code;
}

function selectedText(selected: number, total: number): string {
  return selected === total ? `all ${counted(total, 'kernel')}` : `${selected} of ${counted(total, 'kernel')} selected`;
}

function print(lines: readonly string[]): ExitCode {
  for (const line of lines) console.log(line);
  return 0;
}
