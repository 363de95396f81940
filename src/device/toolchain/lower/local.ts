/** Local memory of the C++ dialects, as the macros of the dialect headers: references into the group's arena. */

import type { LocalDeclaration, LocalVariable } from './declaration.ts';
import { fail, lineOf, type Unit } from './unit.ts';

/** The macros that declare every variable of a declaration; `line` is the one that messages name. */
export function localMacros(unit: Unit, { first, variables }: LocalDeclaration): string {
  const line = lineOf(unit, first);
  return variables
    .map((variable) => {
      if (isDynamic(variable)) return dynamicMacro(unit, first, variable);
      const { type, name, dims, alignment } = variable;
      return `TF_LOCAL((${type}), ${name}, (${dims}), (${alignment || '0'}), ${line});`;
    })
    .join(' ');
}

/** Whether a variable has no size of its own, so that the launch gives it. */
export function isDynamic({ dims }: LocalVariable): boolean {
  return /^\[\s*\]/.test(dims);
}

/** The macro that points a variable at the dynamic part of local memory. */
export function dynamicMacro(unit: Unit, i: number, { type, name, dims }: LocalVariable): string {
  if (!/^\[\s*\]$/.test(dims)) {
    fail(unit, i, `dynamic local memory '${name}' has more than one dimension`, 'Declare one and compute the index.');
  }
  return `TF_LOCAL_DYNAMIC((${type}), ${name}, ${lineOf(unit, i)});`;
}
