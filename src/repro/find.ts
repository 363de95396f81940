/** The first case at which a target is found as wanted: small ones are tried first. */
import type { Finding } from '../gates/finding.ts';
import type { GateCase } from '../gates/case.ts';
import { tooLarge } from '../gates/attempt.ts';
import { gateCases } from '../gates/job.ts';
import { wayOf } from '../gates/mode.ts';
import type { Cause } from '../spec/cause.ts';
import { isAlike } from '../spec/cause.ts';
import type { FindingClass } from '../spec/contract.ts';
import { MODES } from '../spec/modes.ts';
import { modeOf } from '../spec/registration.ts';
import { volume } from '../spec/shapes.ts';
import { runsAt } from '../spec/warps.ts';
import type { Suspect, Target } from './suspect.ts';

/** What is looked for: a cause at whatever lines, a class, or any; at one case, or at all. */
export interface Wanted {
  readonly cause?: Cause;
  readonly class?: FindingClass | 'weak';
  readonly label?: string;
}

export interface Found {
  readonly gateCase: GateCase;
  readonly finding: Finding;
  readonly suspect: Suspect;
}

/** The cases that may show it, the smallest first. A control shows in its own mode alone, and not where it must stay green. */
export function casesFor({ kernel, dialect, gate, control }: Target, { label }: Wanted, seed: string): GateCase[] {
  const all = gateCases(kernel, gate, seed, control ? [modeOf(control)] : MODES);
  return all
    .filter((gateCase) => label === undefined || gateCase.label === label)
    .filter(({ shape, warp }) => runsAt(kernel.contract, dialect, shape, warp))
    .filter(({ shape }) => tooLarge(kernel.contract, shape) === undefined && control?.green?.(shape) !== true)
    .toSorted((a, b) => volume(a.shape) - volume(b.shape));
}

const isWanted = ({ class: kind, cause }: Finding, wanted: Wanted): boolean =>
  (wanted.class === undefined || kind === wanted.class) && (wanted.cause === undefined || isAlike(cause, wanted.cause));

/** Judges case after case until one shows what is wanted; undefined where none does. `pause` may throw. */
export async function findCase(
  suspect: Suspect,
  cases: readonly GateCase[],
  wanted: Wanted,
  pause: () => Promise<void>,
): Promise<Found | undefined> {
  for (const gateCase of cases) {
    await pause();
    const own = suspect.with(wayOf(gateCase));
    const judged = own.judge(gateCase.prepare(), gateCase.judge ?? own.gate.judge);
    const findings = 'findings' in judged ? judged.findings : [];
    const finding = findings.find((one) => isWanted(one, wanted));
    if (finding) return { gateCase, finding, suspect: own };
    own.close();
  }
  return undefined;
}
