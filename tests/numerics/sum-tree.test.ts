/** Trees of sums are found from answers about triples, and only what the answers confirm is a tree. */
import { expect, test } from 'bun:test';
import { random } from '../../src/numerics/random.ts';
import type { SumTree, Triple } from '../../src/numerics/sum-tree.ts';
import { findTree, longestChain } from '../../src/numerics/sum-tree.ts';

/** Sums as nested pairs: the tests' own form. */
type Nest = number | readonly [Nest, Nest];

const chain = (terms: readonly number[]): Nest =>
  terms.slice(1).reduce<Nest>((sum, term) => [sum, term], terms[0] ?? 0);
const halves = (nests: readonly Nest[]): Nest => {
  const [only] = nests;
  if (nests.length === 1 && only !== undefined) return only;
  const middle = nests.length >> 1;
  return [halves(nests.slice(0, middle)), halves(nests.slice(middle))];
};
const range = (n: number, from = 0, step = 1): number[] => Array.from({ length: n }, (_, i) => from + i * step);

/** Each lane adds its vectors of 8, then the lanes meet by halves, 32 at a time, then the warps one by one. */
const block = (width: number, threads: number): Nest => {
  const lane = (t: number): Nest => chain(range(width).filter((i) => Math.floor(i / 8) % threads === t));
  const warps = range(threads / 32).map((w) => halves(range(32, w * 32).map(lane)));
  return warps.slice(1).reduce<Nest>((sum, warp) => [sum, warp], warps[0] ?? 0);
};

const leavesOf = (nest: Nest): number[] => (typeof nest === 'number' ? [nest] : nest.flatMap(leavesOf));
const depthOf = (nest: Nest): number => (typeof nest === 'number' ? 0 : 1 + Math.max(...nest.map(depthOf)));

/** Each leaf's way to the root, as the ids of the pairs on it. */
function answersOf(nest: Nest): (triple: Triple) => boolean {
  const ways = new Map<number, number[]>();
  let ids = 0;
  const walk = (at: Nest, way: readonly number[]): void => {
    if (typeof at === 'number') return void ways.set(at, [...way]);
    const id = ids++;
    at.forEach((part) => walk(part, [...way, id]));
  };
  walk(nest, []);
  const common = (a: number, b: number): number => {
    const other = ways.get(b) ?? [];
    return (ways.get(a) ?? []).filter((id, i) => other[i] === id).length;
  };
  return ({ a, b, c }) => common(a, b) > common(a, c);
}

function search(count: number, answer: (triple: Triple) => boolean, hints?: SumTree[]): [SumTree | undefined, number] {
  const finding = findTree(count, hints);
  let asked = 0;
  let step = finding.next();
  while (step.done !== true) {
    asked += step.value.length;
    step = finding.next(step.value.map(answer));
  }
  return [step.value, asked];
}

/** The same pairs, whatever their order: the leaves below each join. */
const setsOf = (nest: Nest): string[] =>
  typeof nest === 'number'
    ? []
    : [
        leavesOf(nest)
          .toSorted((a, b) => a - b)
          .join(),
        ...nest.flatMap(setsOf),
      ].toSorted();
const nestOf = ({ leaves, joins }: SumTree): Nest => {
  const made: Nest[] = range(leaves);
  for (const [a, b] of joins) made.push([made[a] ?? 0, made[b] ?? 0]);
  return made.at(-1) ?? 0;
};

test.each<[string, Nest]>([
  ['one term', 0],
  ['two terms', [1, 0]],
  ['a chain', chain(range(40))],
  ['a chain from the end', chain(range(40).toReversed())],
  ['a balanced tree', halves(range(37))],
  ['lanes 3 apart', halves(range(3).map((lane) => chain(range(7, lane, 3))))],
  ['a block with a tail', block(8 * 64 + 8, 64)],
])('%s', (_what, nest) => {
  const [tree] = search(leavesOf(nest).length, answersOf(nest));
  expect(tree && setsOf(nestOf(tree))).toEqual(setsOf(nest));
  expect(tree && longestChain(tree)).toBe(depthOf(nest));
});

test('any tree, drawn', () => {
  const source = random('trees');
  for (let round = 0; round < 40; round++) {
    const nests: Nest[] = range(source.int(3, 30));
    while (nests.length > 1) {
      const [a] = nests.splice(source.int(0, nests.length - 1), 1);
      const [b] = nests.splice(source.int(0, nests.length - 1), 1);
      nests.push([a ?? 0, b ?? 0]);
    }
    const nest = nests[0] ?? 0;
    const [tree] = search(leavesOf(nest).length, answersOf(nest));
    expect(tree && setsOf(nestOf(tree))).toEqual(setsOf(nest));
  }
});

test('a hint is only confirmed, and a wrong one does no harm', () => {
  const nest = block(8 * 64 + 8, 64);
  const [tree, asked] = search(520, answersOf(nest));
  const [hinted, few] = search(520, answersOf(nest), tree && [tree]);
  expect(hinted).toBe(tree as SumTree);
  expect(few).toBe(518 + 58); // a triple for each inner join, and some of them in the other order
  expect(asked).toBeGreaterThan(few);
  const [other] = search(520, answersOf(chain(range(520))), tree && [tree]);
  expect(other && longestChain(other)).toBe(519);
});

test('answers of no binary tree give none', () => {
  expect(search(20, () => true)[0]).toBeUndefined(); // a sum that loses nothing
  expect(search(20, () => false)[0]).toBeUndefined();
  const source = random('noise');
  expect(search(20, () => source.int(0, 1) === 1)[0]).toBeUndefined();
});

test('chains and blocks of real size ask a few questions a term', () => {
  const [tree, asked] = search(2056, answersOf(block(2056, 256)));
  expect(tree && longestChain(tree)).toBe(15 + 5 + 7);
  expect(asked / 2056).toBeLessThan(6);
});
