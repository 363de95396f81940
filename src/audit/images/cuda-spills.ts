/** Spill bytes of a CUDA kernel, from the instructions that its annotations name. */
import type { Reader } from './bytes.ts';
import { ImageFault, u32 } from './bytes.ts';
import type { Attribute } from './cuda-attributes.ts';
import { wordOf } from './cuda-attributes.ts';

export interface Spills {
  readonly stores: number;
  readonly loads: number;
}

/** Offsets of a function within a section of code. */
export interface CodeRange {
  readonly from: number;
  readonly to: number;
}

export const NO_SPILLS: Spills = { stores: 0, loads: 0 };

/**
 * Bytes that the annotated spill instructions of `code` store and load a thread, without those of the functions it calls,
 * as ptxas counts them. An annotation's length has 16 bits,
 * so a list past 8,191 entries is cut; where `code` holds that many more local stores and loads than the list, all
 * of them are counted: an upper figure.
 */
export function spillsOf(
  code: Reader,
  stream: Reader,
  annotations: Attribute,
  callees: readonly CodeRange[] = [],
): Spills {
  const listed = annotations.value / ENTRY_BYTES;
  const total = { stores: 0, loads: 0 };
  for (let entry = 0; entry + 1 <= listed; entry++) {
    if (wordOf(stream, annotations, 2 * entry) !== SPILL) continue;
    const at = wordOf(stream, annotations, 2 * entry + 1);
    if (!isWithin(callees, at)) count(code, at, total);
  }
  if (code.bytes.length < CUT_ENTRIES * INSTRUCTION_BYTES) return total;
  const every = everyLocalAccess(code);
  return every.count >= listed + CUT_ENTRIES ? every : total;
}

// --- details ---

const SPILL = 1;
const ENTRY_BYTES = 8;
const CUT_ENTRIES = 0x10000 / ENTRY_BYTES;
const INSTRUCTION_BYTES = 16;
const STORE_LOCAL = 0x387;
const LOAD_LOCAL = 0x983;
/** Bytes by the size code of an instruction's bits 73 to 75. */
const SIZE_OF_CODE = [1, 1, 2, 2, 4, 8, 16];

/** Whether one of the ranges, which are in order, holds an offset. */
function isWithin(ranges: readonly CodeRange[], at: number): boolean {
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranges[middle]?.from ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return at < (ranges[low - 1]?.to ?? 0);
}

/** Adds the instruction at `at` to `total`; whether it is a local store or load. */
function count(code: Reader, at: number, total: { stores: number; loads: number }): boolean {
  const opcode = u32(code, at) & 0xfff;
  if (opcode !== STORE_LOCAL && opcode !== LOAD_LOCAL) return false;
  const bytes = SIZE_OF_CODE[(u32(code, at + 8) >> 9) & 7];
  if (bytes === undefined) throw new ImageFault('newer-than-known', 'a local access of an unknown size');
  if (opcode === STORE_LOCAL) total.stores += bytes;
  else total.loads += bytes;
  return true;
}

function everyLocalAccess(code: Reader): Spills & { readonly count: number } {
  const total = { stores: 0, loads: 0, count: 0 };
  for (let at = 0; at + INSTRUCTION_BYTES <= code.bytes.length; at += INSTRUCTION_BYTES) {
    if (count(code, at, total)) total.count++;
  }
  return total;
}
