/** What SUMMARY counts: one kernel in one dialect on one device, with every gate and every control that ran for it. */
import type { RunDevice } from '../device/run-device.ts';
import type { Dialect } from '../families/formula/functions.ts';
import { worseMargin } from '../gates/finding.ts';
import type { ControlResult, GateResult, Status } from '../gates/result.ts';

/** The results of one registration, gates in the order of their numbers, controls in the order of the contract. */
export interface Registration {
  readonly kernel: string;
  readonly dialect: Dialect;
  readonly device: Pick<RunDevice, 'id' | 'name'>;
  /** Why it was not launched on the device's chip, as its contract says. */
  readonly quarantine?: string;
  readonly gates: readonly GateResult[];
  readonly controls: readonly ControlResult[];
}

/** Worst first: a gate that did not run outweighs those that passed, so that nothing is green by absence. */
const WORST_FIRST: readonly Status[] = ['fail', 'not run', 'known', 'pass'];

/** The verdict of a registration: its worst gate's. Undefined where only controls were asked for. */
export function statusOf({ gates }: Pick<Registration, 'gates'>): Status | undefined {
  return WORST_FIRST.find((status) => gates.some((gate) => gate.status === status));
}

/** The margin nearest to its bound, over all gates. */
export function marginOf({ gates }: Registration): GateResult['margin'] {
  return gates.reduce<GateResult['margin']>(
    (worst, { margin }) => (worseMargin(worst, margin) === worst ? worst : margin),
    undefined,
  );
}

/** Milliseconds that the registration's own gates took; a case's reference counts where it was taken first. */
export function elapsedOf({ gates }: Registration): number {
  return gates.reduce((sum, gate) => sum + gate.elapsedMs, 0);
}

/** Whether nothing of a registration needs to be told: its gates pass, are known to fail or do not run, its controls are red. */
export const isAsPromised = ({ gates, controls }: Registration): boolean =>
  gates.every(({ status }) => status !== 'fail') &&
  controls.every(({ status }) => status !== 'missed' && status !== 'broken');
