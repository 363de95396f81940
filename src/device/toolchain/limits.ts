/** The table of libraries as macros of the dialect headers, `TF_LIMIT_expf=id,steps,slope,error,from,to`. */

import type { Dialect } from '../../families/formula/functions.ts';
import { LIBRARIES } from '../../families/libraries/library.ts';
import { stepsOf } from '../../families/libraries/limit.ts';

/** A macro's name for a function: `precise::exp` is precise_exp, `/` is div. */
const macroName = (name: string): string => `TF_LIMIT_${name === '/' ? 'div' : name.replace('::', '_')}`;

/** One macro a function; its id is its place in the table. */
export function limitMacros(dialect: Dialect): string[] {
  const { functions, against } = LIBRARIES[dialect];
  return functions.map(({ name, limit }, id) => {
    const { error = 0, from: least = 0, to: most = 0 } = limit.absolute ?? {};
    return `${macroName(name)}=${[id, stepsOf(limit, against), limit.slope ?? 0, error, least, most].join(',')}`;
  });
}
