import { describe, expect, test } from 'bun:test';
import { ORDERS, replaySum } from '../../src/numerics/orders.ts';
import type { Accumulator, Order } from '../../src/numerics/orders.ts';
import { random } from '../../src/numerics/random.ts';
import type { Random } from '../../src/numerics/random.ts';
import { cutF32, exact, magnitudes, nearestMagnitude, ONE, OVERFLOW } from './oracle.ts';

type SlowAdd = (sum: number, term: number) => number;

const float = new Float32Array(1);

/** Addition by exact integers: nearest by search for f16 and bf16, toward zero for a cut, the hardware's for f32. */
function slowAdder(accumulator: Accumulator): SlowAdd {
  if (accumulator === 'f32') return (sum, term) => ((float[0] = sum), (float[0] += term), float[0]!);
  if (typeof accumulator === 'object') {
    return (sum, term) => toNumber(cutF32(exact(sum) + exact(term), accumulator.cut));
  }
  const values = magnitudes(accumulator);
  const table = values.map(exact);
  return (sum, term) => {
    const total = exact(sum) + exact(term);
    const code = nearestMagnitude(table, total);
    const magnitude = code === OVERFLOW ? Infinity : values[code]!;
    return total < 0n ? -magnitude : magnitude;
  };
}

/** An integer over ONE that is known to be a float64. */
function toNumber(numerator: bigint): number {
  const high = Number(numerator / (ONE >> 200n)) * 2 ** -200;
  return high + Number(numerator % (ONE >> 200n)) * 2 ** -1074;
}

/** The orders, spelt out index by index. */
function slowSum(terms: Float64Array, accumulator: Accumulator, order: Order): number {
  const add = slowAdder(accumulator);
  const chain = (list: readonly number[]): number => list.reduce(add, 0);
  const all = [...terms];
  if (order === 'chain') return chain(all);
  const middle = Math.floor(all.length / 2);
  if (order === 'halves') return add(chain(all.slice(0, middle)), chain(all.slice(middle)));
  let lanes = Array.from({ length: 32 }, (_, lane) => chain(all.filter((_term, i) => i % 32 === lane)));
  while (lanes.length > 1) {
    const half = lanes.length / 2;
    lanes = lanes.slice(0, half).map((sum, i) => add(sum, lanes[i + half]!));
  }
  return lanes[0]!;
}

/** Terms on which rounding twice goes wrong: halves of places, over tiny remainders of many sizes and signs. */
function hardTerms(generator: Random, count: number, least: number): Float64Array {
  const term = (): number => {
    const kind = generator.int(0, 3);
    if (kind === 0) return generator.signed() * 2 ** generator.int(-8, 8);
    if (kind === 1) return (generator.int(-8, 8) * 2 + 1) * 2 ** -generator.int(8, 12);
    if (kind === 2) return generator.int(-1, 1) * 2 ** generator.int(least, -9);
    return generator.int(-300, 300);
  };
  return Float64Array.from({ length: count }, () => Math.fround(term()));
}

const ACCUMULATORS: readonly Accumulator[] = ['f32', 'f16', 'bf16', { cut: 23 }, { cut: 13 }, { cut: 10 }, { cut: 0 }];
const CASES = ACCUMULATORS.flatMap((accumulator) => ORDERS.map((order) => ({ accumulator, order })));

describe.each(CASES)('%j', ({ accumulator, order }) => {
  test('agrees with exact sums rounded step by step', () => {
    const generator = random(`replay ${JSON.stringify(accumulator)} ${order}`);
    for (const count of [0, 1, 2, 3, 31, 32, 33, 63, 65, 257, 400]) {
      const terms = hardTerms(generator, count, count % 2 === 0 ? -140 : -30);
      const want = slowSum(terms, accumulator, order);
      if (replaySum(terms, accumulator, order) !== want) throw new Error(`${count} terms sum to ${want}`);
    }
  });
});

test('bf16 and cut sums round once, where a float64 sum in between goes wrong', () => {
  const tie = 1 + 2 ** -8;
  expect(Math.fround(tie + 2 ** -100)).toBe(tie);
  expect(replaySum(Float64Array.of(2 ** -100, tie), 'bf16', 'chain')).toBe(1 + 2 ** -7);
  expect(replaySum(Float64Array.of(-(2 ** -100), tie), 'bf16', 'chain')).toBe(1);
  expect(replaySum(Float64Array.of(2 ** -100, -tie), 'bf16', 'chain')).toBe(-1);
  const tieUp = 1 + 3 * 2 ** -8;
  expect(replaySum(Float64Array.of(-1.5 * 2 ** -53, tieUp), 'bf16', 'chain')).toBe(1 + 2 ** -7);
  expect(replaySum(Float64Array.of(1.5 * 2 ** -53, tie), 'bf16', 'chain')).toBe(1 + 2 ** -7);
  expect(replaySum(Float64Array.of(1, -(2 ** -100)), { cut: 10 }, 'chain')).toBe(1 - 2 ** -11);
  expect(replaySum(Float64Array.of(-1, 2 ** -100), { cut: 10 }, 'chain')).toBe(-(1 - 2 ** -11));
});

test('ones stop adding up where each accumulator ends', () => {
  const ones = new Float64Array(40000).fill(1);
  expect(replaySum(ones, 'bf16', 'chain')).toBe(256);
  expect(replaySum(ones, 'f16', 'chain')).toBe(2048);
  expect(replaySum(ones, { cut: 13 }, 'chain')).toBe(16384);
  expect(replaySum(ones, 'f32', 'chain')).toBe(40000);
  expect(replaySum(ones, 'bf16', 'halves')).toBe(512);
  expect(replaySum(ones, 'bf16', 'lanes')).toBe(8192);
});

test('large integers overflow f16, lose thousands in bf16 and are exact in f32', () => {
  const half = Array.from({ length: 1024 }, (_, i) => 1000 + (i % 97));
  const terms = Float64Array.from([...half, ...half.map((x, i) => (i === 0 ? 3 - x : -x))]);
  expect(replaySum(terms, 'f32', 'chain')).toBe(3);
  expect(Math.abs(replaySum(terms, 'bf16', 'halves') - 3)).toBeGreaterThan(1);
  expect(replaySum(terms.subarray(0, 1024), 'f16', 'chain')).toBe(Infinity);
  expect(replaySum(terms, 'f16', 'halves')).toBeNaN();
});

test('the orders differ, so each is told from the others', () => {
  const generator = random('orders');
  const terms = Float64Array.from({ length: 1000 }, () => Math.fround(generator.signed()));
  expect(new Set(ORDERS.map((order) => replaySum(terms, 'f32', order))).size).toBe(3);
});

test('infinities and NaN pass through every accumulator', () => {
  for (const accumulator of ACCUMULATORS) {
    expect(replaySum(Float64Array.of(1, Infinity, 2), accumulator, 'chain')).toBe(Infinity);
    expect(replaySum(Float64Array.of(1, Infinity, -Infinity), accumulator, 'chain')).toBeNaN();
  }
  const largest = (2 - 2 ** -23) * 2 ** 127;
  expect(replaySum(Float64Array.of(largest, largest), { cut: 23 }, 'chain')).toBe(largest);
});

test('a cut outside fp32 is refused', () => {
  for (const cut of [-1, 24, 1.5, NaN])
    expect(() => replaySum(Float64Array.of(1), { cut }, 'chain')).toThrow(RangeError);
});
