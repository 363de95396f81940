/**
 * Why a gate goes red, as far as two findings are one: a code that stays the same from release to release, whatever the words beside
 * it, and what it is of. Reports, journals and fixtures carry it, and whoever holds one finding against another compares it.
 */
import type { FindingClass } from './contract.ts';

/** Every code with the class of finding that it is of. */
export const CAUSES = {
  class: 'class',
  value: 'value',
  bits: 'bits',
  rule: 'rule',
  'other-order': 'different',
  'after-other-inputs': 'different',
  unwritten: 'unwritten',
  'input-changed': 'input',
  'input-written': 'input',
  guard: 'guard',
  'over-read': 'over-read',
  row: 'row',
  alias: 'alias',
  'kept-bits': 'value',
  'depth-too-small': 'depth',
  'depth-too-large': 'depth',
  'output-stays': 'vacuous',
  'input-moves-nothing': 'vacuous',
  ops: 'ops',
  race: 'race',
  uninitialised: 'uninitialised',
  bounds: 'bounds',
  misaligned: 'misaligned',
  // What a launch fails by: the device's own word, or what stopped it before or beside the device.
  fault: 'fault',
  divergence: 'fault',
  timeout: 'fault',
  lost: 'fault',
  absent: 'fault',
  'bad-argument': 'fault',
  'bad-image': 'fault',
  'process-ended': 'fault',
  'contract-function': 'fault',
  // What the gate's own data cannot tell.
  'reference-nan': 'weak',
  'reference-constant': 'weak',
  'sums-unproven': 'weak',
} as const satisfies Readonly<Record<string, FindingClass | 'weak'>>;

export type CauseCode = keyof typeof CAUSES;
export const CAUSE_CODES = Object.keys(CAUSES) as [CauseCode, ...CauseCode[]];

export interface Cause {
  readonly code: CauseCode;
  /** The output, input, function or sum that it is of, by its name. */
  readonly of?: string | undefined;
  /** The source lines that the device names, `scores.cu:14`, each once and in its order. */
  readonly lines?: readonly string[] | undefined;
}

/** Whether a cause is found by asking about a sum, whatever the case's inputs hold. */
export const isAsked = ({ code }: Cause): boolean => CAUSES[code] === 'depth' || code === 'kept-bits';

/** The same thing, wherever in the source: of other sources or another dialect the lines are others. */
export const isAlike = (a: Cause, b: Cause): boolean => a.code === b.code && a.of === b.of;

/** The same thing at the same lines. */
export const isSameCause = (a: Cause, b: Cause): boolean =>
  isAlike(a, b) && (a.lines ?? []).join() === (b.lines ?? []).join();
