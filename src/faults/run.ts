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
  while (queue.length > 0) {
    const left = await serveOne(queue, settings, onResult);
    if (left) queue.unshift(left);
  }
}

/** Feeds one process until there are no jobs, or it has to go; returns what is left of the job that ended it. */
function serveOne(
  queue: FaultJob[],
  settings: FaultSettings,
  onResult: (result: FaultResult) => void,
): Promise<FaultJob | undefined> {
  return new Promise((resolve, reject) => {
    let job: FaultJob | undefined;
    let at: Extract<FaultAnswer, { kind: 'judging' }> | undefined;
    let isTainted = false;
    const settled = new Set<string>();
    const leftOf = (): FaultJob | undefined => {
      const addresses = job?.addresses.filter((address) => !settled.has(address)) ?? [];
      return job && addresses.length > 0 ? { ...job, addresses } : undefined;
    };
    const next = (): void => {
      job = isTainted ? undefined : queue.shift();
      if (job) child.send(job);
      else child.kill();
    };
    const hear = (answer: FaultAnswer): void => {
      if (answer.kind === 'judging') at = answer;
      else if (answer.kind === 'result') {
        settled.add(answer.result.address);
        isTainted ||= isWild(answer.result);
        onResult(answer.result);
      } else if (answer.kind === 'error') {
        child.kill();
        reject(new Error(answer.error));
      } else next();
    };
    const child = Bun.spawn([process.execPath, ENTRY, SERVE_FAULTS, JSON.stringify(settings)], {
      ipc: hear,
      stdio: ['ignore', 'ignore', 'ignore'],
      onExit: (_child, code, signal) => {
        if (job && !at)
          return reject(new Error(`a process of faults ended with ${signal ?? code} before it judged one`));
        if (job && at && !settled.has(at.address)) {
          onResult(died(at, signal ?? code));
          settled.add(at.address);
        }
        resolve(leftOf());
      },
    });
  });
}

/** A launch that failed, or wrote past its buffers, may have written elsewhere too: its process takes no other job. */
const isWild = ({ finding }: FaultResult): boolean => finding === 'fault' || finding === 'guard';

const died = ({ address, gate }: Extract<FaultAnswer, { kind: 'judging' }>, end: unknown): FaultResult => ({
  address,
  status: 'killed',
  gate,
  finding: 'fault',
  reason: `it ended the process that ran it (${String(end)})`,
  elapsedMs: 0,
});
