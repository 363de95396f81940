/** A contract's launches at the shapes that reach them: what a launch computes is a size at every served shape and edge. */
import type { Dialect } from '../families/formula/functions.ts';
import { DIALECTS } from '../families/formula/functions.ts';
import type { Shape } from '../families/tensor.ts';
import { shapeText } from '../families/tensor.ts';
import type { Contract, Launch } from './contract.ts';
import { launchesOf, routeOf } from './registration.ts';
import { WARPS, launchShape, routeAt, warpsOf } from './warps.ts';
import { gateShapes, servedShapes } from './shapes.ts';
import { messageOf } from './message-of.ts';

export function checkLaunches(contract: Contract): string[] {
  const served = servedShapes(contract);
  // The edge shapes are found through the routes of the served ones, so every `when` is tried at those first.
  const early = checkWhens(contract, served);
  if (early.length > 0) return early;
  const shapes = [...served, ...gateShapes(contract)];
  const late = checkWhens(contract, shapes);
  if (late.length > 0) return late;
  return DIALECTS.flatMap((dialect) => checkRoutes(contract, dialect, served, shapes));
}

/** What a launch gives at a shape, and what it must be. */
interface Measure {
  readonly name: string;
  readonly read: (shape: Shape) => unknown;
  readonly accepts: (value: unknown) => boolean;
  readonly must: string;
}

function checkWhens(contract: Contract, shapes: readonly Shape[]): string[] {
  return DIALECTS.flatMap((dialect) =>
    launchesOf(contract, dialect).flatMap((launch) => {
      const read = (shape: Shape): unknown => launch.when?.(shape);
      return firstProblem(placeOf(dialect, launch), { name: 'when', read, accepts: () => true, must: '' }, shapes);
    }),
  );
}

function checkRoutes(
  contract: Contract,
  dialect: Dialect,
  served: readonly Shape[],
  shapes: readonly Shape[],
): string[] {
  const launches = launchesOf(contract, dialect);
  if (launches.length === 0) return [];
  const lost = shapes.find((shape) => routeOf(contract, dialect, shape) === undefined);
  const kind = lost && served.includes(lost) ? 'served' : 'edge';
  const problems = lost ? [`no ${dialect} launch takes the ${kind} shape ${shapeText(lost)}`] : [];
  for (const launch of launches) {
    const place = placeOf(dialect, launch);
    problems.push(...checkWarps(place, dialect, launch));
    const warps = warpsOf(dialect, launch);
    const isMine = (shape: Shape): boolean => warps.some((warp) => routeAt(contract, dialect, shape, warp) === launch);
    const mine = shapes.filter(isMine);
    const reached = mine.find((shape) => served.includes(shape));
    if (reached) {
      const found = warps.flatMap((warp) => checkLaunch(contract, place, launch, warp, reached, mine));
      problems.push(...new Set(found));
    } else problems.push(`no served shape reaches ${place}: serve one, or drop the launch`);
  }
  return problems;
}

const placeOf = (dialect: Dialect, { symbol }: Launch): string => `the ${dialect} launch of ${symbol}`;

function checkLaunch(
  { accumulator }: Contract,
  place: string,
  launch: Launch,
  warp: number,
  reached: Shape,
  shapes: readonly Shape[],
): string[] {
  const depth = (shape: Shape): unknown => launch.depth(launchShape(shape, warp));
  const grid = (shape: Shape): unknown => launch.grid(launchShape(shape, warp));
  const localBytes = (shape: Shape): unknown => launch.localBytes?.(launchShape(shape, warp));
  const depths = firstProblem(place, { name: 'depth', read: depth, ...DEPTH }, shapes);
  return [
    ...checkThreads(place, [launch.threads].flat()),
    ...firstProblem(place, { name: 'grid', read: grid, ...GRID }, shapes),
    ...(launch.localBytes ? firstProblem(place, { name: 'localBytes', read: localBytes, ...BYTES }, shapes) : []),
    ...(depths.length === 0 && accumulator === 'f32'
      ? firstProblem(place, { name: 'depth', read: depth, ...SUM_DEPTH }, [reached])
      : depths),
  ];
}

function checkWarps(place: string, dialect: Dialect, { warp }: Launch): string[] {
  const known = WARPS[dialect];
  if (warp?.[dialect] === undefined) return [];
  const stated = [warp[dialect]].flat();
  if (stated.length === 0) return [`${place} states no warp: name its lanes, or leave \`warp\` out`];
  const other = stated.find((width) => !known.includes(width));
  if (other === undefined) return [];
  return [`${place} states warps of ${other} lanes; those of ${dialect}'s served chips have ${known.join(', ')}`];
}

function checkThreads(place: string, threads: readonly number[]): string[] {
  const count = threads.reduce((a, b) => a * b, 1);
  if (threads.length < 1 || threads.length > 3)
    return [`${place} has threads ${valueText(threads)}: a group is x, or 1 to 3 sizes`];
  return count > 1024 ? [`${place} has ${count} threads a group; no device takes more than 1,024`] : [];
}

const isWhole = (value: unknown, least: number, most: number): boolean =>
  Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most;

/** The most groups in x, y and z that any driver takes. */
const MOST_GROUPS = [2 ** 31 - 1, 65_535, 65_535] as const;
/** No groups are no mistake of form: the launch is then a fault at its gate, and red on its own kernel alone. */
const GRID = {
  accepts: (value: unknown) =>
    Array.isArray(value) && value.length > 0 && value.every((size, i) => isWhole(size, 0, MOST_GROUPS[i] ?? -1)),
  must: 'a grid is 1 to 3 whole numbers of groups, x at most 2,147,483,647, y and z at most 65,535',
};
const BYTES = {
  accepts: (value: unknown) => isWhole(value, 0, Number.MAX_SAFE_INTEGER),
  must: 'dynamic local memory is a whole number of bytes, 0 or more',
};
const DEPTH = {
  accepts: (value: unknown) => typeof value === 'number' && value >= 0 && value < 2 ** 24,
  must: 'a depth is a number of roundings, 0 or more and below 16,777,216, where fp32 bounds nothing',
};

const SUM_DEPTH = { accepts: (value: unknown) => Number(value) >= 1, must: 'a sum has at least one rounding' };

/** What is wrong at the first shape that shows it: a formula that is wrong at one shape is mostly wrong at many. */
function firstProblem(place: string, { name, read, accepts, must }: Measure, shapes: readonly Shape[]): string[] {
  for (const shape of shapes) {
    try {
      const value = read(shape);
      if (!accepts(value)) return [`${place} has ${name} ${valueText(value)} at ${shapeText(shape)}: ${must}`];
    } catch (error) {
      const why = messageOf(error);
      return [`${place}: its ${name} throws at ${shapeText(shape)}: ${why}`];
    }
  }
  return [];
}

const valueText = (value: unknown): string =>
  Array.isArray(value) ? `[${value.map(String).join(', ')}]` : String(value);
