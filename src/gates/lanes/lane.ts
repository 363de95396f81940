/** A lane runs jobs on one device, one at a time; what it is given and what it answers are plain data. */
import type { RunDevice } from '../../device/run-device.ts';
import type { ImageSource } from '../../device/image-source.ts';
import type { CaseDone } from '../case-done.ts';
import type { Result } from '../result.ts';
import type { Job, RunOptions } from '../run.ts';
import type { Ending, Place } from '../strikes.ts';

/** What a lane serves jobs with, from its start to its end. */
export interface LaneSetup {
  readonly device: RunDevice;
  readonly options: RunOptions;
  readonly images: ImageSource;
}

/** A job's results; or why there are none. Of `error`, `lost` and `notRun` there is at most one, and then no results. */
export interface JobDone {
  readonly job: Job;
  readonly results: readonly Result[];
  readonly referenceMs: number;
  /** A fault of ours ended it. */
  readonly error?: string;
  /** Its kernel ended the process, and did so again: it is red. */
  readonly lost?: string;
  /** There is no device to run it on. */
  readonly notRun?: string;
}

/** Hears what each case comes to, where a run asks for that. */
export type OnCase = (done: CaseDone) => void;

export interface Lane {
  /** Runs a job to its end; it never rejects. */
  run(job: Job): Promise<JobDone>;
  close(): Promise<void>;
}

/** What a server is asked for. */
export interface JobAsk {
  readonly job: Job;
  /** What ended earlier processes of the job. */
  readonly endings: readonly Ending[];
}

/** What a server tells: it listens (what is sent before is lost); it is ready or cannot be; where a job is; what a case came to, where that is asked for; what the job came to; that its device is gone. */
export type ServerWord =
  | { readonly kind: 'listens' | 'ready' }
  | { readonly kind: 'unable'; readonly why: string }
  | { readonly kind: 'at'; readonly place: Place }
  | { readonly kind: 'case'; readonly done: CaseDone }
  | { readonly kind: 'done'; readonly done: JobDone }
  | { readonly kind: 'gone'; readonly what: string };
