/** The gates that run kernels: what is selected of them goes to the lanes of its devices, and is told in the order of the plan. */
import type { ImageSource } from '../device/image-source.ts';
import type { DeviceId } from '../device/run-device.ts';
import { readyCompiler, runtimeImage } from '../device/store.ts';
import type { CaseDone } from '../gates/case-done.ts';
import type { JobDone, OnCase } from '../gates/lanes/lane.ts';
import { ProcessLane } from '../gates/lanes/process.ts';
import { ThreadLane } from '../gates/lanes/thread.ts';
import type { Job, Lanes, RunOptions } from '../gates/run.ts';
import { runJobs, weight } from '../gates/run.ts';
import { readListing } from '../spec/listing.ts';
import { outside } from '../spec/outside.ts';
import { caseLine } from '../report/case-line.ts';
import { registrationLines } from '../report/lines.ts';
import { counted, shellWord } from '../report/words.ts';
import { count } from '../numerics/digits.ts';
import { isAsPromised } from '../report/registration.ts';
import { styleFor } from './colour.ts';
import { gpuText } from './devices.ts';
import type { Options } from './arguments/flags.ts';
import { imageSourceOf, imageSourceText } from './image-sources.ts';
import type { Interruption } from './interrupt.ts';
import { interruptedText, interruptibly } from './interrupt.ts';
import { print } from './print.ts';
import { runProgress } from './run-progress.ts';
import { sourcesHash } from './reports/sources.ts';
import type { Cut, Finished } from './run-ledger.ts';
import { RunLedger } from './run-ledger.ts';
import type { Journal } from './resume.ts';
import type { Selection } from './selection.ts';
import { commandText } from './outside/take-paths.ts';

/** Writes what is to be left of a run that is cut; returns the files. */
export type OnCut = (cut: Cut) => Promise<string[]>;

type RunFlags = Pick<Options, 'device' | 'images' | 'resume' | 'quiet' | 'verbose' | 'strict-warps' | 'lockstep'>;

/** Runs the jobs of a selection, and prints each registration as it completes. */
export async function runPlan(selection: Selection, flags: RunFlags, onCut: OnCut): Promise<Finished> {
  const { kernels, plan } = selection;
  const settings = { ...selection.settings, tellsCases: flags.verbose };
  const style = await styleFor(process.stdout, process.env);
  const context = { seed: settings.seed, command: commandText(), flags: rerunFlags(flags), style };
  const progress = runProgress(process.stderr, plan.jobs, (job) => weight(kernels, job));
  const ledger = new RunLedger(plan, (ready) => {
    for (const registration of ready)
      if (!flags.quiet || !isAsPromised(registration)) print(registrationLines(registration, context));
  });
  const take = (done: JobDone): void => {
    progress.clear();
    ledger.take(done);
    progress.done(done.job);
  };
  const journal = await journalOf(selection, flags);
  const { finished, left } = leftOf(plan.jobs, journal?.finished ?? []);
  const told = async (interruption: Interruption): Promise<string> => {
    progress.close();
    const cut = ledger.cut(interruption);
    return interruptedText(interruption, cut.done, cut.jobs, { journal: flags.resume, reports: await onCut(cut) });
  };
  if (!flags.quiet) print(deviceNotes(settings, flags));
  ledger.begin();
  if (finished.length > 0 && !flags.quiet)
    print([`${counted(finished.length, 'job')} of ${count(plan.jobs.length)} from ${flags.resume}`]);
  for (const done of finished) {
    progress.begin(done.job);
    take(done);
  }
  const onDone = (done: JobDone): void => {
    if (ledger.isCut) return; // a signal may have ended its process too
    journal?.add(done);
    take(done);
  };
  const onCase = (done: CaseDone): void => {
    if (ledger.isCut) return;
    progress.clear();
    print([caseLine(done, style)]);
  };
  const totals = await interruptibly(told, async () => {
    const lanes = ledger.counting(await lanesFor(settings, flags, onCase));
    return runJobs(kernels, left, lanes, onDone, (job) => progress.begin(job));
  });
  progress.close();
  journal?.close();
  return ledger.whole(totals);
}

/** Of the jobs of this shard, those that an earlier run finished and those that are left. */
function leftOf(
  jobs: readonly Job[],
  known: readonly JobDone[],
): { readonly finished: readonly JobDone[]; readonly left: readonly Job[] } {
  const planned = new Set(jobs.map((job) => JSON.stringify(job)));
  const own = known.filter(({ job }) => planned.has(JSON.stringify(job)));
  const finished = [...new Map(own.map((done) => [JSON.stringify(done.job), done])).values()];
  const before = new Set(finished.map(({ job }) => JSON.stringify(job)));
  return { finished, left: jobs.filter((job) => !before.has(JSON.stringify(job))) };
}

/** Flags of a run that a verdict depends on, beside its address, its seed and its GPU. */
export function rerunFlags(flagsOf: Pick<Options, 'strict-warps' | 'lockstep' | 'device' | 'images'>): string {
  const { lockstep, device, images } = flagsOf;
  const flags = [
    flagsOf['strict-warps'] && '--strict-warps',
    lockstep && '--lockstep',
    device === 'host' && '--device host',
    images !== undefined && `--images ${shellWord(images)}`,
  ];
  return flags.filter(Boolean).join(' ');
}

async function journalOf({ settings }: Selection, flags: RunFlags): Promise<Journal | undefined> {
  if (flags.resume === undefined) return undefined;
  const [{ openJournal }, { askedOf }] = [await import('./resume.ts'), await import('../report/journal.ts')];
  const images = settings.devices.map((device) => imageSourceText(imageSourceOf(device, flags.images))).join('; ');
  return openJournal(flags.resume, askedOf(settings, sourcesHash(await readListing()), images));
}

/** Each GPU with where its images come from. */
const deviceNotes = ({ devices }: RunOptions, { images }: RunFlags): string[] =>
  devices
    .filter(({ id }) => id !== 'host')
    .map((device) => `${gpuText(device)}  images ${imageSourceText(imageSourceOf(device, images))}`);

/**
 * Threads for the host device, and a process for each GPU: launches of several processes would wait for each other. What kernels from
 * outside do to the memory of the process that runs them is not known, so they have processes on the host device too.
 */
export async function lanesFor(
  options: RunOptions,
  { images }: Pick<RunFlags, 'images'>,
  onCase?: OnCase,
): Promise<(device: DeviceId) => Lanes> {
  if (options.devices.some(({ id }) => id === 'host')) {
    await runtimeImage(); // made once here, and its absence told once
    await readyCompiler();
  }
  return (id) => {
    const device = options.devices.find((one) => one.id === id);
    if (!device) throw new Error(`no device ${id}`);
    const source: ImageSource = imageSourceOf(device, images);
    const setup = { device, options, images: source };
    const open =
      id === 'host' && !outside() ? () => new ThreadLane(setup, onCase) : () => new ProcessLane(setup, onCase);
    return { count: id === 'host' ? options.jobs : 1, open };
  };
}
