/** The gates that run kernels: what is selected of them goes to the lanes of its devices, and is told in the order of the plan. */
import type { ImageSource } from '../device/image-source.ts';
import type { DeviceId } from '../device/run-device.ts';
import { readyCompiler, runtimeImage } from '../device/store.ts';
import type { CaseDone } from '../gates/case-done.ts';
import type { JobDone, OnCase } from '../gates/lanes/lane.ts';
import { ProcessLane } from '../gates/lanes/process.ts';
import { ThreadLane } from '../gates/lanes/thread.ts';
import type { Lanes, RunOptions, RunTotals } from '../gates/run.ts';
import { runJobs, weight } from '../gates/run.ts';
import { readListing } from '../spec/listing.ts';
import { outside } from '../spec/outside.ts';
import { caseLine } from '../report/case-line.ts';
import { registrationLines } from '../report/lines.ts';
import { counted } from '../report/words.ts';
import { count } from '../numerics/digits.ts';
import type { Registration } from '../report/registration.ts';
import { isAsPromised } from '../report/registration.ts';
import { styleFor } from './colour.ts';
import { gpuText } from './devices.ts';
import type { Options } from './arguments/flags.ts';
import { imageSourceOf, imageSourceText } from './image-sources.ts';
import { interruptedText, interruptibly } from './interrupt.ts';
import { print } from './print.ts';
import { runProgress } from './run-progress.ts';
import { sourcesHash } from './reports/sources.ts';
import type { Journal } from './resume.ts';
import type { Selection } from './selection.ts';
import { sequenceOf } from './sequence.ts';
import { commandText } from './outside/take-paths.ts';

export interface Finished {
  readonly registrations: readonly Registration[];
  readonly totals: RunTotals;
  /** Jobs that a fault of ours ended. */
  readonly died: number;
}

type RunFlags = Pick<Options, 'device' | 'images' | 'resume' | 'quiet' | 'verbose'>;

/** Runs the jobs of a selection, and prints each registration as it completes. */
export async function runPlan(selection: Selection, flags: RunFlags): Promise<Finished> {
  const { kernels, plan } = selection;
  const settings = { ...selection.settings, tellsCases: flags.verbose };
  const style = await styleFor(process.stdout, process.env);
  const context = { seed: settings.seed, command: commandText(), flags: rerunFlags(settings, flags), style };
  const progress = runProgress(process.stderr, plan.jobs, (job) => weight(kernels, job));
  const sequence = sequenceOf(plan);
  const registrations: Registration[] = [];
  const jobs = { done: 0, died: 0 };
  const tell = (ready: readonly Registration[]): void => {
    for (const registration of ready)
      if (!flags.quiet || !isAsPromised(registration)) print(registrationLines(registration, context));
    registrations.push(...ready);
  };
  const take = (done: JobDone): void => {
    jobs.done++;
    if (done.error !== undefined) jobs.died++;
    progress.clear();
    tell(sequence.take(done));
  };
  const journal = await journalOf(selection, flags);
  const planned = new Set(plan.jobs.map((job) => JSON.stringify(job)));
  const finished = journal?.finished.filter(({ job }) => planned.has(JSON.stringify(job))) ?? []; // of this shard
  const before = new Set(finished.map(({ job }) => JSON.stringify(job)));
  const left = plan.jobs.filter((job) => !before.has(JSON.stringify(job)));
  const onDone = (done: JobDone): void => {
    journal?.add(done);
    take(done);
    progress.done(done.job);
  };
  const told = (signal: string): string => {
    progress.clear();
    return interruptedText(signal, jobs.done, plan.jobs.length, flags.resume);
  };
  if (!flags.quiet) print(deviceNotes(settings, flags));
  tell(sequence.ready());
  if (finished.length > 0 && !flags.quiet)
    print([`${counted(finished.length, 'job')} of ${count(plan.jobs.length)} from ${flags.resume}`]);
  finished.forEach((done) => {
    progress.begin(done.job);
    take(done);
    progress.done(done.job);
  });
  const onCase = (done: CaseDone): void => {
    progress.clear();
    print([caseLine(done, style)]);
  };
  const totals = await interruptibly(told, async () =>
    runJobs(kernels, left, await lanesFor(settings, flags, onCase), onDone, (job) => progress.begin(job)),
  );
  progress.close();
  journal?.close();
  return { registrations, totals, died: jobs.died };
}

/** Flags of a run that a verdict depends on, beside its address, its seed and its GPU. */
function rerunFlags({ check }: RunOptions, { device, images }: RunFlags): string {
  const flags = [
    check?.strictWarps && '--strict-warps',
    check?.lockstep && '--lockstep',
    device === 'host' && '--device host',
    images !== undefined && `--images ${images}`,
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
