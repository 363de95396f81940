/** The same launch in several orders, and what its outputs' bytes say of it. */
import { POISONS } from '../device/guarded.ts';
import type { Shape } from '../families/tensor.ts';
import { compareBits } from './compare.ts';
import type { Finding } from './finding.ts';
import type { Outputs, Stage } from './stage.ts';
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
  finding: Finding['class'],
  what: string,
): Finding[] {
  return Object.entries(subject.contract.outputs).flatMap(([name, tensor]) => {
    const judged = { name, tensor, shape, bytes: got[name] ?? new Uint8Array(0) };
    return compareBits(judged, want[name] ?? new Uint8Array(0), finding, what) ?? [];
  });
}

/** Runs 2 to 5: another poison in outputs, another word in local memory, another order each. */
export function repeats(stage: Stage, subject: Subject, first: Outputs): Finding[] {
  for (let run = 1; run < RUNS; run++) {
    const poison = POISONS[run % 2] ?? POISONS[1];
    const got = stage.run(subject.route(stage.shape), {
      poison,
      schedule: run,
      localPoison: LOCAL_POISONS[run % LOCAL_POISONS.length] ?? 0,
    });
    const missing = run === 1 ? unwrittenOutputs(subject, stage.shape, first, got) : [];
    if (missing.length > 0) return missing;
    const found = compareOutputs(
      subject,
      stage.shape,
      got,
      first,
      'different',
      `differ between run 1 and run ${run + 1}`,
    );
    if (found.length > 0) return found;
  }
  return [];
}
