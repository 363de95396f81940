/** Gate 5 on a launch fault that gates 1 to 4 let through: the planted launch against every served chip, from the records. */
import { auditAll } from '../audit/audit.ts';
import { SERVED_CHIPS } from '../audit/chips/all.ts';
import type { AllRecords } from '../audit/recorded.ts';
import { recordedLaunches } from '../audit/recorded.ts';
import { hashedLaunches } from '../audit/records-source.ts';
import type { Kernel } from '../spec/registration.ts';
import { launchesOf } from '../spec/registration.ts';
import type { Texts } from './matrix.ts';
import type { FaultResult } from './result.ts';
import type { Fault } from './rule.ts';

/** The result that gate 5 gives a launch fault: killed where a chip does not take the launch, else as it was. */
export function limitsVerdict(
  result: FaultResult,
  { plant, dialect }: Fault,
  kernel: Kernel,
  texts: Texts,
  records: AllRecords,
): FaultResult {
  if (plant.kind !== 'launch' || result.status !== 'survives') return result;
  const launches = launchesOf(kernel.contract, dialect).map((launch) => plant.launch(launch));
  const planted = { ...kernel, dialects: [dialect], contract: { ...kernel.contract, launch: { [dialect]: launches } } };
  const recorded = recordedLaunches(hashedLaunches([planted], texts), records, SERVED_CHIPS);
  const refused = auditAll(recorded, SERVED_CHIPS).find(({ status }) => status === 'does not fit');
  if (!refused) return result;
  const [problem] = refused.problems;
  return {
    ...result,
    status: 'killed',
    gate: 'limits',
    finding: problem?.limit ?? 'limit',
    reason: `${refused.chip}: ${problem?.what ?? refused.status}`,
  };
}
