/** The comparer by ranges: signs of zero, and what has no range. */
import { expect, test } from 'bun:test';
import { f32 } from '../../src/spec/contract.ts';
import { compareRanges, judgementOf } from '../../src/gates/compare.ts';
import { encodeAll } from '../../src/numerics/codec.ts';

const compared = (got: number, want: number, lo: number, hi: number, open = false) =>
  compareRanges(
    { name: 'y', tensor: f32('n'), shape: { n: 1 }, bytes: encodeAll('f32', [got]) },
    Float64Array.of(want),
    { lo: Float64Array.of(lo), hi: Float64Array.of(hi) },
    ...(open ? [judgementOf] : []),
  );

test('a zero has the sign of both ends where they are zeros of one sign, and either sign else', () => {
  expect(compared(0, -0, -0, -0).finding?.worst).toContain('got 0 (0x00000000)  want -0 (0x80000000)');
  expect(compared(-0, -0, -0, -0).finding).toBeUndefined();
  for (const got of [0, -0]) {
    expect(compared(got, 0, -0, 0).finding).toBeUndefined();
    expect(compared(got, 1e-46, -1e-45, 1e-45).finding).toBeUndefined();
  }
});

test('what has no bound is counted, and judged where nothing is left open', () => {
  expect(compared(5, 1, 0, Infinity, true)).toMatchObject({ index: -1, unbounded: 1 });
  expect(compared(5, 1, Number.NaN, 2, true)).toMatchObject({ index: -1, unbounded: 1 });
  expect(compared(5, 1, 0, 2, true).finding).toMatchObject({ class: 'value' });
  expect(compared(5, Infinity, Infinity, Infinity, true).finding).toMatchObject({ class: 'value' });
  expect(compared(Infinity, Infinity, Infinity, Infinity, true).finding).toBeUndefined();
  expect(compared(5, Number.NaN, Number.NaN, Number.NaN, true).finding).toMatchObject({ class: 'value' });
  expect(compared(Number.NaN, Number.NaN, Number.NaN, Number.NaN, true).finding).toBeUndefined();
});

test('what is wrong is past its bound in the digits that show, or in words', () => {
  const bound = 2 ** -24 + 2 ** -2;
  const over = (share: number): string => compared(1 + bound * share, 1, 1, 1.25).finding?.worst ?? 'it passes';
  expect(over(2)).toEndWith('  2x');
  expect(over(1.0004)).toEndWith('  1.0004x');
  expect(over(1 + 2 ** -22)).toEndWith('  just over 1x');
  expect(compared(0, -0, -0, -0).finding?.worst).toEndWith('  bound 7.00649e-46');
});

test('what passes has 1 at most', () => {
  const { margin, finding } = compared(1 + 2 ** -23, 0.5, 0.5, 1 + 0.6 * 2 ** -23);
  expect([finding, margin?.share]).toEqual([undefined, 1]);
});

test('a bound that is NaN lets nothing pass where nothing may be open', () => {
  expect(compared(1, 1, Number.NaN, Number.NaN).finding).toMatchObject({ class: 'value' });
});
