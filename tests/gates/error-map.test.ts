import { describe, expect, test } from 'bun:test';
import { encodeAll } from '../../src/numerics/codec.ts';
import { CaseErrors } from '../../src/gates/case-errors.ts';
import { compareRanges } from '../../src/gates/compare.ts';
import { ErrorGrid, LEVELS, levelOf, SIDE } from '../../src/gates/error-map.ts';
import type { GateCase } from '../../src/gates/case.ts';
import type { Outcome } from '../../src/gates/finding.ts';
import { findingOf } from '../../src/gates/finding.ts';

const y = { dtype: 'f32', dims: ['rows', 'width'] } as const;
const gridOf = (rows: number, width: number, tile?: number): ErrorGrid =>
  new ErrorGrid('y', y, { rows, width }, { rows: {}, width: tile === undefined ? {} : { tile } });

describe('levels', () => {
  test.each<[number, string]>([
    [0, '0'],
    [1e-300, '1'],
    [0.02, '1'],
    [0.021, '2'],
    [1, LEVELS[50]!],
    [1 + Number.EPSILON, LEVELS[51]!],
    [2, LEVELS[51]!],
    [1024, LEVELS[60]!],
    [1025, LEVELS[61]!],
    [Infinity, LEVELS[61]!],
  ])('%p: %p', (share, level) => {
    expect(levelOf(share)).toBe(level);
  });
});

describe('the cells of a map', () => {
  test('are elements where those are few', () => {
    const grid = gridOf(2, 3);
    grid.take(0, 0);
    grid.take(4, 1);
    grid.take(4, 0.5);
    expect(grid.map()).toEqual({
      output: 'y',
      rows: 2,
      columns: 3,
      cell: [1, 1],
      tile: [null, null],
      cells: ['0--', `-${LEVELS[50]}-`],
    });
  });

  test.each<[number, number | undefined, number]>([
    [2056, 2048, 128], // 65 elements at least, and 128 is the next that a tile is a multiple of
    [2056, undefined, 65],
    [100_000, 96, 3168], // 3,125 at least: 33 tiles
    [32, 8, 1],
    [33, 8, 2],
    [1, 2048, 1],
  ])('of %p columns in tiles of %p are %p wide', (width, tile, wide) => {
    const { cell, cells } = gridOf(3, width, tile).map();
    expect(cell[1]).toBe(wide);
    expect(cells[0]?.length).toBe(Math.ceil(width / wide));
    expect(cells[0]?.length).toBeLessThanOrEqual(SIDE);
  });

  test('hold the place of every element', () => {
    const grid = gridOf(70, 2056, 2048);
    for (let i = 0; i < 70 * 2056; i++) grid.take(i, 0);
    expect(new Set(grid.map().cells.join(''))).toEqual(new Set('0'));
    grid.take(69 * 2056 + 2055, 3);
    expect(grid.map().cells.at(-1)?.at(-1)).toBe(levelOf(3));
  });

  test('of an output of three dimensions are of its last one and of all others', () => {
    const tensor = { dtype: 'f32', dims: ['a', 'b', 'c'] } as const;
    const grid = new ErrorGrid('y', tensor, { a: 2, b: 3, c: 4 }, { a: {}, b: { tile: 2 }, c: { tile: 2 } });
    expect(grid.map()).toMatchObject({ rows: 6, columns: 4, tile: [null, 2] });
  });
});

test('the comparer tells of each element: within the bound 1 at most, wrong ones more, and no number without end', () => {
  const got = encodeAll('f32', [1, 1.5, 3, Number.NaN]);
  const want = Float64Array.of(1, 1, 1, 1);
  const ends = { lo: new Float64Array(4).fill(0), hi: new Float64Array(4).fill(2) };
  const seen: number[] = [];
  const judged = { name: 'y', tensor: { dtype: 'f32', dims: ['n'] } as const, shape: { n: 4 }, bytes: got };
  compareRanges(judged, want, ends, undefined, (index, share) => (seen[index] = share));
  expect(seen[0]).toBe(0);
  expect(seen[1]).toBeCloseTo(0.5, 5);
  expect(seen[2]).toBeCloseTo(2, 5);
  expect(seen[3]).toBe(Infinity);
});

describe('of the cases of a gate', () => {
  const errors = new CaseErrors();
  const map = gridOf(1, 1).map();
  const at = (label: string, mode: GateCase['mode'], outcome: Outcome): void =>
    errors.take({ label, mode } as GateCase, { ...outcome, maps: [map] });
  const within = (share: number): Outcome => ({ findings: [], margin: { share, where: 'y[0]' } });
  at('rows=1', 'plain', within(0.5));
  at('rows=2', 'plain', within(0.25));
  at('rows=2,mode=fused', 'fused', within(0.9));
  at('rows=3,data=corners', 'plain', within(0.8));
  for (let i = 4; i < 9; i++)
    at(`rows=${i},mode=fused`, 'fused', { findings: [findingOf({ code: 'value' }, 'wrong', { times: i })] });
  errors.take({ label: 'rows=9', mode: 'plain' } as GateCase, {
    findings: [findingOf({ code: 'other-order' }, 'differs')],
  });

  test('all that were judged by ranges have their error', () => {
    expect(errors.list().map(({ label, share }) => [label, share])).toEqual([
      ['rows=1', 0.5],
      ['rows=2', 0.25],
      ['rows=2,mode=fused', 0.9],
      ['rows=3,data=corners', 0.8],
      ...[4, 5, 6, 7, 8].map((i): [string, number] => [`rows=${i},mode=fused`, i]),
    ]);
  });

  test('the worst, the worst ordinary one and the first that fail have maps', () => {
    const mapped = errors.list().filter(({ maps }) => maps);
    expect(mapped.map(({ label }) => label)).toEqual([
      'rows=1',
      'rows=4,mode=fused',
      'rows=5,mode=fused',
      'rows=6,mode=fused',
      'rows=8,mode=fused',
    ]);
  });
});
