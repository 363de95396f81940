/**
 * The class of a value: finite, NaN or an infinity. It is read from integer bits alone, never by comparing floats, so
 * that neither a compiler's assumptions nor a NaN's payload can change the answer.
 */

import { highWord, lowWord } from './bits.ts';
import { codesOf } from './codec.ts';
import { formatOf, isFloat } from './dtype.ts';
import type { DType } from './dtype.ts';
import { magnitudeMask } from './scalar.ts';

export type Class = 'finite' | 'nan' | '+inf' | '-inf';

/** In the order of the numbers that classesOf gives. */
export const CLASS_NAMES: readonly Class[] = ['finite', 'nan', '+inf', '-inf'];

const FINITE = 0;
const NAN = 1;
const PLUS_INFINITY = 2;
const MINUS_INFINITY = 3;

/** The class of one code of `type`; bits above the type's own are ignored. Integer types are finite throughout. */
export function classOfCode(type: DType, bits: number): Class {
  return CLASS_NAMES[classify(limitsOf(type), bits)]!;
}

/** The classes of the first `count` elements in `bytes`, as indices of CLASS_NAMES. */
export function classesOf(type: DType, bytes: Uint8Array, count: number): Uint8Array {
  const codes = codesOf(type, bytes, count);
  const limits = limitsOf(type);
  const classes = new Uint8Array(count);
  for (let i = 0; i < count; i++) {
    const code = codes[i]!;
    if ((code & limits.mask) > limits.maxCode) classes[i] = classify(limits, code);
  }
  return classes;
}

/** The class of a float64, such as a reference value. */
export function classOf(value: number): Class {
  const high = highWord(value);
  if ((high & 0x7ff00000) !== 0x7ff00000) return 'finite';
  if ((high & 0xfffff) !== 0 || lowWord(value) !== 0) return 'nan';
  return high >>> 31 === 0 ? '+inf' : '-inf';
}

/** What tells the classes of a type apart. `infCode` is past every code where the type has no infinity. */
interface Limits {
  readonly mask: number;
  readonly maxCode: number;
  readonly infCode: number;
}

function limitsOf(type: DType): Limits {
  if (!isFloat(type)) return { mask: 0, maxCode: 0, infCode: 0 };
  const format = formatOf(type);
  const mask = magnitudeMask(format);
  return { mask, maxCode: format.maxCode, infCode: format.hasInf ? format.maxCode + 1 : mask + 1 };
}

function classify(limits: Limits, code: number): number {
  const magnitude = code & limits.mask;
  if (magnitude <= limits.maxCode) return FINITE;
  if (magnitude !== limits.infCode) return NAN;
  return (code & (limits.mask + 1)) === 0 ? PLUS_INFINITY : MINUS_INFINITY;
}
