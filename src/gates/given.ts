/**
 * How a gate judges inputs that it did not make: those of a regression, and those that a minimiser tries. Finite inputs may overflow
 * or divide by zero, so gate 3 judges them as it does corner rows. Gate 4 holds them to its exact-sum bound and leaves out what its
 * own data prove of other accumulators: that is a question of the data, not of an output that is past the bound.
 */
import type { Cause } from '../spec/cause.ts';
import { isAsked } from '../spec/cause.ts';
import type { GateName } from '../spec/contract.ts';
import type { ModeName } from '../spec/modes.ts';
import type { Inputs } from '../families/inputs.ts';
import type { Gate } from './case.ts';
import { CaseData } from './case.ts';
import { judgeCheck } from './check.ts';
import { judgeDepth } from './depth.ts';
import { nonfinite } from './nonfinite.ts';
import { repeat } from './repeat.ts';
import { shapes } from './shapes.ts';
import { judgeExact } from './sums.ts';

/** The data of a case whose inputs were given. */
export const givenData = (inputs: Inputs): CaseData =>
  new CaseData(inputs, { corners: { dim: undefined, kindOf: () => 'given values' } });

/** The judgement by which a gate finds a cause in given inputs; of none, whatever it finds but what is asked about sums. */
export function judgeGiven(gate: GateName, mode: ModeName, cause: Cause | undefined): Gate['judge'] {
  if (mode === 'check') return judgeCheck;
  if (gate === 'nonfinite') return nonfinite.judge;
  if (gate === 'repeat') return repeat.judge;
  if (gate === 'shapes') return shapes.judge;
  return cause && isAsked(cause) ? judgeDepth : judgeExact;
}
