/** Longest paths of trees, and guesses of what they are in longer rows. */
import { expect, test } from 'bun:test';
import type { SumPath } from '../../src/numerics/sum-path.ts';
import { countJoins, longestPath, stretchedPaths } from '../../src/numerics/sum-path.ts';
import type { SumTree, Triple } from '../../src/numerics/sum-tree.ts';

const chain = (leaves: number): SumTree => ({
  leaves,
  joins: Array.from({ length: leaves - 1 }, (_, t) => [t === 0 ? 0 : leaves + t - 1, t + 1] as const),
});
/** (0 + 1) + (2 + 3), and 4 to 7 one by one behind them. */
const MIXED: SumTree = {
  leaves: 8,
  joins: [
    [2, 3],
    [0, 1],
    [9, 8],
    [10, 4],
    [11, 5],
    [12, 6],
    [13, 7],
  ],
};

test('the longest path names the first term of whatever is met, the nearest first', () => {
  expect(longestPath(chain(5))).toEqual({ from: 0, meets: [1, 2, 3, 4], isChain: true });
  expect(longestPath(MIXED)).toEqual({ from: 0, meets: [1, 2, 4, 5, 6, 7], isChain: false });
});

const layout = { parts: 1, width: 10, tile: 8 };

test('a chain goes on as one', () => {
  const path = longestPath(chain(10));
  expect(stretchedPaths(path, layout, 12)).toEqual([
    { from: 0, meets: Array.from({ length: 11 }, (_, i) => i + 1), isChain: true },
  ]);
});

test('a loop meets in later turns what it met in its first, or what it met again in its second', () => {
  const path: SumPath = { from: 0, meets: [1, 8, 2, 4], isChain: false };
  expect(stretchedPaths(path, layout, 24).map(({ meets }) => meets)).toEqual([
    [1, 8, 9, 16, 17, 2, 4],
    [1, 8, 16, 2, 4],
  ]);
  // The second part of a longer row lies farther on.
  const both: SumPath = { from: 0, meets: [1, 10, 8, 18, 2], isChain: false };
  expect(stretchedPaths(both, { ...layout, parts: 2 }, 24).map(({ meets }) => meets)).toEqual([
    [1, 24, 8, 9, 32, 16, 17, 40, 2],
    [1, 24, 8, 32, 16, 40, 2],
  ]);
});

test('where no loop shows there is no guess', () => {
  expect(stretchedPaths({ from: 0, meets: [1, 2, 4], isChain: false }, layout, 24)).toEqual([]);
});

const count = (guesses: readonly SumPath[], yes: (triple: Triple) => boolean): number => {
  const search = countJoins(guesses);
  let step = search.next();
  while (step.done !== true) step = search.next(step.value.map(yes));
  return step.value;
};

test('only what every answer confirms is counted', () => {
  const path = (meets: readonly number[]): SumPath => ({ from: 0, meets, isChain: false });
  const inOrder = ({ b, c }: Triple): boolean => b < c;
  expect(count([path([1, 2, 5])], inOrder)).toBe(3);
  expect(count([path([1, 5, 2]), path([1, 2])], inOrder)).toBe(2);
  expect(count([path([5, 2])], inOrder)).toBe(0);
  expect(count([path(Array.from({ length: 4096 }, (_, i) => i + 1))], inOrder)).toBe(256);
});
