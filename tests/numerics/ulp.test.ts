import { describe, expect, test } from 'bun:test';
import { decode, encode, round } from '../../src/numerics/codec.ts';
import { halfUlp, nextDown, nextDown64, nextUp, nextUp64, ulp } from '../../src/numerics/ulp.ts';
import { beside, exact, fromBits, LISTED, magnitudes, patterns, patternsNear } from './oracle.ts';
import type { Listed } from './oracle.ts';

describe.each(LISTED)('%s', (type: Listed) => {
  const values = magnitudes(type);
  const max = values.at(-1)!;

  test('ulp is the distance to the next value up, at every value and just below it', () => {
    for (let code = 0; code + 1 < values.length; code++) {
      const spacing = values[code + 1]! - values[code]!;
      if (ulp(type, values[code]!) !== spacing || ulp(type, -values[code]!) !== spacing) throw new Error(`at ${code}`);
      if (ulp(type, beside(values[code + 1]!, -1n)) !== spacing) throw new Error(`just below ${code + 1}`);
      if (halfUlp(type, values[code]!) !== spacing / 2) throw new Error(`half, at ${code}`);
    }
  });

  test('past the largest value the spacing stays, and no infinity or NaN has one', () => {
    const last = max - values.at(-2)!;
    expect([ulp(type, max), ulp(type, 1e300)]).toEqual([last, last]);
    for (const x of [NaN, Infinity, -Infinity]) expect([ulp(type, x), halfUlp(type, x)]).toEqual([NaN, NaN]);
  });

  test('rounding moves nothing by more than half an ulp, and reaches it', () => {
    let reached = 0;
    for (const x of patternsNear(type, 20000, 51n)) {
      if (Math.abs(x) > max) continue;
      const moved = Math.abs(round(type, x) - x);
      if (!(moved <= halfUlp(type, x))) throw new Error(`${x} moved by ${moved}`);
      reached = Math.max(reached, moved / halfUlp(type, x));
    }
    expect(reached).toBeGreaterThan(0.99);
    expect(round(type, values[1]! / 2)).toBe(0);
    expect(halfUlp(type, values[1]! / 2)).toBe(values[1]! / 2);
  });

  test('nextUp and nextDown walk through every value and off both ends', () => {
    const walked = [...values.map((x) => -x).reverse(), ...values.slice(1)];
    walked.forEach((x, i) => {
      if (nextUp(type, x) !== (walked[i + 1] ?? Infinity)) throw new Error(`up from ${x}: ${nextUp(type, x)}`);
      if (nextDown(type, x) !== (walked[i - 1] ?? -Infinity)) throw new Error(`down from ${x}`);
      if (i === 0) return;
      const between = (walked[i - 1]! + x) / 2;
      if (nextUp(type, between) !== x || nextDown(type, between) !== walked[i - 1]) throw new Error(`at ${between}`);
    });
    expect([nextUp(type, -1e300), nextUp(type, -Infinity), nextUp(type, Infinity)]).toEqual([-max, -max, Infinity]);
    expect([nextDown(type, 1e300), nextDown(type, Infinity), nextDown(type, -Infinity)]).toEqual([max, max, -Infinity]);
    expect([nextUp(type, NaN), nextDown(type, NaN)]).toEqual([NaN, NaN]);
  });
});

test('f32: ulp and neighbours are those of the codes', () => {
  for (const code of [0, 1, 2, 0x7ffffe, 0x7fffff, 0x800000, 0x3f7fffff, 0x3f800000, 0x4b000001, 0x7f7ffffe]) {
    const [x, above] = [decode('f32', code), decode('f32', code + 1)];
    expect([ulp('f32', x), nextUp('f32', x), nextDown('f32', above) + 0]).toEqual([above - x, above, x]);
    expect([nextUp('f32', -above) + 0, nextDown('f32', -x)]).toEqual([0 - x, -above]);
  }
  expect([ulp('f32', 1), ulp('f32', 5.9e-39), halfUlp('f32', 0)]).toEqual([2 ** -23, 2 ** -149, 2 ** -150]);
});

test('e8m0: neighbours are the powers of two', () => {
  for (let k = -127; k <= 127; k++) {
    const x = 2 ** k;
    expect([nextUp('e8m0', x), nextDown('e8m0', x)]).toEqual([
      k === 127 ? Infinity : 2 * x,
      k === -127 ? -Infinity : x / 2,
    ]);
    if (k < 127) expect([nextUp('e8m0', 1.3 * x), nextDown('e8m0', 1.3 * x)]).toEqual([2 * x, x]);
    expect(ulp('e8m0', 1.7 * x)).toBe(x);
  }
  expect([nextUp('e8m0', 0), nextUp('e8m0', -1), nextDown('e8m0', 1e300)]).toEqual([2 ** -127, 2 ** -127, 2 ** 127]);
  expect([nextUp('e8m0', NaN), nextDown('e8m0', NaN)]).toEqual([NaN, NaN]);
});

test('nextUp64 and nextDown64 step by one bit pattern', () => {
  const powers = Array.from({ length: 2098 }, (_, i) => 2 ** (i - 1074));
  const edges = powers.flatMap((x) => (x > 2 ** -1074 ? [x, beside(x, -1n), beside(x, 1n)] : [x]));
  for (const x of [...patterns(100000, 61n), ...edges]) {
    if (!Number.isFinite(x) || x === 0) continue;
    const magnitude = Math.abs(x);
    const [out, inward] = [beside(magnitude, 1n), beside(magnitude, -1n)];
    const [up, down] = x > 0 ? [out, inward] : [-inward, -out];
    if (nextUp64(x) !== up || nextDown64(x) !== down) throw new Error(`${x}`);
  }
  expect([nextUp64(0), nextUp64(-0), nextDown64(0)]).toEqual([5e-324, 5e-324, -5e-324]);
  expect([nextUp64(Number.MAX_VALUE), nextUp64(Infinity)]).toEqual([Infinity, Infinity]);
  expect([nextUp64(-Infinity), nextDown64(Infinity)]).toEqual([-Number.MAX_VALUE, Number.MAX_VALUE]);
  expect([nextUp64(NaN), nextDown64(NaN)]).toEqual([NaN, NaN]);
  expect(exact(nextUp64(fromBits(0xfffffffffn))) - exact(fromBits(0xfffffffffn))).toBe(1n);
});

test('bf16 by dropping bits breaks the half-ulp bound on about half of all values, and rounding never does', () => {
  let [dropped, rounded, count] = [0, 0, 0];
  for (const x of patternsNear('bf16', 20000, 71n)) {
    const single = Math.fround(x);
    if (!(Math.abs(single) > 2 ** -126 && Math.abs(single) < 2 ** 127)) continue;
    count++;
    const cut = decode('bf16', encode('f32', single) >>> 16);
    if (!(Math.abs(cut - single) <= halfUlp('bf16', single))) dropped++;
    if (!(Math.abs(round('bf16', single) - single) <= halfUlp('bf16', single))) rounded++;
  }
  expect(rounded).toBe(0);
  expect(dropped / count).toBeGreaterThan(0.48);
  expect(dropped / count).toBeLessThan(0.52);
});
