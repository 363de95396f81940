import { describe, expect, test } from 'bun:test';
import { gamma, LEAST_F32, U32, within } from '../../src/numerics/bound.ts';
import { replaySum } from '../../src/numerics/orders.ts';
import { random } from '../../src/numerics/random.ts';
import { halfUlp } from '../../src/numerics/ulp.ts';

describe('within', () => {
  test('is the distance against the bound, ends included', () => {
    expect(within(1.5, 1, 0.5)).toBe(true);
    expect(within(0.5, 1, 0.5)).toBe(true);
    expect(within(1.5000001, 1, 0.5)).toBe(false);
    expect(within(1, 1, 0)).toBe(true);
    expect(within(0, -0, 0)).toBe(true);
  });

  test('the bound has an effect', () => {
    expect([0, 0.001, 0.004, 0.01].map((bound) => within(1.005, 1, bound))).toEqual([false, false, false, true]);
  });

  test.each([
    ['got is NaN', NaN, 3, 1],
    ['want is NaN', 3, NaN, 1],
    ['both are NaN', NaN, NaN, 1],
    ['the bound is NaN', 3, 3, NaN],
    ['the bound is infinite', 3, 4, Infinity],
    ['the bound is negative', 3, 3, -1],
    ['got is infinite', Infinity, 3, 1e300],
    ['want is infinite', 3, Infinity, 1e300],
    ['both are the same infinity', Infinity, Infinity, 1],
    ['the distance overflows', 1e308, -1e308, 1e308],
  ])('is false where %s', (_, got, want, bound) => {
    expect(within(got, want, bound)).toBe(false);
  });

  test('finds exactly one bad element, wherever it is, and all of them where all are bad', () => {
    const want = Float64Array.from({ length: 257 }, (_, i) => i - 128);
    const failures = (got: Float64Array): number[] => [...want.keys()].filter((i) => !within(got[i]!, want[i]!, 0.25));
    for (const bad of [3, NaN, Infinity, -Infinity]) {
      for (const place of [0, 100, 256]) expect(failures(want.with(place, want[place]! + bad))).toEqual([place]);
    }
    expect(failures(want.map((x) => x + 0.5))).toHaveLength(257);
    expect(failures(want.map(() => NaN))).toHaveLength(257);
    expect(failures(want)).toEqual([]);
  });

  test('judges values whose squares leave fp32, and one flipped sign among many', () => {
    expect(within(Math.fround(3.1e19), Math.fround(3e19), 3e19 * 2 ** -20)).toBe(false);
    const generator = random('flipped');
    const want = Float64Array.from({ length: 2 ** 20 }, () => generator.signed());
    const got = want.with(777777, -want[777777]!);
    let failed = 0;
    for (let i = 0; i < want.length; i++) if (!within(got[i]!, want[i]!, Math.abs(want[i]!) * U32)) failed++;
    expect(failed).toBe(1);
  });

  test('a flushed subnormal fails by half an ulp, and passes where the bound holds the least normal', () => {
    expect(within(0, 5.9e-39, halfUlp('f32', 5.9e-39))).toBe(false);
    expect(within(0, 5.9e-39, halfUlp('f32', 5.9e-39) + 2 ** -126)).toBe(true);
    expect(within(0, 3 * 2 ** -24, halfUlp('f16', 3 * 2 ** -24))).toBe(false);
    expect(within(0, 3 * 2 ** -24, halfUlp('f16', 3 * 2 ** -24) + 2 ** -14)).toBe(true);
  });
});

describe('gamma', () => {
  test('is n u / (1 - n u)', () => {
    expect(gamma(0)).toBe(0);
    expect(gamma(1)).toBe(U32 / (1 - U32));
    expect(gamma(2 ** 23)).toBe(1);
    for (const n of [1, 7, 4096, 1e6]) expect((gamma(n) * (1 - n * U32)) / (n * U32)).toBeCloseTo(1, 15);
  });

  test('grows with n, and takes in a chain after a chain', () => {
    for (const [j, k] of [
      [1, 1],
      [5, 1000],
      [4096, 4096],
      [1e6, 3e6],
    ] as const) {
      expect(gamma(j)).toBeLessThan(gamma(j + 1));
      expect(gamma(j) + gamma(k) + gamma(j) * gamma(k)).toBeLessThanOrEqual(gamma(j + k) * (1 + 2 ** -50));
    }
  });

  test('refuses counts that bound nothing', () => {
    for (const n of [-1, NaN, 2 ** 24, Infinity]) expect(() => gamma(n)).toThrow(RangeError);
    expect(gamma(2 ** 24 - 1)).toBeGreaterThan(1e6);
  });

  test('bounds an fp32 chain, which comes near it on terms that round one way', () => {
    const generator = random('chain');
    const terms = Float64Array.from({ length: 4096 }, () => Math.fround(generator.signed()));
    const magnitude = terms.reduce((sum, x) => sum + Math.abs(x), 0);
    const exactly = terms.reduce((sum, x) => sum + x, 0);
    expect(within(replaySum(terms, 'f32', 'chain'), exactly, gamma(4095) * magnitude)).toBe(true);
    const biased = new Float64Array(1001).fill(U32 * (1 - 2 ** -20)).with(0, 1);
    const lost = 1000 * U32 * (1 - 2 ** -20);
    expect(replaySum(biased, 'f32', 'chain')).toBe(1);
    expect(within(1, 1 + lost, gamma(1000) * (1 + lost))).toBe(true);
    expect(within(1, 1 + lost, 0.99 * gamma(1000))).toBe(false);
  });
});

test('the constants of fp32', () => {
  expect([Math.fround(1 + U32), Math.fround(1 + 2 * U32)]).toEqual([1, 1 + 2 ** -23]);
  expect([Math.fround(LEAST_F32), Math.fround(LEAST_F32 / 2)]).toEqual([LEAST_F32, 0]);
});
