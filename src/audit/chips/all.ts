/** Every chip of every dialect. */
import type { Dialect } from '../../families/formula/functions.ts';
import type { Chip } from './chip.ts';
import { CUDA_CHIPS } from './cuda.ts';
import { HIP_CHIPS } from './hip.ts';
import { METAL_CHIPS } from './metal.ts';
import { XPU_CHIPS } from './xpu.ts';

export const CHIPS: readonly Chip[] = [...CUDA_CHIPS, ...HIP_CHIPS, ...METAL_CHIPS, ...XPU_CHIPS];

/** The chips that every launch is held against. */
export const SERVED_CHIPS: readonly Chip[] = CHIPS.filter((chip) => chip.served);

/** The row of a chip as an image names it: `sm_90a` and `sm_100f` are their number's rows. */
export function chipNamed(dialect: Dialect, name: string): Chip | undefined {
  const named = (plain: string): Chip | undefined =>
    CHIPS.find((chip) => chip.name === plain && chip.dialect === dialect);
  return named(name) ?? (dialect === 'cuda' ? named(name.replace(/[af]$/, '')) : undefined);
}
