import { describe, expect, test } from 'bun:test';
import { add, contains, div, interval, mul, neg, roundTo, sqrt, sub, widen } from '../../src/numerics/interval.ts';
import type { Interval } from '../../src/numerics/interval.ts';
import { decode, round } from '../../src/numerics/codec.ts';
import { random } from '../../src/numerics/random.ts';
import { nextDown64, nextUp64 } from '../../src/numerics/ulp.ts';
import { exact, ONE } from './oracle.ts';

const generator = random('intervals');

/** A number of any sign, over 120 binary orders, sometimes zero or an integer. */
function number(): number {
  const kind = generator.int(0, 9);
  if (kind === 0) return 0;
  if (kind === 1) return generator.int(-9, 9);
  return generator.signed() * 2 ** generator.int(-60, 60) + generator.signed() * 2 ** -70;
}

function someInterval(): Interval {
  const [x, y] = [number(), generator.int(0, 3) === 0 ? undefined : number()];
  return y === undefined ? interval(x) : interval(Math.min(x, y), Math.max(x, y));
}

/** lo <= value / scale <= hi, in exact integers; `scale` is what value was multiplied by. */
function encloses(i: Interval, value: bigint, scale: bigint): boolean {
  return exact(i.lo) * scale <= value * ONE && value * ONE <= exact(i.hi) * scale;
}

/** Whether the ends are at most `steps` float64 steps apart from x. */
function isTight(i: Interval, x: number, steps: number): boolean {
  let [lo, hi] = [x, x];
  for (let n = 0; n < steps; n++) [lo, hi] = [nextDown64(lo), nextUp64(hi)];
  return i.lo >= lo && i.hi <= hi;
}

describe('every corner of a result lies inside it, exactly', () => {
  const pairs = Array.from({ length: 4000 }, () => [someInterval(), someInterval()] as const);
  const corners = (a: Interval, b: Interval): readonly (readonly [number, number])[] => [
    [a.lo, b.lo],
    [a.lo, b.hi],
    [a.hi, b.lo],
    [a.hi, b.hi],
  ];

  test('add and sub', () => {
    for (const [a, b] of pairs) {
      for (const [x, y] of corners(a, b)) {
        expect(encloses(add(a, b), exact(x) + exact(y), ONE)).toBe(true);
        expect(encloses(sub(a, b), exact(x) - exact(y), ONE)).toBe(true);
      }
    }
  });

  test('mul', () => {
    for (const [a, b] of pairs) {
      for (const [x, y] of corners(a, b)) expect(encloses(mul(a, b), exact(x) * exact(y), ONE * ONE)).toBe(true);
    }
  });

  test('div', () => {
    let divided = 0;
    for (const [a, b] of pairs) {
      if (contains(b, 0)) continue;
      divided++;
      for (const [x, y] of corners(a, b)) {
        const sign = exact(y) < 0n ? -1n : 1n;
        expect(encloses(div(a, b), sign * exact(x), sign * exact(y))).toBe(true);
      }
    }
    expect(divided).toBeGreaterThan(1000);
  });

  test('sqrt', () => {
    for (const [a] of pairs) {
      if (a.hi < 0) continue;
      const root = sqrt(a);
      expect(exact(root.hi) ** 2n >= exact(a.hi) * ONE).toBe(true);
      expect(root.lo >= 0 && exact(root.lo) ** 2n <= exact(Math.max(a.lo, 0)) * ONE).toBe(true);
    }
  });

  test('widen', () => {
    for (const [a, b] of pairs) {
      const relative = generator.int(0, 1) === 0 ? 2 ** -24 : generator.unit();
      const absolute = Math.abs(b.lo);
      const wide = widen(a, relative, absolute);
      const slack = (x: number): bigint => exact(Math.abs(x)) * exact(relative) + exact(absolute) * ONE;
      expect(exact(wide.lo) * ONE <= exact(a.lo) * ONE - slack(a.lo)).toBe(true);
      expect(exact(wide.hi) * ONE >= exact(a.hi) * ONE + slack(a.hi)).toBe(true);
    }
  });
});

test('points stay within one step of the float64 result', () => {
  for (let n = 0; n < 2000; n++) {
    const [x, y] = [number(), number()];
    const [a, b] = [interval(x), interval(y)];
    expect(isTight(add(a, b), x + y, 1)).toBe(true);
    expect(isTight(sub(a, b), x - y, 1)).toBe(true);
    expect(isTight(mul(a, b), x * y, 1)).toBe(true);
    if (y !== 0) expect(isTight(div(a, b), x / y, 1)).toBe(true);
    if (x >= 0) expect(isTight(sqrt(a), Math.sqrt(x), 1)).toBe(true);
    expect(isTight(widen(a, 0), x, 0)).toBe(true);
  }
});

test('zero stays exactly zero', () => {
  const zero = interval(0);
  expect(add(interval(3), interval(-3))).toEqual(zero);
  expect(sub(interval(0.1), interval(0.1))).toEqual(zero);
  expect(mul(zero, interval(-2, 3))).toEqual(zero);
  expect(div(zero, interval(2, 3))).toEqual(zero);
  expect(sqrt(zero)).toEqual(zero);
});

test('neg swaps and negates the ends', () => {
  expect(neg(interval(-1, 3))).toEqual(interval(-3, 1));
});

test('contains takes the ends in, and no NaN', () => {
  const i = interval(-1, 2);
  expect([-1, 2, 0, -1.0000001, 2.0000001, NaN].map((x) => contains(i, x))).toEqual([
    ...[true, true, true, false, false, false],
  ]);
});

test('NaN ends and ends out of order are refused', () => {
  for (const [lo, hi] of [
    [NaN, 1],
    [1, NaN],
    [NaN, NaN],
    [2, 1],
  ] as const) {
    expect(() => interval(lo, hi)).toThrow(RangeError);
  }
  expect(() => add(interval(Infinity), interval(-Infinity))).toThrow(RangeError);
});

test('what has no bound or no root is refused', () => {
  expect(() => div(interval(1), interval(-1, 1))).toThrow('holds zero');
  expect(() => div(interval(1), interval(0, 1))).toThrow('holds zero');
  expect(() => sqrt(interval(-2, -1))).toThrow('negative');
  expect(sqrt(interval(-1, 4)).lo).toBe(0);
  for (const [relative, absolute] of [
    [-1, 0],
    [NaN, 0],
    [1, 0],
    [0, -1],
    [0, NaN],
  ] as const) {
    expect(() => widen(interval(1), relative, absolute)).toThrow(RangeError);
  }
});

test('infinite ends stand for no bound', () => {
  const most = Number.MAX_VALUE;
  expect(add(interval(most), interval(most))).toEqual(interval(most, Infinity));
  expect(mul(interval(-1, 0), interval(1, Infinity))).toEqual(interval(-Infinity, Number.MIN_VALUE));
  expect(contains(div(interval(1, Infinity), interval(1, Infinity)), 1e300)).toBe(true);
  expect(contains(div(interval(1, Infinity), interval(1, Infinity)), 1e-300)).toBe(true);
  expect(widen(interval(0, Infinity), 0, 1).hi).toBe(Infinity);
});

test('both knobs of widen have an effect', () => {
  expect(contains(widen(interval(1), 2 ** -24), 1 + 2 ** -24)).toBe(true);
  expect(contains(widen(interval(1), 2 ** -25), 1 + 2 ** -24)).toBe(false);
  expect(contains(widen(interval(0), 2 ** -24, 2 ** -149), 2 ** -149)).toBe(true);
  expect(contains(widen(interval(0), 2 ** -24), 2 ** -149)).toBe(false);
});

test('roundTo rounds both ends, and holds every rounded value between', () => {
  for (let n = 0; n < 500; n++) {
    const [x, y] = [generator.normal(), generator.normal() / 64];
    const i = interval(Math.min(x, x + y), Math.max(x, x + y));
    const rounded = roundTo('bf16', i);
    expect([rounded.lo, rounded.hi]).toEqual([round('bf16', i.lo), round('bf16', i.hi)]);
    expect(contains(rounded, round('bf16', (i.lo + i.hi) / 2))).toBe(true);
  }
  expect(roundTo('f16', interval(1, 1e6))).toEqual(interval(1, Infinity));
  expect(() => roundTo('e4m3', interval(1, 1e6))).toThrow(RangeError);
  expect(roundTo('e4m3', interval(1, 1e6), { saturate: true })).toEqual(interval(1, 448));
});

test('an interval about a middle of two bf16 values holds both, and nothing else', () => {
  const [below, above] = [decode('bf16', 0x3f80), decode('bf16', 0x3f81)];
  const rounded = roundTo('bf16', widen(interval((below + above) / 2), 2 ** -24));
  expect(rounded).toEqual(interval(below, above));
});
