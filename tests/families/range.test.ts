import { describe, expect, test } from 'bun:test';
import { round } from '../../src/numerics/codec.ts';
import { random } from '../../src/numerics/random.ts';
import { ranges, reference } from '../../src/families/answer.ts';
import { ordinaryInputs } from '../../src/families/fills/ordinary.ts';
import type { Inputs } from '../../src/families/inputs.ts';
import { bytesFor, readRow } from '../../src/families/inputs.ts';
import type { Problem } from '../../src/families/problem.ts';
import { DENSE, L2, SLERP, SOFTMAX, SUM, arithmetic } from './problems.ts';

const f = Math.fround;
const WIDTH = 2560;
const DEPTH = WIDTH / 256 + 8;
const SHAPE = { rows: 1, width: WIDTH };
type Rounder = (x: number) => number;
const bf: Rounder = (x) => round('bf16', x);
const keep: Rounder = (x) => x;

/** fp32 as a group of 256 threads sums: a chain a thread, then halves. */
function treeSum(terms: readonly number[]): number {
  let partials = Array.from({ length: 256 }, () => 0);
  terms.forEach((term, i) => (partials[i % 256] = f((partials[i % 256] ?? 0) + term)));
  while (partials.length > 1) {
    const half = partials.length / 2;
    partials = partials.slice(0, half).map((partial, i) => f(partial + (partials[i + half] ?? 0)));
  }
  return partials[0] ?? 0;
}

function l2Steps(s: readonly number[]): number[] {
  const length = f(Math.sqrt(f(treeSum(s.map((x) => f(x * x))) + f(1e-6))));
  return s.map((x) => f(x / length));
}

const rowOf = (problem: Problem, inputs: Inputs, name: string): number[] => {
  const tensor = problem.inputs[name];
  if (!tensor) throw new Error(name);
  return [...readRow(tensor, inputs.shape, bytesFor(inputs, name), 0)];
};

function l2Kernel(inputs: Inputs, point: Rounder): number[] {
  const r = rowOf(L2, inputs, 'r');
  return l2Steps(rowOf(L2, inputs, 'x').map((x, i) => point(f(x + (r[i] ?? 0))))).map(bf);
}

function slerpKernel(inputs: Inputs, pointA: Rounder, pointB: Rounder, pointZ: Rounder): number[] {
  const a = l2Steps(rowOf(SLERP, inputs, 'res')).map(pointA);
  const b = l2Steps(rowOf(SLERP, inputs, 'out')).map(pointB);
  const lr = rowOf(SLERP, inputs, 'lr');
  const z = a.map((x, i) => pointZ(f(x + f((lr[i] ?? 0) * f((b[i] ?? 0) - x)))));
  return l2Steps(z).map(bf);
}

/** Outputs outside the range whose ends are rounded to bf16. */
function outside(problem: Problem, inputs: Inputs, output: string, got: readonly number[]): number {
  const ends = ranges(problem, inputs, arithmetic(DEPTH + 1))[output];
  return got.filter((y, i) => !(y >= bf(ends?.lo[i] ?? NaN) && y <= bf(ends?.hi[i] ?? NaN))).length;
}

const seeds = Array.from({ length: 12 }, (_, i) => `seed ${i}`);
const l2Inputs = (seed: string): Inputs => ordinaryInputs(L2.inputs, SHAPE, { x: 'normal', r: 'signed' }, seed);
const slerpInputs = (seed: string): Inputs => ordinaryInputs(SLERP.inputs, SHAPE, { lr: 'positive' }, seed);

describe('the range that fp32 evaluation may reach', () => {
  test('holds right kernels with rounding points, on every seed', () => {
    for (const seed of seeds) {
      expect(outside(L2, l2Inputs(seed), 'y', l2Kernel(l2Inputs(seed), bf))).toBe(0);
      expect(outside(SLERP, slerpInputs(seed), 'h', slerpKernel(slerpInputs(seed), bf, bf, keep))).toBe(0);
    }
  });

  test('refuses a dropped point and an extra one, on every seed', () => {
    for (const seed of seeds) {
      expect(outside(L2, l2Inputs(seed), 'y', l2Kernel(l2Inputs(seed), keep))).toBeGreaterThan(20);
      const inputs = slerpInputs(seed);
      expect(outside(SLERP, inputs, 'h', slerpKernel(inputs, keep, bf, keep))).toBeGreaterThan(50);
      expect(outside(SLERP, inputs, 'h', slerpKernel(inputs, bf, keep, keep))).toBeGreaterThan(50);
      expect(outside(SLERP, inputs, 'h', slerpKernel(inputs, bf, bf, bf))).toBeGreaterThan(50);
    }
  });

  test('of a plain sum is the sum and gamma(depth) of its magnitude', () => {
    const inputs = ordinaryInputs(SUM.inputs, SHAPE, {}, 'sum');
    const want = reference(SUM, inputs)['y']?.[0] ?? NaN;
    const ends = ranges(SUM, inputs, arithmetic(10))['y'];
    const magnitude = rowOf(SUM, inputs, 'x').reduce((sum, x) => sum + Math.abs(x), 0);
    const gamma = (10 * 2 ** -24) / (1 - 10 * 2 ** -24);
    expect((ends?.hi[0] ?? NaN) - want).toBeCloseTo(gamma * magnitude, 9);
    expect(want - (ends?.lo[0] ?? NaN)).toBeCloseTo(gamma * magnitude, 9);
  });

  test('of a projection grows with the magnitude of its terms, not with their sum', () => {
    const shape = { rows: 3, k: 512, n: 5 };
    const inputs = ordinaryInputs(DENSE.inputs, shape, {}, 'dense');
    const want = reference(DENSE, inputs)['y'] ?? new Float64Array(0);
    const ends = ranges(DENSE, inputs, arithmetic(16))['y'];
    for (let i = 0; i < want.length; i++) {
      expect(ends?.lo[i] ?? NaN).toBeLessThanOrEqual(want[i] ?? NaN);
      expect(ends?.hi[i] ?? NaN).toBeGreaterThanOrEqual(want[i] ?? NaN);
    }
  });

  test('a softmax share is far narrower than dividing the two ranges, where one term dominates', () => {
    const x = Float32Array.of(0, ...Array.from({ length: 7 }, () => -20));
    const inputs: Inputs = { shape: { rows: 1, width: 8 }, bytes: { x: new Uint8Array(x.buffer) } };
    const ends = ranges(SOFTMAX, inputs, arithmetic(8))['y'];
    const spread = (ends?.hi[0] ?? NaN) - (ends?.lo[0] ?? NaN);
    expect(spread).toBeLessThan(24 * 2 ** -24);
    expect(spread).toBeGreaterThan(0);
  });

  test('integer sums are exact under gate 4, other sums keep their depth', () => {
    const exact = { ...arithmetic(10), exactIntegerSums: true };
    const integers: Inputs = {
      shape: { rows: 1, width: 4 },
      bytes: { x: new Uint8Array(Uint16Array.of(0x4040, 0x40a0, 0xc000, 0x3f80).buffer) },
    };
    const whole = ranges(SUM, integers, exact)['y'];
    expect([whole?.lo[0], whole?.hi[0]]).toEqual([7, 7]);
    const broken: Inputs = {
      ...integers,
      bytes: { x: new Uint8Array(Uint16Array.of(0x4040, 0x3f00, 0xc000, 0x3f80).buffer) },
    };
    const kept = ranges(SUM, broken, exact)['y'];
    expect(kept?.hi[0] ?? NaN).toBeGreaterThan(kept?.lo[0] ?? NaN);
  });

  test('holds a fp32 softmax of any order', () => {
    const source = random('softmax');
    const shape = { rows: 1, width: 1000 };
    const inputs = ordinaryInputs(SOFTMAX.inputs, shape, { x: 'logits' }, 'softmax');
    const x = rowOf(SOFTMAX, inputs, 'x');
    const top = Math.max(...x);
    const e = x.map((v) => f(Math.exp(f(v - top))));
    const order = source.shuffle(e.map((_, i) => i));
    const total = order.reduce((sum, i) => f(sum + (e[i] ?? 0)), 0);
    const ends = ranges(SOFTMAX, inputs, arithmetic(1000))['y'];
    e.forEach((v, i) => {
      const y = f(v / total);
      expect(y >= f(ends?.lo[i] ?? NaN) && y <= f(ends?.hi[i] ?? NaN)).toBe(true);
    });
  });
});
