/** The joins on one term's way to a sum, and what they are likely to be in a longer sum of the same kernel. */
import type { Asking, SumTree } from './sum-tree.ts';

/** A term of the longest chain, and the first term of all that it meets at each join, the nearest first. */
export interface SumPath {
  readonly from: number;
  readonly meets: readonly number[];
  /** Every join adds a single term: the sum is one chain. */
  readonly isChain: boolean;
}

/** The way of a term that goes through the most additions. */
export function longestPath({ leaves, joins }: SumTree): SumPath {
  const total = leaves + joins.length;
  const first = Int32Array.from({ length: total }, (_, i) => i);
  const deepest = Int32Array.from({ length: total }, (_, i) => i);
  const heights = new Int32Array(total);
  const above = new Int32Array(total).fill(-1);
  const beside = new Int32Array(total).fill(-1);
  joins.forEach(([a, b], t) => {
    const id = leaves + t;
    const isLeft = (heights[a] ?? 0) >= (heights[b] ?? 0);
    first[id] = Math.min(first[a] ?? 0, first[b] ?? 0);
    deepest[id] = deepest[isLeft ? a : b] ?? 0;
    heights[id] = 1 + Math.max(heights[a] ?? 0, heights[b] ?? 0);
    for (const [own, other] of [[a, b] as const, [b, a] as const]) [above[own], beside[own]] = [id, other];
  });
  const from = deepest.at(-1) ?? 0;
  const sides: number[] = [];
  for (let id = from; (above[id] ?? -1) >= 0; id = above[id] ?? 0) sides.push(beside[id] ?? 0);
  return { from, meets: sides.map((side) => first[side] ?? 0), isChain: sides.every((side) => side < leaves) };
}

/** How terms lie: `parts` runs of `width` terms, of which a loop takes `tile` at a time. */
export interface Layout {
  readonly parts: number;
  readonly width: number;
  readonly tile: number;
}

/**
 * Guesses of the same path in rows of `longer` terms, the longest first, to be asked: a loop meets in every later turn what it met
 * in its first, or only what it met again in its second. Terms that are met are in the order of the joins.
 */
export function stretchedPaths(path: SumPath, { parts, width, tile }: Layout, longer: number): SumPath[] {
  const { from, meets, isChain } = path;
  if (isChain) return [{ from: 0, meets: Array.from({ length: parts * longer - 1 }, (_, i) => i + 1), isChain }];
  const at = (term: number): number => term % width;
  const moved = (term: number, turns: number): number[] => {
    const place = at(term) + turns * tile;
    return place < longer ? [Math.floor(term / width) * longer + place] : [];
  };
  const isAgain = (term: number): boolean => at(term) >= tile && [from, ...meets].includes(term - tile);
  const again = meets.filter(isAgain);
  const second = meets.findIndex(isAgain);
  const rest = meets.slice(second + again.length).flatMap((term) => moved(term, 0));
  if (second < 0 || meets.slice(second, second + again.length).some((term) => !isAgain(term))) return [];
  const first = meets.slice(0, second);
  const turns = (of: readonly number[], start: number): number[] =>
    Array.from({ length: Math.ceil(longer / tile) }, (_, turn) => turn + start).flatMap((turn) =>
      of.flatMap((term) => moved(term, turn)),
    );
  return [turns([from, ...first], 1), turns(again, 0)].map((later) => ({
    from: moved(from, 0)[0] ?? 0,
    meets: [...first.flatMap((term) => moved(term, 0)), ...later, ...rest],
    isChain,
  }));
}

/** A chain of more joins is asked at this many of them at most, evenly: each question is a whole row. */
const MOST_ASKED = 256;

/** How many joins a term's way has at least: those of the longest guess of its path that the answers confirm, or 0. */
export function* countJoins(guesses: readonly SumPath[]): Asking<number> {
  for (const { from, meets } of guesses) {
    const stride = Math.ceil(meets.length / MOST_ASKED);
    const asked = meets.filter((_, i) => i % stride === 0);
    const answers = yield asked.slice(1).map((term, i) => ({ a: from, b: asked[i] ?? 0, c: term }));
    if (answers.every((answer) => answer)) return asked.length;
  }
  return 0;
}
