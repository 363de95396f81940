/** Which shapes a contract owes: every served one, then each dimension at its edges, then all at once, on every route. */
import type { Random } from '../numerics/random.ts';
import { random } from '../numerics/random.ts';
import type { Shape } from '../families/tensor.ts';
import { shapeText, sizeOf } from '../families/tensor.ts';
import type { Contract, Dim } from './contract.ts';
import { launchesOf, routeOf } from './registration.ts';
import { DIALECTS } from '../families/formula/functions.ts';

/** Every served shape, in the order of the contract; an array in an entry stands for each of its sizes. */
export function servedShapes(contract: Contract): Shape[] {
  return unique(contract.served.flatMap((entry) => product(Object.keys(contract.dims), entry)));
}

function product(dims: readonly string[], entry: Readonly<Record<string, number | readonly number[]>>): Shape[] {
  return dims.reduce<Shape[]>(
    (shapes, dim) => {
      const sizes = entry[dim] ?? [];
      const list = typeof sizes === 'number' ? [sizes] : sizes;
      return shapes.flatMap((shape) => list.map((size) => ({ ...shape, [dim]: size })));
    },
    [{}],
  );
}

function unique(shapes: readonly Shape[]): Shape[] {
  return [...new Map(shapes.map((shape) => [shapeText(shape), shape])).values()];
}

/** Elements of the widest vector whose tail kernels write one by one. */
const VECTOR = 4;

/**
 * Least, a tile minus a step, a tile, a tile plus a step, and the largest served size of a dimension. One that goes element by
 * element also at two past a tile: tails of a vector of four are then of every length.
 */
export function edgeSizes(dim: Dim, served: readonly number[]): number[] {
  const step = dim.step ?? 1;
  const least = dim.least ?? step;
  const largest = Math.max(...served);
  const tile = dim.tile;
  const pair = step === 1 && tile !== undefined && tile >= VECTOR ? [tile + 2] : [];
  const sizes = tile === undefined ? [least, largest] : [least, tile - step, tile, tile + step, ...pair, largest];
  return [...new Set(sizes)].filter((size) => size >= least && size <= largest).sort((a, b) => a - b);
}

interface ServedRoute {
  /** Whether the same launch of the same dialect takes a shape. */
  readonly takes: (shape: Shape) => boolean;
}

/** Every launch of every dialect. */
function routes(contract: Contract): ServedRoute[] {
  return DIALECTS.flatMap((dialect) =>
    launchesOf(contract, dialect).map((launch) => ({ takes: (shape) => routeOf(contract, dialect, shape) === launch })),
  );
}

function onEachRoute(contract: Contract, shapes: readonly Shape[]): Shape[] {
  const found = routes(contract).map((route) => shapes.find((shape) => route.takes(shape)));
  return unique(found.filter((shape) => shape !== undefined));
}

/** The least served shape of each route that any dialect has. */
export function routeBases(contract: Contract): Shape[] {
  return onEachRoute(
    contract,
    servedShapes(contract).toSorted((a, b) => volume(a) - volume(b)),
  );
}

/** The largest served shape of each route. */
export function routeTops(contract: Contract): Shape[] {
  return onEachRoute(
    contract,
    servedShapes(contract).toSorted((a, b) => volume(b) - volume(a)),
  );
}

/** The served shape with the longest rows of each route, and the most of them: where bounds are widest. */
export function longestShapes(contract: Contract, over: string): Shape[] {
  const longest = servedShapes(contract).toSorted((a, b) => sizeOf(b, over) - sizeOf(a, over) || volume(b) - volume(a));
  return onEachRoute(contract, longest);
}

/** Whether two shapes take the same launch in every dialect. */
export function sameRoutes(contract: Contract, a: Shape, b: Shape): boolean {
  return routes(contract).every((route) => route.takes(a) === route.takes(b));
}

function largestServed(contract: Contract, dim: string): number {
  return Math.max(...servedShapes(contract).map((shape) => sizeOf(shape, dim)));
}

/** Each dimension at its edges, the others at a route's least served shape. */
export function edgeShapes(contract: Contract): Shape[] {
  const served = servedShapes(contract);
  const shapes = routeBases(contract).flatMap((base) =>
    Object.entries(contract.dims).flatMap(([name, dim]) => {
      if (dim.tile === undefined && dim.least === undefined) return [];
      const sizes = edgeSizes(
        dim,
        served.map((shape) => sizeOf(shape, name)),
      );
      return sizes.map((size) => ({ ...base, [name]: size }));
    }),
  );
  return unique(shapes);
}

/** All shapes of gate 3, small ones first: a control goes red at the first that shows it. A seed adds its own. */
export function gateShapes(contract: Contract, seed?: string): Shape[] {
  const drawn = seed === undefined ? [] : drawnShapes(contract, seed);
  const shapes = [...edgeShapes(contract), ...tailShapes(contract), ...drawn, ...servedShapes(contract)];
  return unique(shapes).toSorted((a, b) => volume(a) - volume(b));
}

/** Tiles that a drawn size spans at most: past them, a size only repeats what fewer tiles show. */
const DRAWN_TILES = 3;
/** Steps above its least that a drawn size of a dimension without tiles lies at most. */
const DRAWN_STEPS = 15;
/** Draws for a shape that its route takes. */
const DRAWS = 8;

/** Sizes between the edges: for each route a shape below its tiles and one above them, every cut dimension drawn. */
function drawnShapes(contract: Contract, seed: string): Shape[] {
  const shapes = routeBases(contract).flatMap((base) =>
    [false, true].map((above) => {
      const source = random(`${seed}:${contract.name}:${shapeText(base)}:${above}`);
      const drawn = Array.from({ length: DRAWS }, () => drawnShape(contract, base, above, source));
      return drawn.find((shape) => sameRoutes(contract, base, shape));
    }),
  );
  return unique(shapes.filter((shape) => shape !== undefined));
}

function drawnShape(contract: Contract, base: Shape, above: boolean, source: Random): Shape {
  const sizes = Object.entries(contract.dims).map(([name, dim]) => {
    if (dim.tile === undefined && dim.least === undefined) return [name, sizeOf(base, name)] as const;
    const step = dim.step ?? 1;
    const least = dim.least ?? step;
    const { tile } = dim;
    const wanted = tile === undefined ? least + DRAWN_STEPS * step : DRAWN_TILES * tile;
    const most = Math.max(least, Math.min(largestServed(contract, name), wanted));
    const middle = Math.min(Math.max(least, tile ?? least), most);
    const [from, to] = tile === undefined ? [least, most] : above ? [middle, most] : [least, middle];
    return [name, from + step * source.int(0, Math.floor((to - from) / step))] as const;
  });
  return Object.fromEntries(sizes);
}

/** A partial tail for each route: every tiled dimension at a tile plus a step, where the envelope and the route hold it. */
export function tailShapes(contract: Contract): Shape[] {
  const tailed = routeBases(contract).map((base) =>
    Object.entries(contract.dims).reduce((shape, [name, dim]) => {
      const size = (dim.tile ?? 0) + (dim.step ?? 1);
      if (dim.tile === undefined || size > largestServed(contract, name)) return shape;
      const tail = { ...shape, [name]: size };
      return sameRoutes(contract, base, tail) ? tail : shape;
    }, base),
  );
  return unique(tailed);
}

/** A shape with one dimension at `wanted`, or at the largest served size below it that keeps the route. */
export function stretch(contract: Contract, shape: Shape, dim: string, wanted: number): Shape {
  const sizes = [wanted, ...servedShapes(contract).map((served) => sizeOf(served, dim))].filter(
    (size) => size <= Math.min(wanted, largestServed(contract, dim)) && size > sizeOf(shape, dim),
  );
  for (const size of sizes.toSorted((a, b) => b - a)) {
    const stretched = { ...shape, [dim]: size };
    if (sameRoutes(contract, shape, stretched)) return stretched;
  }
  return shape;
}

/** The size of the other dimensions of a sum under test: more than the rows of any group. */
const MANY = 40;

/** For each route, the longest served sums over as many outputs as the route takes, up to `MANY` a dimension. */
export function sumShapes(contract: Contract, over: string): Shape[] {
  const longest = servedShapes(contract).toSorted((a, b) => sizeOf(b, over) - sizeOf(a, over) || volume(a) - volume(b));
  const shapes = onEachRoute(contract, longest).map((top) =>
    Object.keys(contract.dims).reduce((shape, name) => (name === over ? shape : sized(contract, shape, name)), top),
  );
  return unique(shapes);
}

/** A shape with a dimension at `wanted`, or near it where its envelope or its route holds it back. */
function sized(contract: Contract, shape: Shape, name: string, wanted = MANY): Shape {
  const { step = 1, least = step } = contract.dims[name] ?? {};
  const many = least + Math.max(0, Math.ceil((wanted - least) / step)) * step;
  const served = servedShapes(contract).map((other) => sizeOf(other, name));
  const sizes = [Math.min(many, largestServed(contract, name)), ...served.toSorted((a, b) => b - a)];
  const fits = sizes
    .filter((size) => size <= many)
    .map((size) => ({ ...shape, [name]: size }))
    .find((candidate) => sameRoutes(contract, candidate, shape));
  return fits ?? leastServed(contract, shape, name);
}

/** The least served size of a dimension that keeps the route. */
function leastServed(contract: Contract, shape: Shape, name: string): Shape {
  const sizes = servedShapes(contract).map((other) => sizeOf(other, name));
  const candidates = sizes.toSorted((a, b) => a - b).map((size) => ({ ...shape, [name]: size }));
  return candidates.find((candidate) => sameRoutes(contract, candidate, shape)) ?? shape;
}

/** Questions of a launch that are worth more rows. */
const ASKED = 128;

/**
 * For each route, where the order of its sums is asked for: the shortest sum that ends in a partial tile, and the rows or columns
 * that each answer a question, as many as the route and the envelope allow. A projection asks its columns, or, where both
 * operands of a term are planted, as many columns as it has rows.
 */
export function chainShapes(contract: Contract, over: string): Shape[] {
  const { family } = contract.formula;
  const shapes = routeBases(contract).map((base) => {
    const [first, ...others] = Object.keys(contract.dims).filter((name) => name !== over);
    const short = shortest(contract, base, over);
    if (first === undefined) return short;
    const shape = sized(contract, short, first, family === 'dense' ? 1 : ASKED);
    const wanted = family === 'affine' ? sizeOf(shape, first) : ASKED;
    return others.reduce((grown, name) => sized(contract, grown, name, wanted), shape);
  });
  return unique(shapes);
}

/** The longest served rows on the route of a shape, its other dimensions at most `most`. */
export function longestLike(contract: Contract, shape: Shape, over: string, most: number): Shape {
  const sizes = servedShapes(contract).map((served) => sizeOf(served, over));
  const longest = sizes.toSorted((a, b) => b - a).map((size) => ({ ...shape, [over]: size }));
  const found = longest.find((candidate) => sameRoutes(contract, candidate, shape)) ?? shape;
  return Object.keys(contract.dims)
    .filter((name) => name !== over && sizeOf(shape, name) > most)
    .reduce((less, name) => sized(contract, less, name, most), found);
}

/** A shape with the least size of a dimension past its tile that keeps the route; as it is where the dimension has no tile. */
function shortest(contract: Contract, base: Shape, over: string): Shape {
  const { step = 1, tile } = contract.dims[over] ?? {};
  if (tile === undefined) return base;
  for (let size = tile + step; size <= largestServed(contract, over); size += step) {
    const shape = { ...base, [over]: size };
    if (sameRoutes(contract, base, shape)) return shape;
  }
  return base;
}

/** Elements a shape spans, for ordering. */
export function volume(shape: Shape): number {
  return Object.values(shape).reduce((a, b) => a * b, 1);
}
