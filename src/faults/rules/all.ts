/** Every fault rule, in the order of the table. */
import type { FaultRule } from '../rule.ts';
import { BOUNDS } from './bounds.ts';
import { INDICES } from './indices.ts';
import { LAUNCH } from './launch.ts';
import { MEMORY } from './memory.ts';
import { NUMBERS } from './numbers.ts';
import { ORDER } from './order.ts';

export const FAULT_RULES: readonly FaultRule[] = [...BOUNDS, ...INDICES, ...ORDER, ...NUMBERS, ...MEMORY, ...LAUNCH];
