/** What launches state in `ops`: names that the dialect has, of functions whose error is known, for maps of the formula. */
import type { Dialect, MapName } from '../families/formula/functions.ts';
import { DIALECTS } from '../families/formula/functions.ts';
import { LIBRARIES, functionOf } from '../families/libraries/library.ts';
import type { Problem } from '../families/problem.ts';
import type { Contract } from './contract.ts';
import { nearest } from './nearest.ts';
import { launchesOf } from './registration.ts';

export function checkOps(contract: Contract, problem: Problem | undefined): string[] {
  const maps = new Set(problem?.graph.nodes.flatMap((node) => (node.kind === 'map' ? [node.op] : [])));
  // A mean divides, and a sigmoid takes an exponential and divides.
  if (problem?.graph.nodes.some((node) => node.kind === 'reduce' && node.op === 'mean')) maps.add('div');
  if (maps.has('sigmoid')) maps.add('exp').add('div');
  return DIALECTS.flatMap((dialect) =>
    launchesOf(contract, dialect).flatMap(({ symbol, ops = {} }) => {
      const place = `the ${dialect} launch of ${symbol}`;
      return Object.entries(ops).flatMap(([map, names]) => [
        ...(maps.has(map as MapName) ? [] : [`${place} states ops for ${map}, which the formula does not have`]),
        ...[names].flat().flatMap((name) => checkName(place, dialect, map, name)),
      ]);
    }),
  );
}

function checkName(place: string, dialect: Dialect, map: string, name: string): string[] {
  if (functionOf(dialect, name)) return [];
  const known = LIBRARIES[dialect].functions.map((one) => one.name);
  const close = nearest(name, known);
  const meant = close === undefined ? '' : `, did you mean '${close}'?`;
  return [`${place} takes ${map} by '${name}', which is no ${dialect} function whose error is known${meant}`];
}
