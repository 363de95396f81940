/**
 * Metal after the preprocessor, made C++ for the host device: kernels and their attributes become a table, address
 * spaces go, threadgroup variables move to the group's arena, literals and vector constructors are spelt as C++ reads
 * them. Lines keep their numbers.
 */

import { attributesIn, startsAttributes } from './metal/attributes.ts';
import { type Defines, takeConstants } from './metal/constants.ts';
import { takeKernels } from './metal/kernels.ts';
import { eraseSpaces, takeThreadgroupVariables } from './metal/spaces.ts';
import { dropTwins } from './metal/twins.ts';
import { lowerConstructors, lowerLiterals } from './metal/values.ts';
import { kernelTable, type Lowered } from './table.ts';
import { openUnit, pairOf, removeSpan, type Span, type Unit, without } from './unit.ts';

export interface MetalOptions {
  /** The folder of the dialect headers, whose text is final. */
  readonly headers?: string;
  /** Values of function constants: `TF_FUNCTION_CONSTANT_3`. */
  readonly defines?: Defines;
}

/** Lowers preprocessed Metal text. */
export function lowerMetal(text: string, { headers = '', defines = {} }: MetalOptions = {}): Lowered {
  const unit = openUnit(text, headers);
  const { entries, rest } = takeKernels(dropTwins(unit));
  const body = takeAttributes(takeThreadgroupVariables(takeConstants(rest, defines)));
  eraseSpaces(body);
  lowerConstructors(body);
  lowerLiterals(body);
  return {
    text: unit.edits.apply() + kernelTable('TF_METAL_KERNEL', entries),
    symbols: entries.map(({ symbol }) => symbol),
  };
}

/** Takes out the attributes that are left: hints to Metal's compiler, and the ids of argument buffers. */
function takeAttributes(unit: Unit): Unit {
  const taken: Span[] = [];
  for (let i = 0; i < unit.tokens.length; i++) {
    if (!startsAttributes(unit, i) || attributesIn(unit, { first: i, last: pairOf(unit, i) }).length === 0) continue;
    taken.push({ first: i, last: pairOf(unit, i) });
    i = pairOf(unit, i);
  }
  for (const span of taken) removeSpan(unit, span);
  return without(unit, taken);
}
