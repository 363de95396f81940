import { describe, expect, test } from 'bun:test';
import { buildGraph, interiorPoints, withoutPoint } from '../../src/families/formula/graph.ts';
import type { Names } from '../../src/families/formula/graph.ts';
import { parse } from '../../src/families/formula/syntax.ts';
import { valueReader } from '../../src/families/formula/value.ts';
import { L2, SLERP } from './problems.ts';

const NAMES: Names = {
  inputs: {
    x: { rank: 'element', dtype: 'bf16' },
    w: { rank: 'element', dtype: 'bf16' },
    s: { rank: 'row', dtype: 'f32' },
  },
  sizes: ['width'],
  scalars: ['eps'],
};

function evaluate(text: string, x: readonly number[], w: readonly number[] = []): number[] {
  const graph = buildGraph(text, NAMES);
  const inputs = { x: Float64Array.from(x), w: Float64Array.from(w), s: Float64Array.of(3) };
  const slots = valueReader(graph, x.length)({ inputs, sizes: { width: x.length }, scalars: { eps: 0.5 } });
  return [...(slots[graph.names.get('y') ?? -1] ?? [])];
}

describe('the formula language', () => {
  test.each([
    ['y = x + 2 * 3', [1, 2], [7, 8]],
    ['y = (x + 2) * 3', [1, 2], [9, 12]],
    ['y = x - 1 - 1', [5], [3]],
    ['y = x / 2 / 2', [8], [2]],
    ['y = -x * 2', [3], [-6]],
    ['y = sum(x)', [1, 2, 3], [6]],
    ['y = mean(x) + eps', [1, 2, 3], [2.5]],
    ['y = x / width', [4, 8], [2, 4]],
    ['y = max(x) - x', [1, 4], [3, 0]],
    ['y = max(x, 2)', [1, 4], [2, 4]],
    ['y = x * s', [2], [6]],
    ['sq(v) = v * v; y = sum(sq(x))', [3, 4], [25]],
    ['t = x * x; y = sqrt(sum(t))', [3, 4], [5]],
    ['y = bf16(x)', [1 + 2 ** -8, 1 + 3 * 2 ** -8], [1, 1 + 2 ** -6]],
    ['y = relu(x)', [-1, 2], [0, 2]],
  ])('%s of %p is %p', (text, x, want) => {
    expect(evaluate(text, x)).toEqual(want);
  });

  test('a NaN stays through max, relu and exp, as float64 has it', () => {
    for (const text of ['y = max(x)', 'y = relu(x)', 'y = exp(x - max(x))']) {
      expect(evaluate(text, [Number.NaN, 1]).some(Number.isNaN)).toBe(true);
    }
  });

  test.each([
    ['y = x + q', "'q' is not known here. Known: x, w, s, width, eps"],
    ['y = foo(x)', "'foo' is no function here"],
    ['y = sqrt(x, x)', 'sqrt takes 1 argument, not 2'],
    ['y = sum(s)', 'sum(s) reduces over a row, but s is one value a row'],
    ['x = w', "'x' is an input, size or scalar"],
    ['y = x; y = w', "'y' already has a meaning"],
    ['y = (x', "the formula ends where ')' should be"],
    ['y = x $ w', "'$' is no part of a formula"],
    ['y x', "'x' where '=' should be"],
    ['y = * x', "'*' where a name or number should be"],
  ])('%s is refused: %s', (text, message) => {
    expect(() => buildGraph(text, NAMES)).toThrow(message);
  });

  test('an error points at its place', () => {
    expect(() => parse('y = x +')).toThrow(/\n {2}y = x \+\n {9}\^/);
  });

  test('equal expressions are one node', () => {
    const graph = buildGraph('e = exp(x); y = e / sum(exp(x))', NAMES);
    expect(graph.nodes.filter((node) => node.kind === 'map' && node.op === 'exp')).toHaveLength(1);
  });

  test('interior rounding points are those that arithmetic goes on from', () => {
    expect(interiorPoints(L2.graph, ['y']).map((point) => point.text)).toEqual(['bf16(x + r)']);
    expect(interiorPoints(SLERP.graph, ['h'])).toHaveLength(2);
  });

  test('a formula without a point no longer rounds there', () => {
    const [point] = interiorPoints(L2.graph, ['y']);
    const graph = withoutPoint(L2.graph, point?.id ?? -1);
    const row = {
      inputs: { x: Float64Array.of(1, 1), r: Float64Array.of(2 ** -9, 0.5) },
      sizes: { rows: 1, width: 2 },
      scalars: { eps: 0 },
    };
    const sum = (of: typeof graph): number => valueReader(of, 2)(row)[of.names.get('s') ?? -1]?.[0] ?? 0;
    expect(sum(L2.graph)).toBe(1);
    expect(sum(graph)).toBe(1 + 2 ** -9);
  });
});
