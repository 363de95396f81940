/** What one case came to, as it is told while a job goes on. */
import type { Dialect } from '../families/formula/functions.ts';
import { addressText } from '../spec/address.ts';
import type { GateName } from '../spec/contract.ts';
import type { Kernel, PlantedControl } from '../spec/registration.ts';
import type { Judged } from './attempt.ts';
import type { GateCase } from './case.ts';
import { subjectName } from './strikes.ts';

/** Plain data. */
export interface CaseDone {
  /** The case's address; of a control its address, gate and case. */
  readonly address: string;
  readonly isControl: boolean;
  /** The class of its first finding; undefined where there is none. */
  readonly finding?: string;
  /** Why it did not run. */
  readonly notRun?: string;
  readonly elapsedMs: number;
}

interface Tried {
  readonly kernel: Kernel;
  readonly dialect: Dialect;
  readonly gate: GateName;
  readonly control?: PlantedControl | undefined;
}

export function caseDone(
  { kernel, dialect, gate, control }: Tried,
  { label }: GateCase,
  outcome: Judged,
  elapsedMs: number,
): CaseDone {
  const own = addressText({ kernel: kernel.name, dialect, gate, label });
  const address = control ? `${subjectName(kernel.name, dialect, control)}:${gate}:${label}` : own;
  const told = { address, isControl: control !== undefined, elapsedMs };
  if ('notRun' in outcome) return { ...told, notRun: outcome.notRun };
  const [first] = outcome.findings;
  return first ? { ...told, finding: first.class } : told;
}
