/** The same launch in several orders, and what its outputs' bytes say of it. */
import { POISONS } from '../device/guarded.ts';
import type { Shape } from '../families/tensor.ts';
import type { CauseCode } from '../spec/cause.ts';
import { compareBits } from './compare.ts';
import type { Finding } from './finding.ts';
import type { Outputs, RunOptions, Stage } from './stage.ts';
import { LOCAL_POISONS } from './stage.ts';
import type { Subject } from './subject.ts';
import { unwrittenOutputs } from './unwritten.ts';

/** Runs of the same inputs: in index order, with the first and with the last warps ahead of the others, and in two seeded orders. */
export const RUNS = 5;

/** The outputs whose bytes are not those wanted. */
export function compareOutputs(
  subject: Subject,
  shape: Shape,
  got: Outputs,
  want: Outputs,
  code: CauseCode,
  what: string,
): Finding[] {
  return Object.entries(subject.contract.outputs).flatMap(([name, tensor]) => {
    const judged = { name, tensor, shape, bytes: got[name] ?? new Uint8Array(0) };
    return compareBits(judged, want[name] ?? new Uint8Array(0), code, what) ?? [];
  });
}

/** Gate 2's own orders. */
const SCHEDULES: readonly number[] = Array.from({ length: RUNS }, (_, schedule) => schedule);

/** What a schedule goes with, so that a run of it alone is the same run: a poison in outputs, a word in local memory. */
const runOf = (schedule: number): Required<Pick<RunOptions, 'schedule' | 'poison' | 'localPoison'>> => ({
  schedule,
  poison: POISONS[schedule % 2] ?? POISONS[0],
  localPoison: LOCAL_POISONS[schedule % LOCAL_POISONS.length] ?? LOCAL_POISONS[0],
});

/** The run that others are held against. */
export const firstRun = (stage: Stage, subject: Subject, [schedule = 0]: readonly number[] = SCHEDULES): Outputs =>
  stage.run(subject.route(stage.shape), runOf(schedule));

/** The runs after the first: another order each, another word in local memory and, every second time, another poison. */
export function repeats(stage: Stage, subject: Subject, first: Outputs, asked?: readonly number[]): Finding[] {
  const [start = 0, ...others] = asked ?? SCHEDULES;
  let told = false; // whether a run had the other poison, which tells what is unwritten
  for (const schedule of others) {
    const run = runOf(schedule);
    const got = stage.run(subject.route(stage.shape), run);
    if (!told && run.poison !== runOf(start).poison) {
      const missing = unwrittenOutputs(subject, stage.shape, first, got);
      if (missing.length > 0) return missing;
      told = true;
    }
    const names = asked ? `schedule ${start} and schedule ${schedule}` : `run ${start + 1} and run ${schedule + 1}`;
    const found = compareOutputs(subject, stage.shape, got, first, 'other-order', `differ between ${names}`);
    const orders = asked && { schedules: [start, schedule] };
    if (found.length > 0) return found.map((finding) => ({ ...finding, ...orders }));
  }
  return [];
}
