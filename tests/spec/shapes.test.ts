import { describe, expect, test } from 'bun:test';
import type { Contract } from '../../src/spec/contract.ts';
import { addressText, matcher } from '../../src/spec/address.ts';
import {
  edgeShapes,
  edgeSizes,
  gateShapes,
  routeBases,
  routeTops,
  servedShapes,
  stretch,
  sumShapes,
  tailShapes,
} from '../../src/spec/shapes.ts';
import { shapeText } from '../../src/families/tensor.ts';

const launch = { symbol: 'k', threads: 64, grid: () => [1], depth: () => 1 };
const CONTRACT = {
  dims: { rows: { least: 1, tile: 8 }, k: { tile: 64, step: 8, least: 8 } },
  served: [
    { rows: [1, 8], k: 128 },
    { rows: 32, k: [64, 256] },
  ],
  launch: {
    cuda: [
      { ...launch, symbol: 'few', when: ({ rows = 0 }) => rows <= 8 },
      { ...launch, symbol: 'many' },
    ],
  },
} as unknown as Contract;

const texts = (shapes: readonly Readonly<Record<string, number>>[]): string[] => shapes.map(shapeText);

describe('the shapes that a contract owes', () => {
  test('an entry stands for each combination of its sizes', () => {
    expect(texts(servedShapes(CONTRACT))).toEqual(['rows=1,k=128', 'rows=8,k=128', 'rows=32,k=64', 'rows=32,k=256']);
  });

  test('edges are least, a tile and a step to either side, and the largest served size', () => {
    expect(edgeSizes({ tile: 64, step: 8, least: 8 }, [128, 256])).toEqual([8, 56, 64, 72, 256]);
    expect(edgeSizes({ tile: 64, step: 8, least: 8 }, [64])).toEqual([8, 56, 64]);
    expect(edgeSizes({ least: 1 }, [5])).toEqual([1, 5]);
    expect(edgeSizes({ tile: 64, least: 1 }, [256])).toEqual([1, 63, 64, 65, 66, 256]);
    expect(edgeSizes({ tile: 2, least: 1 }, [8])).toEqual([1, 2, 3, 8]);
  });

  test('each route has its least and its largest served shape', () => {
    expect(texts(routeBases(CONTRACT))).toEqual(['rows=1,k=128', 'rows=32,k=64']);
    expect(texts(routeTops(CONTRACT))).toEqual(['rows=8,k=128', 'rows=32,k=256']);
  });

  test('edges vary one dimension of a base at a time', () => {
    expect(texts(edgeShapes(CONTRACT))).toContain('rows=1,k=56');
    expect(texts(edgeShapes(CONTRACT))).toContain('rows=9,k=64');
    expect(texts(edgeShapes(CONTRACT))).not.toContain('rows=9,k=72');
  });

  test('a gate takes each shape once, small ones first', () => {
    const shapes = gateShapes(CONTRACT);
    expect(new Set(texts(shapes)).size).toBe(shapes.length);
    const volumes = shapes.map(({ rows = 0, k = 0 }) => rows * k);
    expect(volumes).toEqual(volumes.toSorted((a, b) => a - b));
  });

  test('a seed draws sizes between the edges for each route, the same ones every time', () => {
    const drawn = (seed: string): string[] => {
      const known = new Set(texts(gateShapes(CONTRACT)));
      return texts(gateShapes(CONTRACT, seed)).filter((text) => !known.has(text));
    };
    expect(drawn('1')).toEqual(drawn('1'));
    expect(drawn('1')).not.toEqual(drawn('2'));
    for (const text of ['1', '2', '3', '4'].flatMap(drawn)) {
      const [rows = 0, k = 0] = [...text.matchAll(/=(\d+)/g)].map(([, size]) => Number(size));
      expect(rows >= 1 && rows <= 32 && k >= 8 && k <= 256 && k % 8 === 0).toBe(true);
    }
  });

  test('a gate takes the tail of each route', () => {
    expect(texts(gateShapes(CONTRACT))).toContain('rows=9,k=72');
  });

  test('a tail is partial in every tiled dimension that the route allows', () => {
    expect(texts(tailShapes(CONTRACT))).toEqual(['rows=1,k=72', 'rows=9,k=72']);
  });

  test('a shape stretches to the wanted size, or to a served one that keeps its route', () => {
    expect(stretch(CONTRACT, { rows: 1, k: 72 }, 'rows', 5)).toEqual({ rows: 5, k: 72 });
    expect(stretch(CONTRACT, { rows: 1, k: 72 }, 'rows', 36)).toEqual({ rows: 8, k: 72 });
    expect(stretch(CONTRACT, { rows: 9, k: 72 }, 'rows', 36)).toEqual({ rows: 32, k: 72 });
  });

  test('sums run at the longest served length of each route, over as many rows as it takes', () => {
    expect(texts(sumShapes(CONTRACT, 'k'))).toEqual(['rows=8,k=128', 'rows=32,k=256']);
  });
});

describe('an address', () => {
  const address = addressText({ kernel: 'rms_rows', dialect: 'cuda', gate: 'shapes', label: 'rows=17,width=2056' });

  test('has one form', () => {
    expect(address).toBe('rms_rows@cuda:shapes:rows=17,width=2056');
  });

  test.each([
    [[], true],
    [['rms'], true],
    [['@cuda:shapes'], true],
    [['width=2056'], true],
    [['softmax', 'rms'], true],
    [['rms_rows@*:shapes:*'], true],
    [['rms_rows@cuda:shapes:rows=17,width=2056'], true],
    [['rms_rows@hip'], false],
    [['*@cuda'], false],
    [['rms.rows'], false],
    [['rows=1'], false],
    [['width=205'], false],
    [['rows=17'], true],
    [['rows=1*'], false],
    [['*rows=1*'], true],
  ])('is selected by %p: %p', (filters, selected) => {
    expect(matcher(filters)(address)).toBe(selected);
  });
});
