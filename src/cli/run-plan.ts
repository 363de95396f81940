/** The gates that run kernels: what is selected of them goes to the workers, and is told in the order of the plan. */
import { runtimeImage } from '../device/store.ts';
import type { JobDone, Progress, RunTotals } from '../gates/run.ts';
import { runJobs } from '../gates/run.ts';
import { registrationLines } from '../report/lines.ts';
import type { Registration } from '../report/registration.ts';
import { styleFor } from './colour.ts';
import { interruptedText, interruptibly } from './interrupt.ts';
import { print } from './print.ts';
import { progressOn } from './progress.ts';
import type { Selection } from './selection.ts';
import { sequenceOf } from './sequence.ts';
import { COMMAND } from './version.ts';

export interface Finished {
  readonly registrations: readonly Registration[];
  readonly totals: RunTotals;
  /** Jobs that a fault of ours ended. */
  readonly died: number;
}

/** Runs the jobs of a selection, and prints each registration as it completes. */
export async function runPlan({ kernels, settings, plan }: Selection): Promise<Finished> {
  const { seed, check } = settings;
  const flags = [check?.strictWarps && '--strict-warps', check?.lockstep && '--lockstep'].filter(Boolean).join(' ');
  const style = await styleFor(process.stdout, process.env);
  const context = { seed, command: COMMAND, flags, style };
  const progress = progressOn(process.stderr);
  const sequence = sequenceOf(plan);
  const registrations: Registration[] = [];
  const count = { done: 0, died: 0 };
  const onDone = (done: JobDone, at: Progress): void => {
    count.done = at.done;
    if (done.error !== undefined) count.died++;
    const ready = sequence.take(done);
    progress.clear();
    for (const registration of ready) print(registrationLines(registration, context));
    registrations.push(...ready);
    if (at.done < at.total) progress.show(at.done, at.total, `${at.job.kernel} ${at.job.gate}`);
  };
  const told = (signal: string): string => {
    progress.clear();
    return interruptedText(signal, count.done, plan.jobs.length);
  };
  const totals = await interruptibly(told, async () => {
    await runtimeImage(); // once here, so that workers find it made, and its absence is told once
    return runJobs(kernels, plan.jobs, settings, onDone);
  });
  return { registrations, totals, died: count.died };
}
