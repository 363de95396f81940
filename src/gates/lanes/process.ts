/**
 * A lane in a child process. Whatever the job does there, an abort, a hang, a device that is gone, ends that process and no other:
 * the job is taken up in a fresh one, without what ended the first; where that ends too, the job is red with the driver's words.
 */
import type { Job } from '../run.ts';
import type { Ending, Place } from '../strikes.ts';
import { serving } from './entry.ts';
import type { JobDone, Lane, LaneSetup, OnCase, ServerWord } from './lane.ts';
import type { ParentWord } from './serve-process.ts';
import { SERVE_JOBS } from './serve-process.ts';

/** Processes that a job may end. */
const ENDS_MOST = 2;
/** Processes that may fail to open the device, one after another: a driver may need a moment after it was reset. */
const OPENS_MOST = 3;
const OPEN_PAUSE_MS = 500;
/** How long a process may take to read the contracts and to open its device, whose driver may hang. */
const OPEN_MS = 120_000;
/** How long a process may take to close its device. */
const CLOSE_MS = 10_000;

export class ProcessLane implements Lane {
  private serving: Child | undefined;
  /** How many processes one after another could not open the device. */
  private closed = 0;
  /** Why no process opens the device any more. */
  private unable: string | undefined;

  constructor(
    private readonly setup: LaneSetup,
    private readonly onCase: OnCase = () => {},
  ) {}

  async run(job: Job): Promise<JobDone> {
    const endings: Ending[] = [];
    const nothing = { job, results: [], referenceMs: 0 };
    for (let ends = 0; ;) {
      if (this.unable !== undefined) {
        const [ending] = endings;
        return ending ? { ...nothing, lost: ending.what } : { ...nothing, notRun: this.unable };
      }
      if (this.serving?.isOver !== false) this.serving = new Child(this.setup, this.onCase); // one may have ended between two jobs
      const came = await this.serving.run(job, endings);
      if (came.kind !== 'unable') this.closed = 0;
      if (came.kind === 'done') return came.done;
      this.serving = undefined;
      if (came.kind === 'unable') {
        if (++this.closed >= OPENS_MOST) this.unable = `${this.setup.device.id} does not open: ${came.why}`;
        else await Bun.sleep(OPEN_PAUSE_MS);
      } else if (++ends >= ENDS_MOST) return { ...nothing, lost: came.what };
      else if (came.at) endings.push({ at: came.at, what: came.what });
    }
  }

  async close(): Promise<void> {
    await this.serving?.close();
    this.serving = undefined;
  }
}

/** What a job comes to in one process. */
type Came =
  | { readonly kind: 'done'; readonly done: JobDone }
  | { readonly kind: 'unable'; readonly why: string }
  | { readonly kind: 'ended'; readonly what: string; readonly at?: Place };

/** One process, until it ends. */
class Child {
  private readonly child: Bun.Subprocess<'ignore', 'ignore', 'pipe'>;
  private readonly words: Promise<string>;
  private readonly opening: ReturnType<typeof setTimeout>;
  private readonly ready = Promise.withResolvers<void>();
  private settle: (came: Came) => void = () => {};
  private at: Place | undefined;
  private gone: string | undefined;
  private unable: string | undefined;
  private isReady = false;
  isOver = false;

  constructor(
    private readonly setup: LaneSetup,
    private readonly onCase: OnCase,
  ) {
    this.child = Bun.spawn(serving(SERVE_JOBS), {
      env: process.env, // as it is now: kernels from outside are named in it
      ipc: (word: ServerWord) => this.hear(word),
      stdio: ['ignore', 'ignore', 'pipe'],
      onExit: (_child, code, signal) => void this.ended(String(signal ?? `code ${code}`)),
    });
    process.on('exit', this.kill); // of this process: nobody waits for the other
    this.opening = setTimeout(() => this.stop({ kind: 'unable', why: `not in ${OPEN_MS / 1000} s` }), OPEN_MS);
    this.words = tailOf(this.child.stderr);
  }

  async run(job: Job, endings: readonly Ending[]): Promise<Came> {
    const { promise, resolve } = Promise.withResolvers<Came>();
    this.settle = resolve;
    await Promise.race([this.ready.promise, promise]);
    this.at = undefined;
    this.send({ kind: 'job', ask: { job, endings } });
    return promise;
  }

  async close(): Promise<void> {
    this.send({ kind: 'close' });
    const overdue = setTimeout(this.kill, CLOSE_MS);
    await this.child.exited;
    clearTimeout(overdue);
  }

  /** A process that has ended hears nothing; that it ended is told by its exit. */
  private send(word: ParentWord): void {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.send(word);
  }

  private readonly kill = (): void => this.child.kill('SIGKILL');

  private hear(word: ServerWord): void {
    if (word.kind === 'listens') this.send({ kind: 'setup', setup: this.setup });
    else if (word.kind === 'ready') {
      this.isReady = true;
      clearTimeout(this.opening);
      this.ready.resolve();
    } else if (word.kind === 'at') this.at = word.place;
    else if (word.kind === 'case') this.onCase(word.done);
    else if (word.kind === 'done') this.settle(word);
    else if (word.kind === 'gone' || word.kind === 'unable') this.stop(word);
  }

  /** What the process said last is what it ended of. */
  private stop(word: Extract<ServerWord, { kind: 'gone' | 'unable' }>): void {
    if (word.kind === 'gone') this.gone = word.what;
    else this.unable = word.why;
    this.kill();
  }

  private async ended(how: string): Promise<void> {
    process.off('exit', this.kill);
    this.isOver = true;
    clearTimeout(this.opening);
    const words = await this.words;
    const why =
      this.unable ?? (this.isReady ? undefined : `its process ended (${how})${words === '' ? '' : `: ${words}`}`);
    if (why !== undefined) return this.settle({ kind: 'unable', why });
    const what = this.gone ?? `it ends the process that runs it (${how})${words === '' ? '' : `: ${words}`}`;
    this.settle({ kind: 'ended', what, ...(this.at && { at: this.at }) });
  }
}

/** What a driver said last: a little of it. */
const TAIL = 600;

async function tailOf(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let tail = '';
  for await (const piece of stream) tail = (tail + decoder.decode(piece, { stream: true })).slice(-TAIL);
  return tail.trim();
}
