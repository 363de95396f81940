/** Which gates have anything to prove of a kernel. */
import { plantable } from '../families/fills/plants.ts';
import type { Contract, GateName } from './contract.ts';

/** Why a kernel has nothing for a gate to prove; undefined where it has. */
export function nothingToProve({ accumulator, inputs }: Contract, gate: GateName): string | undefined {
  if (gate === 'nonfinite' && !Object.values(inputs).some(plantable)) return 'no input holds NaN or Inf';
  return gate === 'sums' && accumulator === 'none' ? 'nothing is summed' : undefined;
}
