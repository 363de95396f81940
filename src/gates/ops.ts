/**
 * The functions that a kernel calls against those whose errors its bound counts: the maps of the formula, each by the standard
 * function of the dialect or by what the launch states in `ops`.
 */
import type { Dialect, MapName } from '../families/formula/functions.ts';
import type { LibraryFunction, Limit } from '../families/libraries/limit.ts';
import { errorOf } from '../families/libraries/limit.ts';
import { LIBRARIES, functionOf, limitOf, namesOf } from '../families/libraries/library.ts';
import type { Problem } from '../families/problem.ts';
import type { Contract, Launch } from '../spec/contract.ts';
import { launchesOf } from '../spec/registration.ts';
import type { Finding } from './finding.ts';
import { findingOf } from './finding.ts';
import type { Subject } from './subject.ts';

/** One finding for each function that was called and that no map of the formula accounts for. */
export function opsFindings(
  { dialect, problem, kernel }: Pick<Subject, 'dialect' | 'problem' | 'kernel'>,
  launch: Launch,
  called: readonly string[],
): Finding[] {
  const maps = problem ? mapsOf(problem) : [];
  return called.flatMap((name) => {
    const known = functionOf(dialect, name);
    if (known && isCounted(known, maps, dialect, launch)) return [];
    const computes = known?.map === undefined ? '' : `, which computes ${known.map}`;
    const formula = kernel.contract.formula.text;
    const what = `the kernel calls ${name}${computes}, off by up to ${known ? limitText(known, dialect) : 'an unknown error'}, and its bound counts no such error`;
    return [
      findingOf({ code: 'ops', of: name }, what, {
        why: `The formula is '${formula}', and its maps are taken by ${countedText(maps, dialect, launch)}. State in the launch what computes a map, ops: { ${known?.map ?? 'exp'}: '${name}' }, or call what is stated.`,
      }),
    ];
  });
}

/** What `ops` states and no case called, in words. */
export function unusedOps(contract: Contract, dialect: Dialect, called: ReadonlySet<string>): string | undefined {
  const stated = launchesOf(contract, dialect).flatMap(({ symbol, ops = {} }) =>
    Object.entries(ops).flatMap(([map, names]) => [names].flat().map((name) => ({ symbol, map, name }))),
  );
  // Division is an operator, whose uses are noted in OpenCL C alone.
  const unused = stated.filter(({ name }) => name !== '/' && !called.has(name));
  if (unused.length === 0) return undefined;
  const list = unused.map(({ symbol, map, name }) => `${map} by ${name} in the launch of ${symbol}`).join(', ');
  return `ops states ${list}, which no case called: the bound counts an error that is not there; drop the entry`;
}

/** The maps of a formula, with those that a mean and a sigmoid are made of. */
function mapsOf({ graph }: Problem): MapName[] {
  const maps = graph.nodes.flatMap((node): MapName[] => {
    if (node.kind === 'reduce') return node.op === 'mean' ? ['div'] : [];
    if (node.kind !== 'map') return [];
    return node.op === 'sigmoid' ? ['sigmoid', 'exp', 'div'] : [node.op];
  });
  return [...new Set(maps)];
}

/** Named for a map, or as good as what computes that map. */
function isCounted(known: LibraryFunction, maps: readonly MapName[], dialect: Dialect, { ops = {} }: Launch): boolean {
  if (maps.some((map) => namesOf(map, dialect, ops).includes(known.name))) return true;
  const error = errorOf(known, LIBRARIES[dialect].against);
  return maps.some((map) => map === known.map && covers(limitOf(map, dialect, ops), error));
}

function covers(wide: Limit, narrow: Limit): boolean {
  const { slope = 0, absolute } = narrow;
  const within = !absolute || absolute.error <= (wide.absolute?.error ?? 0);
  return narrow.ulps <= wide.ulps && slope <= (wide.slope ?? 0) && within;
}

function limitText({ limit: { ulps, slope, absolute } }: LibraryFunction, dialect: Dialect): string {
  const than = LIBRARIES[dialect].against === 'exact' ? 'the exact result' : 'the correctly rounded result';
  const more = slope === undefined ? '' : ` and floor(${slope} |x|) more`;
  const inside = absolute ? `, ${absolute.error.toPrecision(3)} in [${absolute.from}, ${absolute.to}]` : '';
  return `${ulps} ulps${more}${inside} from ${than}`;
}

function countedText(maps: readonly MapName[], dialect: Dialect, { ops = {} }: Launch): string {
  const named = maps.flatMap((map) => namesOf(map, dialect, ops));
  return named.length > 0 ? [...new Set(named)].join(', ') : 'no library function';
}
