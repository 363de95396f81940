import { describe, expect, test } from 'bun:test';
import { classesOf } from '../../src/numerics/class.ts';
import { ORDERS } from '../../src/numerics/orders.ts';
import { halfUlp } from '../../src/numerics/ulp.ts';
import { reference, replay } from '../../src/families/answer.ts';
import { contract, operand, splitContraction } from '../../src/families/contraction.ts';
import { exactInputs } from '../../src/families/fills/exact.ts';
import { ordinaryInputs } from '../../src/families/fills/ordinary.ts';
import { plantInputs, plantRows } from '../../src/families/fills/plants.ts';
import type { Inputs } from '../../src/families/inputs.ts';
import { bytesFor, readRow } from '../../src/families/inputs.ts';
import type { Problem } from '../../src/families/problem.ts';
import { byteCount, coordinates } from '../../src/families/tensor.ts';
import { DENSE, SOFTMAX, SUM, affineProblem, bf16 } from './problems.ts';

describe('inputs', () => {
  test('are a function of the seed', () => {
    const make = (seed: string): Uint8Array =>
      bytesFor(ordinaryInputs(SUM.inputs, { rows: 2, width: 64 }, {}, seed), 'x');
    expect(make('a')).toEqual(make('a'));
    expect(make('a')).not.toEqual(make('b'));
  });

  test.each([2, 3, 4, 5, 6, 8])('%d-bit codes are one little-endian bit stream, first code in the low bits', (bits) => {
    const tensor = { dtype: 'u32' as const, dims: ['n', 'k'], bits };
    const shape = { n: 2, k: 64 };
    const bytes = new Uint8Array(byteCount(tensor, shape));
    const wanted = Array.from({ length: 128 }, (_, i) => (i * 7 + 3) % 2 ** bits);
    wanted.forEach((code, i) => {
      const from = Math.floor(i / 64) * ((64 * bits) / 8) * 8 + (i % 64) * bits;
      for (let b = 0; b < bits; b++) {
        const bit = from + b;
        bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) | (((code >> b) & 1) << (bit & 7));
      }
    });
    expect([...readRow(tensor, shape, bytes, 0), ...readRow(tensor, shape, bytes, 1)]).toEqual(wanted);
  });

  test('a grouped element stands for each of its neighbours', () => {
    const tensor = { ...bf16('n', 'k'), group: 4 };
    const bytes = new Uint8Array(Uint16Array.of(0x3f80, 0x4000).buffer);
    expect([...readRow(tensor, { n: 1, k: 8 }, bytes, 0)]).toEqual([1, 1, 1, 1, 2, 2, 2, 2]);
  });

  test('coordinates follow the tensor', () => {
    expect(coordinates(bf16('rows', 'width'), { rows: 3, width: 10 }, 27)).toEqual([2, 7]);
  });
});

describe('plants', () => {
  const tensor = bf16('rows', 'width');
  const shape = { rows: plantRows(tensor, 2), width: 16 };
  const base = ordinaryInputs({ x: tensor }, shape, {}, 'plants');
  const planted = plantInputs(base, 'x', tensor, [0, 15], 0);

  test('put every class in a row of its own, and leave rows clean between', () => {
    const classes = classesOf('bf16', bytesFor(planted.inputs, 'x'), shape.rows * 16);
    const rows = Array.from({ length: shape.rows }, (_, row) => [...classes.subarray(row * 16, (row + 1) * 16)]);
    const counts = rows.map((row) => row.filter((code) => code !== 0).length);
    expect(counts.slice(0, 11)).toEqual([1, 1, 1, 1, 2, 1, 1, 0, 16, 16, 0]);
    expect(rows[0]?.[0]).toBe(1);
    expect(rows[11]?.[15]).toBe(1);
    expect([rows[4]?.[0], rows[4]?.[15]]).toEqual([2, 3]);
  });

  test('include a finite value past fp16', () => {
    const row = planted.plants.find(({ kind }) => kind === 'large finite value')?.row ?? -1;
    expect(readRow(tensor, shape, bytesFor(planted.inputs, 'x'), row)[0]).toBe(70144);
  });

  test('leave the base inputs as they were', () => {
    expect(bytesFor(base, 'x')).toEqual(bytesFor(ordinaryInputs({ x: tensor }, shape, {}, 'plants'), 'x'));
  });
});

/** Every partial sum of the terms, in order. */
function partials(terms: Float64Array): number[] {
  let sum = 0;
  return [...terms].map((term) => (sum += term));
}

/** What the first half of output 0's terms sums to. */
function halfSum(problem: Problem, inputs: Inputs): number {
  const { left, right, rows, columns } = splitContraction(problem);
  const a = operand(problem, inputs, left, rows)(0).values;
  const b = operand(problem, inputs, right, columns)(0).values;
  return a.subarray(0, a.length / 2).reduce((sum, x, i) => sum + x * (b[i] ?? 0), 0);
}

describe('exact sums', () => {
  test('reach 2^20, stay below 2^24 in any order, and end small', () => {
    for (const width of [64, 2048, 8192, 4104]) {
      const inputs = exactInputs(SUM, { rows: 2, width }, {}, 'exact');
      const row = readRow(bf16('rows', 'width'), inputs.shape, bytesFor(inputs, 'x'), 1);
      expect([...row].every(Number.isInteger)).toBe(true);
      expect(row.reduce((sum, x) => sum + Math.abs(x), 0)).toBeLessThan(2 ** 24);
      expect(Math.max(...partials(row))).toBeGreaterThan(2 ** 20);
      expect(Math.abs(partials(row).at(-1) ?? NaN)).toBeLessThan(width);
    }
  });

  test('of a projection are exact too', () => {
    for (const problem of [DENSE, affineProblem(4), affineProblem(8)]) {
      const inputs = exactInputs(problem, { rows: 2, k: 4096, n: 8 }, {}, 'exact');
      const sums = contract(problem, splitContraction(problem), inputs);
      expect([...sums.values].every(Number.isInteger)).toBe(true);
      expect(Math.max(...sums.magnitudes)).toBeLessThan(2 ** 24);
      expect(Math.max(...sums.magnitudes)).toBeGreaterThan(2 ** 20);
      expect(halfSum(problem, inputs)).toBeGreaterThan(problem === DENSE ? 2 ** 20 : 2 ** 19.5);
    }
  });

  test('lose everything in fp16 and bf16, whatever the order', () => {
    for (const problem of [SUM, DENSE]) {
      const shape = problem === SUM ? { rows: 2, width: 4096 } : { rows: 2, k: 4096, n: 8 };
      const inputs = exactInputs(problem, shape, {}, 'exact');
      const want = reference(problem, inputs)['y']?.[0] ?? NaN;
      for (const accumulator of ['f16', 'bf16'] as const) {
        for (const order of ORDERS) {
          const got = replay(problem, inputs, accumulator, order)['y']?.[0] ?? NaN;
          const bound = halfUlp(problem === SUM ? 'f32' : 'bf16', want);
          expect(Math.abs(got - want) > 100 * bound || Number.isNaN(got)).toBe(true);
        }
      }
      expect(replay(problem, inputs, 'f32', 'lanes')['y']?.[0]).toBe(want);
    }
  });

  test('of a softmax count an odd number of ones', () => {
    const inputs = exactInputs(SOFTMAX, { rows: 1, width: 4096 }, {}, 'exact');
    expect(reference(SOFTMAX, inputs)['y']?.[0]).toBe(1 / 4095);
  });
});

test('a blocked projection equals the plain one', () => {
  for (const rows of [1, 3, 4, 7]) {
    const shape = { rows, k: 130, n: 6 };
    const inputs = ordinaryInputs(DENSE.inputs, shape, {}, 'blocked');
    const sums = contract(DENSE, splitContraction(DENSE), inputs);
    for (let r = 0; r < rows; r++) {
      const x = readRow(bf16('rows', 'k'), shape, bytesFor(inputs, 'x'), r);
      for (let n = 0; n < 6; n++) {
        const w = readRow(bf16('n', 'k'), shape, bytesFor(inputs, 'w'), n);
        const plain = x.reduce((sum, value, i) => sum + value * (w[i] ?? 0), 0);
        expect(sums.values[r * 6 + n] ?? NaN).toBeCloseTo(plain, 10);
      }
    }
  }
});
