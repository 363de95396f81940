/** What a fault came to: plain values that cross processes. */
import type { GateName } from '../spec/contract.ts';
import { GATES } from '../spec/contract.ts';
import type { ModeName } from '../spec/modes.ts';

/**
 * killed: a gate is red. survives: every gate stays green. same code: it compiles to the very image of the kernel, so there is
 * nothing that a gate could see. broken: it does not compile, or the run of it was lost: a mistake of the rule, never a kill.
 */
export type FaultStatus = 'killed' | 'survives' | 'same code' | 'broken';

/** A gate that kills: of 1 to 4, or gate 5 a launch. */
export type KillingGate = GateName | 'limits';
export const KILLING_GATES: readonly KillingGate[] = [...GATES, 'limits'];

export interface FaultResult {
  readonly address: string;
  readonly status: FaultStatus;
  /** The gate that is red first, in the order of the gates. */
  readonly gate?: KillingGate;
  /** The class of what it found first. */
  readonly finding?: string;
  /** One line: where it went red and on what, or why there is no verdict. */
  readonly reason: string;
  readonly elapsedMs: number;
}

/** Some faults of one registration, by their addresses. */
export interface FaultJob {
  readonly kernel: string;
  readonly addresses: readonly string[];
  /** The one fault ended the process that judged it before. */
  readonly isSuspected?: boolean;
}

/** What a process answers: results as they come, then that it is ready for the next job. */
export type FaultAnswer =
  | { readonly kind: 'ready' }
  | { readonly kind: 'result'; readonly result: FaultResult }
  /** The gate that now judges a fault: if the process ends here, this ended it. */
  | { readonly kind: 'judging'; readonly address: string; readonly gate: GateName }
  | { readonly kind: 'done' }
  | { readonly kind: 'error'; readonly error: string };

export interface FaultSettings {
  readonly seed: string;
  /** How long one launch may run. */
  readonly limitMs: number;
  /** Of 1 to 4: gate 5 needs no process. */
  readonly gates: readonly GateName[];
  readonly modes: readonly ModeName[];
}
