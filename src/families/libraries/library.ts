/** Every dialect's functions by name, and what a formula's maps come to by them. */
import type { Dialect, MapName } from '../formula/functions.ts';
import { EXACT_MAPS } from '../formula/functions.ts';
import { CUDA } from './cuda.ts';
import { HIP } from './hip.ts';
import type { Library, LibraryFunction, Limit } from './limit.ts';
import { errorOf } from './limit.ts';
import { METAL } from './metal.ts';
import { XPU } from './xpu.ts';

export const LIBRARIES: Readonly<Record<Dialect, Library>> = { cuda: CUDA, hip: HIP, metal: METAL, xpu: XPU };

/** The functions that compute a map, by the names of a dialect; their errors add up. Where none is stated, the standard one. */
export type Ops = Partial<Readonly<Record<MapName, string | readonly string[]>>>;

/** The standard functions, where a dialect names them alike. */
const STANDARD: Readonly<Record<Dialect, (map: string) => string>> = {
  cuda: (map) => `${map}f`,
  hip: (map) => `${map}f`,
  metal: (map) => `precise::${map}`,
  xpu: (map) => map,
};
const DIVISIONS: readonly MapName[] = ['div', 'rcp'];
const FUNCTIONS: readonly MapName[] = ['sqrt', 'rsqrt', 'exp', 'log', 'tanh'];

const byName = new Map(
  Object.entries(LIBRARIES).map(([dialect, { functions }]) => [
    dialect,
    new Map(functions.map((one) => [one.name, one] as const)),
  ]),
);

/** A dialect's function; undefined where no limit of it is known. */
export const functionOf = (dialect: Dialect, name: string): LibraryFunction | undefined =>
  byName.get(dialect)?.get(name);

/** The names of the functions that compute a map, as stated or standard; none for maps that need no function. */
export function namesOf(map: MapName, dialect: Dialect, ops: Ops): readonly string[] {
  const stated = ops[map];
  if (stated !== undefined) return [stated].flat();
  if (DIVISIONS.includes(map)) return ['/'];
  return FUNCTIONS.includes(map) ? [STANDARD[dialect](map)] : [];
}

/** The largest error of a map in fp32, over the exact result. */
export function limitOf(map: MapName, dialect: Dialect, ops: Ops = {}): Limit {
  if (EXACT_MAPS.has(map)) return { ulps: 0 };
  if (map === 'sigmoid' && ops.sigmoid === undefined) return sigmoidLimit(dialect, ops);
  const errors = namesOf(map, dialect, ops).map((name) => errorFor(dialect, name));
  return errors.length === 0 ? { ulps: 0.5 } : sumOf(errors);
}

function errorFor(dialect: Dialect, name: string): Limit {
  const known = functionOf(dialect, name);
  if (!known) throw new Error(`${dialect} has no function ${name} whose error is known`);
  return errorOf(known, LIBRARIES[dialect].against);
}

/** Relative errors of steps one after the other add up. */
function sumOf(errors: readonly Limit[]): Limit {
  const [first = { ulps: 0.5 }, ...rest] = errors;
  return rest.reduce<Limit>(
    (sum, { ulps, slope = 0, absolute }) => ({
      ulps: sum.ulps + ulps,
      ...((sum.slope ?? 0) + slope > 0 && { slope: (sum.slope ?? 0) + slope }),
      ...((sum.absolute ?? absolute) && { absolute: sum.absolute ?? absolute }),
    }),
    first,
  );
}

/**
 * `sigmoid` is no library function: it is 1 / (1 + exp(-x)), or exp(x) / (1 + exp(x)). The errors of the exponential, of the
 * addition and of the division add up, each relative; the last half covers their products.
 */
const sigmoidLimit = (dialect: Dialect, ops: Ops): Limit =>
  sumOf([limitOf('exp', dialect, ops), { ulps: 0.5 }, limitOf('div', dialect, ops), { ulps: 0.5 }]);
