/**
 * The main loop: every kernel at every gate, one job each, spread over worker threads, each with a device of its own. Results come back
 * as they are ready; what they say does not depend on how many workers there are.
 */
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { CheckOptions } from '../device/device.ts';
import type { DeviceId, RunDevice } from '../device/run-device.ts';
import type { Dialect } from '../families/formula/functions.ts';
import type { GateName } from '../spec/contract.ts';
import { GATES } from '../spec/contract.ts';
import type { ModeName } from '../spec/modes.ts';
import type { Kernel } from '../spec/registration.ts';
import { volume, routeTops } from '../spec/shapes.ts';
import type { Result } from './result.ts';

/** The program's entry, which a worker thread enters by its role. Inside the executable it is the one embedded module. */
const WORKER = Bun.isStandaloneExecutable ? Bun.main : join(import.meta.dir, '../main.ts');

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
  /** Worker threads. */
  readonly jobs: number;
}

/** One kernel at one gate on one device, in every dialect that the device serves. */
export interface Job {
  readonly kernel: string;
  readonly gate: GateName;
  readonly device: DeviceId;
}

/** What a worker answers: a job's results, or the fault of ours that ended it. */
export interface JobDone {
  readonly job: Job;
  readonly results: readonly Result[];
  readonly referenceMs: number;
  readonly error?: string;
}

/** What a worker is given when it starts. */
export interface WorkerSetup {
  readonly role: 'gates';
  readonly options: RunOptions;
}

export interface Progress {
  readonly done: number;
  readonly total: number;
  readonly job: Job;
}

export interface RunTotals {
  readonly referenceMs: number;
  readonly elapsedMs: number;
}

/** Jobs in the order of the kernels, devices and gates. */
export function jobsOf(kernels: readonly Kernel[], options: RunOptions): Job[] {
  const gates = GATES.filter((gate) => options.gates.includes(gate));
  return kernels.flatMap(({ name: kernel }) =>
    options.devices.flatMap(({ id: device }) => gates.map((gate) => ({ kernel, gate, device }))),
  );
}

/**
 * Runs the jobs on `options.jobs` threads, long ones first. `onDone` sees each job as it ends; a worker that dies takes its
 * job with it, as an error of that job, and another takes its place.
 */
export async function runJobs(
  kernels: readonly Kernel[],
  jobs: readonly Job[],
  options: RunOptions,
  onDone: (done: JobDone, progress: Progress) => void,
): Promise<RunTotals> {
  const from = performance.now();
  const queue = jobs.toSorted((a, b) => weight(kernels, b) - weight(kernels, a));
  const totals = { done: 0, referenceMs: 0 };
  const finish = (done: JobDone): void => {
    totals.done++;
    totals.referenceMs += done.referenceMs;
    onDone(done, { done: totals.done, total: jobs.length, job: done.job });
  };
  const lanes = Math.max(1, Math.min(options.jobs, jobs.length));
  await Promise.all(Array.from({ length: lanes }, () => runLane(queue, options, finish)));
  return { referenceMs: totals.referenceMs, elapsedMs: performance.now() - from };
}

/** A job's length is about its kernel's largest served shape; repeat runs it five times. */
function weight(kernels: readonly Kernel[], job: Job): number {
  const kernel = kernels.find(({ name }) => name === job.kernel);
  if (!kernel) return 0;
  const top = Math.max(...routeTops(kernel.contract).map(volume));
  return job.gate === 'shapes' || job.gate === 'repeat' ? top * 5 : top / 100;
}

/** One worker after another until the queue is empty. */
async function runLane(queue: Job[], options: RunOptions, finish: (done: JobDone) => void): Promise<void> {
  while (queue.length > 0) {
    const setup: WorkerSetup = { role: 'gates', options };
    const worker = new Worker(WORKER, { workerData: setup });
    try {
      while (queue.length > 0) {
        const job = queue.shift();
        if (!job) break;
        const done = await ask(worker, job);
        finish(done);
        if (done.error !== undefined) break;
      }
    } finally {
      await worker.terminate();
    }
  }
}

function ask(worker: Worker, job: Job): Promise<JobDone> {
  return new Promise((resolve) => {
    const settle = (done: JobDone): void => {
      worker.removeAllListeners();
      resolve(done);
    };
    const died = (error: string): void => settle({ job, results: [], referenceMs: 0, error });
    worker.on('message', settle);
    worker.on('error', (error) => died(error instanceof Error ? (error.stack ?? error.message) : String(error)));
    worker.on('exit', (code) => died(`the worker ended with code ${code}`));
    worker.postMessage(job);
  });
}
