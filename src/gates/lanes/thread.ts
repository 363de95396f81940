/** A lane in a worker thread: for kernels that cannot reach the memory of this process. */
import { Worker } from 'node:worker_threads';
import type { Job } from '../run.ts';
import { ENTRY } from './entry.ts';
import type { JobAsk, JobDone, Lane, LaneSetup, OnCase, ServerWord } from './lane.ts';
import { traceOf } from '../../spec/message-of.ts';

/** What a worker thread is given when it starts. */
export interface ThreadData {
  readonly role: 'gates';
  readonly setup: LaneSetup;
}

export class ThreadLane implements Lane {
  private worker: Worker | undefined;

  constructor(
    private readonly setup: LaneSetup,
    private readonly onCase: OnCase = () => {},
  ) {}

  /** A worker that dies takes its job with it, as a fault of ours; another takes its place. */
  async run(job: Job): Promise<JobDone> {
    const data: ThreadData = { role: 'gates', setup: this.setup };
    const worker = (this.worker ??= new Worker(ENTRY, { workerData: data }));
    const done = await ask(worker, job, this.onCase);
    if (done.error !== undefined) await this.close();
    return done;
  }

  async close(): Promise<void> {
    const { worker } = this;
    this.worker = undefined;
    await worker?.terminate();
  }
}

function ask(worker: Worker, job: Job, onCase: OnCase): Promise<JobDone> {
  return new Promise((resolve) => {
    const settle = (done: JobDone): void => {
      worker.removeAllListeners();
      resolve(done);
    };
    const died = (error: string): void => settle({ job, results: [], referenceMs: 0, error });
    worker.on('message', (word: ServerWord) => {
      if (word.kind === 'done') settle(word.done);
      else if (word.kind === 'case') onCase(word.done);
      else if (word.kind === 'unable') died(word.why);
      else if (word.kind === 'gone') died(word.what);
    });
    worker.on('error', (error) => died(traceOf(error)));
    worker.on('exit', (code) => died(`the worker ended with code ${code}`));
    worker.postMessage({ job, endings: [] } satisfies JobAsk);
  });
}
