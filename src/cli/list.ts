/** `--list`: the address of every case and of every control that a run with the same flags would take. */
import { controlAddress } from '../spec/address.ts';
import type { Plan } from './plan.ts';

/** One line a case, then one a control with its fault, registration by registration; the same on every device. */
export function listLines({ registrations }: Plan): string[] {
  const lines = registrations.flatMap(({ kernel, dialect, cases, controls }) => [
    ...cases,
    ...controls.map(({ id, fault, reddens }) => `${controlAddress(kernel.name, dialect, id)}  ${reddens}: ${fault}`),
  ]);
  return [...new Set(lines)];
}
