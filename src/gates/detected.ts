/** What a gate that judges by ranges would still have caught at a case that passes. */
import type { Problem } from '../families/problem.ts';
import type { CaseData } from './case.ts';
import { detectionOf } from './detection.ts';
import type { Detected } from './finding.ts';
import { lostTerms } from './lost-terms.ts';
import type { Outputs } from './stage.ts';
import type { Subject } from './subject.ts';

/** The limits of the outputs that a subject gave, and of the sums that they come from. */
export function detectedIn(
  data: CaseData,
  problem: Problem,
  subject: Subject,
  outputs: Outputs,
  arithmetic: ReturnType<Subject['arithmetic']>,
): Detected {
  const want = data.reference(problem);
  const ends = data.ranges(problem, arithmetic);
  const limits = Object.entries(subject.contract.outputs).map(([name, tensor]) => {
    const judged = { name, tensor, shape: data.shape, bytes: outputs[name] ?? new Uint8Array(0) };
    const [exact, range] = [want[name], ends[name]];
    return exact && range && detectionOf(judged, exact, range);
  });
  return {
    outputs: limits.filter((limit) => limit !== undefined),
    sums: lostTerms(data, problem, arithmetic, outputs),
  };
}
