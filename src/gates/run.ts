/**
 * The main loop: every kernel at every gate on every device, one job each, spread over the lanes of its device. Results come back
 * as they are ready; what they say does not depend on how many lanes there are.
 */
import type { CheckOptions } from '../device/device.ts';
import type { DeviceId, RunDevice } from '../device/run-device.ts';
import type { Dialect } from '../families/formula/functions.ts';
import type { GateName } from '../spec/contract.ts';
import { GATES } from '../spec/contract.ts';
import type { ModeName } from '../spec/modes.ts';
import type { Kernel } from '../spec/registration.ts';
import { volume, routeTops } from '../spec/shapes.ts';
import type { JobDone, Lane } from './lanes/lane.ts';

export interface RunOptions {
  readonly seed: string;
  /** How long one launch may run. */
  readonly limitMs: number;
  /** Filters of `--only`; empty for everything. */
  readonly only: readonly string[];
  readonly gates: readonly GateName[];
  readonly dialects: readonly Dialect[];
  readonly modes: readonly ModeName[];
  /** What kernels run on: one or several for each dialect that runs. */
  readonly devices: readonly RunDevice[];
  readonly controls: boolean;
  /** How check images run; plainly, where this is not said. */
  readonly check?: CheckOptions;
  /** The orders in which gate 2 repeats a case; its own, where this is not said. */
  readonly schedules?: readonly number[];
  /** Whether lanes tell what each case comes to. */
  readonly tellsCases?: boolean;
  /** Worker threads of the host device. */
  readonly jobs: number;
}

/** One kernel at one gate on one device, in every dialect that the device serves. */
export interface Job {
  readonly kernel: string;
  readonly gate: GateName;
  readonly device: DeviceId;
}

export interface RunTotals {
  readonly referenceMs: number;
  readonly elapsedMs: number;
  /** Lanes that ran. */
  readonly lanes: number;
}

/** Jobs in the order of the kernels, devices and gates. */
export function jobsOf(kernels: readonly Kernel[], options: RunOptions): Job[] {
  const gates = GATES.filter((gate) => options.gates.includes(gate));
  return kernels.flatMap(({ name: kernel }) =>
    options.devices.flatMap(({ id: device }) => gates.map((gate) => ({ kernel, gate, device }))),
  );
}

/** What opens the lanes of a device, and how many. */
export interface Lanes {
  readonly count: number;
  readonly open: () => Lane;
}

/**
 * Runs the jobs on the lanes of their devices, long ones first. `onStart` sees each job as it begins, `onDone` as it ends, once for every job.
 */
export async function runJobs(
  kernels: readonly Kernel[],
  jobs: readonly Job[],
  lanesOf: (device: DeviceId) => Lanes,
  onDone: (done: JobDone) => void,
  onStart: (job: Job) => void = () => {},
): Promise<RunTotals> {
  const from = performance.now();
  const totals = { referenceMs: 0, lanes: 0 };
  const finish = (done: JobDone): void => {
    totals.referenceMs += done.referenceMs;
    onDone(done);
  };
  const running = [...Map.groupBy(jobs, ({ device }) => device)].flatMap(([device, own]) => {
    const queue = own.toSorted((a, b) => weight(kernels, b) - weight(kernels, a));
    const { count, open } = lanesOf(device);
    return Array.from({ length: Math.max(1, Math.min(count, own.length)) }, () =>
      runLane(queue, open(), onStart, finish),
    );
  });
  totals.lanes = running.length;
  await Promise.all(running);
  return { referenceMs: totals.referenceMs, elapsedMs: performance.now() - from, lanes: totals.lanes };
}

/** A job's length is about its kernel's largest served shape; repeat runs it five times. */
export function weight(kernels: readonly Kernel[], job: Job): number {
  const kernel = kernels.find(({ name }) => name === job.kernel);
  if (!kernel) return 0;
  const top = Math.max(...routeTops(kernel.contract).map(volume));
  return job.gate === 'shapes' || job.gate === 'repeat' ? top * 5 : top / 100;
}

async function runLane(
  queue: Job[],
  lane: Lane,
  start: (job: Job) => void,
  finish: (done: JobDone) => void,
): Promise<void> {
  try {
    for (let job = queue.shift(); job; job = queue.shift()) {
      start(job);
      finish(await lane.run(job));
    }
  } finally {
    await lane.close();
  }
}
