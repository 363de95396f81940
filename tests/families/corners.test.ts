import { describe, expect, test } from 'bun:test';
import { cornerInputs, cornerKinds } from '../../src/families/fills/corners.ts';
import type { FillName } from '../../src/families/fills/ordinary.ts';
import { ordinaryInputs } from '../../src/families/fills/ordinary.ts';
import { ranges, reference } from '../../src/families/answer.ts';
import { bytesFor, firstOf, readRow } from '../../src/families/inputs.ts';
import { formatOf } from '../../src/numerics/dtype.ts';
import { DENSE, bf16 } from './problems.ts';

const x = bf16('rows', 'width');
const w = bf16('width');
const SCALARS = { eps: 1e-6 };
const KINDS = cornerKinds(SCALARS, 'rows', false);
const SHAPE = { rows: KINDS.length, width: 64 };

/** The rows of x that each kind makes, by name. */
function rowsOf(fill?: FillName): Map<string, Float64Array> {
  const inputs = cornerInputs({ x, w }, SHAPE, fill ? { x: fill } : {}, KINDS, 'seed', 0);
  return new Map(KINDS.map(({ name }, row) => [name, readRow(x, SHAPE, bytesFor(inputs, 'x'), row)]));
}

describe('corner rows', () => {
  test('hold zeros of each sign, the least values of the type, and a scalar where it matters', () => {
    const rows = rowsOf();
    const all = (name: string, holds: (value: number) => boolean): boolean => (rows.get(name) ?? []).every(holds);
    expect(all('zeros', (value) => Object.is(value, 0))).toBe(true);
    expect(all('negative zeros', (value) => Object.is(value, -0))).toBe(true);
    expect(all('least subnormals', (value) => Math.abs(value) === 2 ** -133)).toBe(true);
    expect(all('least normals', (value) => Math.abs(value) === 2 ** formatOf('bf16').minExponent)).toBe(true);
    expect(all('about the root of eps', (value) => Math.abs(value) > 5e-4 && Math.abs(value) < 2e-3)).toBe(true);
    expect((rows.get('one element among zeros') ?? new Float64Array(0)).filter((value) => value !== 0)).toHaveLength(1);
  });

  test('keep the squares of a row below overflow, twice the value as well, and near it', () => {
    const sum = (rowsOf().get('squares that nearly overflow') ?? new Float64Array(0)).reduce(
      (a, v) => a + 4 * v * v,
      0,
    );
    expect(sum).toBeLessThan(2 ** 128);
    expect(sum).toBeGreaterThan(2 ** 118);
  });

  test('keep to what a fill means', () => {
    for (const row of rowsOf('positive').values()) for (const value of row) expect(value > 0 && value <= 1).toBe(true);
    for (const fill of ['near-one', 'small-positive'] as const) {
      const inputs = cornerInputs({ x }, SHAPE, { x: fill }, KINDS, 'seed', 0);
      expect(inputs.bytes['x']).toEqual(ordinaryInputs({ x }, SHAPE, { x: fill }, 'seed').bytes['x']);
    }
  });

  test('leave out what a family cannot judge', () => {
    const names = (...options: Parameters<typeof cornerKinds>): string[] =>
      cornerKinds(...options).map((kind) => kind.name);
    expect(names({}, 'rule', true)).not.toContain('least subnormals');
    expect(names({}, 'rows', true)).toContain('least subnormals');
    expect(names({}, 'rule', false)).not.toContain('zeros of both signs');
    expect(names({}, 'rows', false)).not.toContain('about the root of eps');
  });

  test('of a projection stay within its range, underflowing products included', () => {
    const kinds = cornerKinds({}, 'dense', false);
    const [rows, columns] = DENSE.outputs['y']?.dims ?? [];
    const shape = { [rows ?? '']: kinds.length, [columns ?? '']: kinds.length, [DENSE.formula.over]: 64 };
    const inputs = cornerInputs(DENSE.inputs, shape, {}, kinds, 'seed', 0);
    const ends = ranges(DENSE, inputs, { depth: 64, flush: false, error: () => ({ ulps: 0.5 }) })['y'];
    const want = reference(DENSE, inputs)['y'] ?? new Float64Array(0);
    const underflowing = [...want].filter((value) => value !== 0 && Math.abs(value) < 2 ** -150);
    expect(underflowing.length).toBeGreaterThan(0);
    want.forEach((value, i) => {
      expect((ends?.lo[i] ?? 1) <= value && value <= (ends?.hi[i] ?? -1)).toBe(true);
      if (value !== 0 && Math.abs(value) < 2 ** -150)
        expect((ends?.lo[i] ?? 1) <= 0 && (ends?.hi[i] ?? -1) >= 0).toBe(true);
    });
  });
});

test('the first of each dimension of a case keeps every element at its place', () => {
  const tensors = { a: bf16('b', 'rows', 'width'), w };
  const whole = ordinaryInputs(tensors, { b: 3, rows: 5, width: 16 }, {}, 'seed');
  const few = firstOf(whole, tensors, { b: 2, rows: 4, width: 16 });
  for (const [b, row] of [
    [0, 3],
    [1, 0],
    [1, 3],
  ] as const)
    expect(readRow(tensors.a, few.shape, bytesFor(few, 'a'), b * 4 + row)).toEqual(
      readRow(tensors.a, whole.shape, bytesFor(whole, 'a'), b * 5 + row),
    );
  expect(few.bytes['w']).toEqual(whole.bytes['w']);
});
