/** What a run has come to so far: its registrations in the order of the plan, and how far it is; whole at its end, or cut by a signal. */
import type { DeviceId } from '../device/run-device.ts';
import type { JobDone } from '../gates/lanes/lane.ts';
import type { Lanes, RunTotals } from '../gates/run.ts';
import type { Registration } from '../report/registration.ts';
import type { Interruption } from './interrupt.ts';
import type { Plan } from './plan.ts';
import type { Sequence } from './sequence.ts';
import { sequenceOf } from './sequence.ts';

export interface Finished {
  readonly registrations: readonly Registration[];
  readonly totals: RunTotals;
  /** Jobs that a fault of ours ended. */
  readonly died: number;
}

/** A run that a signal ended: what was not done is there as not run. */
export interface Cut extends Finished {
  readonly interruption: Interruption;
  /** Jobs that ended, of all. */
  readonly done: number;
  readonly jobs: number;
}

export class RunLedger {
  /** Whether a signal has ended the run: what still comes is too late. */
  isCut = false;
  private readonly registrations: Registration[] = [];
  private readonly sequence: Sequence;
  private readonly from = performance.now();
  private done = 0;
  private died = 0;
  private referenceMs = 0;
  private lanes = 0;

  /** `tell` hears each registration as soon as it and all before it are complete. */
  constructor(
    private readonly plan: Plan,
    private readonly tell: (ready: readonly Registration[]) => void,
  ) {
    this.sequence = sequenceOf(plan);
  }

  /** Tells what needs no job. */
  begin(): void {
    this.add(this.sequence.ready());
  }

  take(done: JobDone): void {
    this.done++;
    this.referenceMs += done.referenceMs;
    if (done.error !== undefined) this.died++;
    this.add(this.sequence.take(done));
  }

  private add(ready: readonly Registration[]): void {
    this.tell(ready);
    this.registrations.push(...ready);
  }

  /** The same lanes, counted as they open. */
  counting(lanesOf: (device: DeviceId) => Lanes): (device: DeviceId) => Lanes {
    return (device) => {
      const { count, open } = lanesOf(device);
      return {
        count,
        open: () => {
          this.lanes++;
          return open();
        },
      };
    };
  }

  whole(totals: RunTotals): Finished {
    return { registrations: this.registrations, totals, died: this.died };
  }

  /** Ends the ledger where a signal ended the run. */
  cut(interruption: Interruption): Cut {
    this.isCut = true;
    const rest = this.sequence.rest(`${interruption.signal} ended the run before`);
    const { referenceMs, lanes, died, done, plan } = this;
    const totals = { elapsedMs: performance.now() - this.from, referenceMs, lanes };
    const registrations = [...this.registrations, ...rest];
    return { registrations, totals, died, interruption, done, jobs: plan.jobs.length };
  }
}
