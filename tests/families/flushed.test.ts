/** What ranges allow where fp32 subnormals are flushed: what a flushing device does lies inside, and little else. */
import { describe, expect, test } from 'bun:test';
import { encodeAll } from '../../src/numerics/codec.ts';
import { ranges } from '../../src/families/answer.ts';
import type { Arithmetic } from '../../src/families/formula/range.ts';
import type { Inputs } from '../../src/families/inputs.ts';
import type { Problem } from '../../src/families/problem.ts';
import { problemOf } from '../../src/families/problem.ts';
import { DENSE, affineProblem, arithmetic, f32 } from './problems.ts';

const kept: Arithmetic = arithmetic(16);
const flushed: Arithmetic = { ...kept, flush: true };
const bf = (values: readonly number[]): Uint8Array => encodeAll('bf16', Float64Array.from(values));

function within(problem: Problem, inputs: Inputs, how: Arithmetic, got: number): boolean {
  const { lo, hi } = Object.values(ranges(problem, inputs, how))[0] ?? {};
  return got >= (lo?.[0] ?? Number.NaN) && got <= (hi?.[0] ?? Number.NaN);
}

describe('a sum of products', () => {
  const inputs = (x: readonly number[], w: readonly number[]): Inputs => ({
    shape: { rows: 1, k: x.length, n: 1 },
    bytes: { x: bf(x), w: bf(w) },
  });

  test('may lose a product of a subnormal operand, whatever the other makes of it', () => {
    for (const [x, w] of [
      [
        [2 ** -130, 0],
        [2 ** 100, 1],
      ],
      [
        [2 ** 100, 0],
        [2 ** -130, 1],
      ],
    ] as const) {
      expect(within(DENSE, inputs(x, w), flushed, 0)).toBe(true);
      expect(within(DENSE, inputs(x, w), kept, 0)).toBe(false);
      expect(within(DENSE, inputs(x, w), flushed, 2 ** -30)).toBe(true);
    }
  });

  test('loses no other product', () => {
    const both = inputs([2 ** -130, 1], [2 ** 100, 1]);
    expect(within(DENSE, both, flushed, 1)).toBe(true);
    expect(within(DENSE, both, flushed, 0.999)).toBe(false);
    expect(within(DENSE, inputs([2 ** -126, 0], [2 ** 100, 1]), flushed, 0)).toBe(false);
  });

  test('loses a subnormal scale and keeps its bias', () => {
    const problem = affineProblem(8);
    const shape = { rows: 1, k: 64, n: 1 };
    const of = (scale: number, bias: number): Inputs => ({
      shape,
      bytes: {
        x: bf([2 ** 100, ...Array<number>(63).fill(0)]),
        q: new Uint8Array(64).fill(200),
        scale: bf([scale]),
        bias: bf([bias]),
      },
    });
    expect(within(problem, of(2 ** -130, 0), flushed, 0)).toBe(true);
    expect(within(problem, of(2 ** -130, 0), kept, 0)).toBe(false);
    expect(within(problem, of(2 ** -130, 2 ** -100), flushed, 1)).toBe(true);
    expect(within(problem, of(2 ** -130, 2 ** -100), flushed, 0.9)).toBe(false);
  });
});

describe('a comparison', () => {
  const LEAST = 2 ** -149;
  const maximum = problemOf(
    { family: 'rows', over: 'width', text: 'y = max(x)' },
    { x: f32('rows', 'width') },
    { y: f32('rows') },
    {},
    ['rows', 'width'],
  );
  const of = (values: readonly number[]): Inputs => ({
    shape: { rows: 1, width: values.length },
    bytes: { x: new Uint8Array(Float32Array.from(values).buffer) },
  });

  test('of subnormals may return any of them, and of others none but the largest', () => {
    expect(within(maximum, of([LEAST, -LEAST]), flushed, -LEAST)).toBe(true);
    expect(within(maximum, of([LEAST, -LEAST]), kept, -LEAST)).toBe(false);
    expect(within(maximum, of([LEAST, -1]), flushed, -1)).toBe(false);
    expect(within(maximum, of([1, LEAST]), flushed, LEAST)).toBe(false);
    expect(within(maximum, of([2 ** -126, LEAST]), flushed, LEAST)).toBe(false);
  });
});
