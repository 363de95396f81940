import { expect, test } from 'bun:test';
import { random, xoshiro } from '../../src/numerics/random.ts';

const take = <T>(count: number, draw: () => T): T[] => Array.from({ length: count }, draw);

test('xoshiro128** gives the published numbers', () => {
  expect(take(10, xoshiro([1, 2, 3, 4]))).toEqual([
    ...[11520, 0, 5927040, 70819200, 2031721883, 1637235492, 1287239034, 3734860849, 3729100597, 4258142804],
  ]);
});

test('a seed gives the same numbers each time, and its number form the same as its text', () => {
  expect(take(20, random('rms_rows@cuda seed 7').u32)).toEqual(take(20, random('rms_rows@cuda seed 7').u32));
  expect(take(5, random(7).u32)).toEqual(take(5, random('7').u32));
});

test('a seed gives these numbers on every platform', () => {
  expect(take(4, random('rms_rows').u32)).toEqual([754535523, 3577143838, 2152581613, 2744675531]);
  const generator = random('rms_rows');
  expect([generator.unit(), generator.signed(), generator.normal(), generator.int(1, 6)]).toEqual([
    0.17567896842956543, -0.3342626094818115, 0.9134979248046875, 3,
  ]);
});

test('seeds that differ in one letter give unlike numbers', () => {
  const firsts = Array.from({ length: 20000 }, (_, seed) => random(seed).u32());
  expect(new Set(firsts).size).toBeGreaterThan(19990);
  expect(firsts.every((word) => Number.isInteger(word) && word >= 0 && word < 2 ** 32)).toBe(true);
  const ones = (word: number): number => word.toString(2).replaceAll('0', '').length;
  const flipped = firsts.slice(1).reduce((sum, word, i) => sum + ones((word ^ firsts[i]!) >>> 0), 0);
  expect(Math.abs(flipped / 19999 - 16)).toBeLessThan(0.1);
});

test('unit and signed stay in range as fp32, and reach over it evenly', () => {
  const generator = random('ranges');
  const unit = take(100000, generator.unit);
  const signed = take(100000, generator.signed);
  expect(unit.every((x) => x >= 0 && x < 1 && Math.fround(x) === x)).toBe(true);
  expect(signed.every((x) => x >= -1 && x < 1 && Math.fround(x) === x)).toBe(true);
  const mean = (list: number[]): number => list.reduce((sum, x) => sum + x, 0) / list.length;
  expect(Math.abs(mean(unit) - 0.5)).toBeLessThan(0.005);
  expect(Math.abs(mean(signed))).toBeLessThan(0.01);
  expect([Math.min(...signed) < -0.999, Math.max(...signed) > 0.999]).toEqual([true, true]);
});

test('normal has mean 0 and variance 1, about 68 in 100 within one, and is exact in fp32', () => {
  const generator = random('normal');
  const values = take(100000, generator.normal);
  const mean = values.reduce((sum, x) => sum + x, 0) / values.length;
  const variance = values.reduce((sum, x) => sum + (x - mean) ** 2, 0) / values.length;
  expect(Math.abs(mean)).toBeLessThan(0.015);
  expect(Math.abs(variance - 1)).toBeLessThan(0.02);
  expect(Math.abs(values.filter((x) => Math.abs(x) < 1).length / 100000 - 0.68)).toBeLessThan(0.01);
  expect(values.every((x) => Math.abs(x) <= 6 && Math.fround(x) === x)).toBe(true);
});

test('int takes both ends in, evenly', () => {
  const generator = random('int');
  const counts = new Map<number, number>();
  for (const x of take(60000, () => generator.int(-2, 3))) counts.set(x, (counts.get(x) ?? 0) + 1);
  expect([...counts.keys()].sort((a, b) => a - b)).toEqual([-2, -1, 0, 1, 2, 3]);
  for (const count of counts.values()) expect(Math.abs(count - 10000)).toBeLessThan(500);
  expect(generator.int(5, 5)).toBe(5);
  expect(take(100, () => generator.int(0, 2 ** 32 - 1)).some((x) => x > 2 ** 31)).toBe(true);
});

test('int favours no part of a range that does not divide 2 ** 32', () => {
  const generator = random('wide');
  const low = take(30000, () => generator.int(0, 3 * 2 ** 30 - 1)).filter((x) => x < 2 ** 30).length;
  expect(Math.abs(low - 10000)).toBeLessThan(500);
});

test('int refuses ranges that are empty, broken or too wide', () => {
  const generator = random('int');
  for (const [lo, hi] of [
    [1, 0],
    [0, 0.5],
    [0, NaN],
    [0, 2 ** 32],
  ] as const) {
    expect(() => generator.int(lo, hi)).toThrow(RangeError);
  }
});

test('shuffle works in place, gives the array back, and makes every order as likely', () => {
  const generator = random('shuffle');
  const orders = new Map<string, number>();
  for (let n = 0; n < 60000; n++) {
    const list = ['a', 'b', 'c'];
    const text = generator.shuffle(list).join('');
    if (list.join('') !== text) throw new Error(`${list} is not ${text}`);
    orders.set(text, (orders.get(text) ?? 0) + 1);
  }
  expect([...orders.keys()].sort()).toEqual(['abc', 'acb', 'bac', 'bca', 'cab', 'cba']);
  for (const count of orders.values()) expect(Math.abs(count - 10000)).toBeLessThan(500);
  expect([...generator.shuffle(Float64Array.of(1, 2, 3))].sort()).toEqual([1, 2, 3]);
});
