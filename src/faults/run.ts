/**
 * Faults spread over processes, one a core: a fault may write anywhere, and what it wrecks must not be this process. One that
 * ends its process is killed at the gate that judged it; the rest of its job is taken up by another.
 */
import { join } from 'node:path';
import type { FaultAnswer, FaultJob, FaultResult, FaultSettings } from './result.ts';
import type { Fault } from './rule.ts';
import { SERVE_FAULTS } from './worker.ts';

const ENTRY = join(import.meta.dir, '../main.ts');

/** Faults of a job: they share a case's inputs and references, and are compiled one after another. */
const JOB_FAULTS = 12;

/** Jobs in the order of the faults; all faults of a job are of one kernel. */
export function faultJobs(faults: readonly Fault[]): FaultJob[] {
  return [...Map.groupBy(faults, ({ kernel }) => kernel)].flatMap(([kernel, own]) =>
    Array.from({ length: Math.ceil(own.length / JOB_FAULTS) }, (_, i) => ({
      kernel,
      addresses: own.slice(i * JOB_FAULTS, (i + 1) * JOB_FAULTS).map(({ address }) => address),
    })),
  );
}

/** Runs the faults on `lanes` processes; `onResult` sees each as it is settled. Throws where a fault of ours ends a job. */
export async function runFaults(
  faults: readonly Fault[],
  settings: FaultSettings,
  lanes: number,
  onResult: (result: FaultResult) => void,
): Promise<void> {
  const queue = faultJobs(faults);
  const count = Math.max(1, Math.min(lanes, queue.length));
  await Promise.all(Array.from({ length: count }, () => runLane(queue, settings, onResult)));
}

/** One process after another until the queue is empty. */
async function runLane(
  queue: FaultJob[],
  settings: FaultSettings,
  onResult: (result: FaultResult) => void,
): Promise<void> {
  while (queue.length > 0) queue.unshift(...(await new Serving(queue, settings, onResult).ended));
}

type Judging = Extract<FaultAnswer, { kind: 'judging' }>;

/** A process and what it is at. */
class Serving {
  /** Comes when the process has ended, with the jobs that are left of what it was at. */
  readonly ended: Promise<FaultJob[]>;
  private readonly child: Bun.Subprocess<'ignore', 'ignore', 'ignore'>;
  private readonly settled = new Set<string>();
  private job: FaultJob | undefined;
  private at: Judging | undefined;
  private served = 0;
  private isTainted = false;
  private fail: (error: Error) => void = () => {};

  constructor(
    private readonly queue: FaultJob[],
    settings: FaultSettings,
    private readonly onResult: (result: FaultResult) => void,
  ) {
    const { promise, resolve, reject } = Promise.withResolvers<FaultJob[]>();
    this.ended = promise;
    this.fail = reject;
    this.child = Bun.spawn([process.execPath, ENTRY, SERVE_FAULTS, JSON.stringify(settings)], {
      ipc: (answer: FaultAnswer) => this.hear(answer),
      stdio: ['ignore', 'ignore', 'ignore'],
      onExit: (_child, code, signal) => resolve(this.leftAfter(String(signal ?? code))),
    });
  }

  private hear(answer: FaultAnswer): void {
    if (answer.kind === 'judging') this.at = answer;
    else if (answer.kind === 'result') this.settle(answer.result);
    else if (answer.kind === 'error') this.stop(new Error(answer.error));
    else this.next();
  }

  private settle(result: FaultResult): void {
    this.settled.add(result.address);
    this.isTainted ||= isWild(result);
    this.onResult(result);
  }

  private stop(error?: Error): void {
    if (error) this.fail(error);
    this.child.kill();
  }

  /** The next job; a fault that is suspected of ending its process gets one that has judged nothing else. */
  private next(): void {
    this.job = undefined;
    this.at = undefined;
    const [job] = this.queue;
    if (!job || this.isTainted || (job.isSuspected && this.served > 0)) return this.stop();
    this.queue.shift();
    this.served++;
    this.job = job;
    this.child.send(job);
  }

  /** What is left of the job that the process ended in. Who ended it is tried once more, alone. */
  private leftAfter(end: string): FaultJob[] {
    const { job, at } = this;
    if (!job) return [];
    if (!at) {
      this.fail(
        new Error(`a process that judges faults ended with ${end} before it judged one of ${job.addresses[0]}`),
      );
      return [];
    }
    const rest = job.addresses.filter((address) => !this.settled.has(address) && address !== at.address);
    const others = rest.length > 0 ? [{ kernel: job.kernel, addresses: rest }] : [];
    if (this.settled.has(at.address)) return others;
    if (!job.isSuspected) return [{ kernel: job.kernel, addresses: [at.address], isSuspected: true }, ...others];
    this.onResult(died(at, end));
    return others;
  }
}

/** A write outside of its buffers may have hit something else before it was seen: such a process takes no other job. */
const isWild = ({ finding, reason }: FaultResult): boolean => finding === 'guard' || /\bwrites\b/.test(reason);

const died = ({ address, gate }: Judging, end: string): FaultResult => ({
  address,
  status: 'killed',
  gate,
  finding: 'fault',
  reason: `it ends the process that runs it (${end})`,
  elapsedMs: 0,
});
