/** Which gates have anything to prove of a kernel. */
import { plantable } from '../families/fills/plants.ts';
import type { Contract, GateName } from '../spec/contract.ts';

/** Whether a kernel has anything for a gate to prove. */
export function gateApplies({ accumulator, inputs }: Contract, gate: GateName): boolean {
  if (gate === 'nonfinite') return Object.values(inputs).some(plantable);
  return gate !== 'sums' || accumulator === 'f32';
}
