/** The bar of a run: how far it is, what is running, how long it has taken and about how long it still takes. */
import type { Job } from '../gates/run.ts';
import type { ProgressStream } from './progress.ts';
import { progressOn } from './progress.ts';

const TICK_MS = 1000;

export interface RunProgress {
  begin(job: Job): void;
  done(job: Job): void;
  /** Takes the bar away, until something begins or ends or a second has passed. */
  clear(): void;
  close(): void;
}

/** weightOf: how long a job is beside others; what is left is estimated by it. */
export function runProgress(
  stream: ProgressStream,
  jobs: readonly Job[],
  weightOf: (job: Job) => number,
  now: () => number = () => performance.now(),
): RunProgress {
  const bar = progressOn(stream);
  const from = now();
  const all = sum(jobs.map(weightOf));
  const running: Job[] = [];
  const ended = { count: 0, weight: 0 };
  const show = (): void => {
    const elapsedMs = now() - from;
    const leftMs = ended.weight > 0 ? (elapsedMs * (all - ended.weight)) / ended.weight : undefined;
    if (running.length > 0) bar.show(ended.count, jobs.length, progressText(running, elapsedMs, leftMs));
  };
  const timer = stream.isTTY ? setInterval(show, TICK_MS) : undefined;
  return {
    begin: (job) => {
      running.push(job);
      show();
    },
    done: (job) => {
      const at = running.findIndex((one) => keyOf(one) === keyOf(job)); // it comes back from another thread
      if (at >= 0) running.splice(at, 1);
      ended.count++;
      ended.weight += weightOf(job);
      show();
    },
    clear: () => bar.clear(),
    close: () => {
      clearInterval(timer);
      bar.clear();
    },
  };
}

const keyOf = ({ kernel, gate, device }: Job): string => `${kernel} ${gate} ${device}`;

const sum = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0);

/** `0:42, about 1:10 left  rms_rows shapes, rms_rows sums`. */
export function progressText(running: readonly Job[], elapsedMs: number, leftMs: number | undefined): string {
  const left = leftMs === undefined ? '' : `, about ${clock(leftMs)} left`;
  return `${clock(elapsedMs)}${left}  ${running.map(({ kernel, gate }) => `${kernel} ${gate}`).join(', ')}`;
}

function clock(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  return `${minutes}:${String(seconds % 60).padStart(2, '0')}`;
}
