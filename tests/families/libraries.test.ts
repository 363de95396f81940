/** The tables of libraries, and the bounds that are made of them. */
import { describe, expect, test } from 'bun:test';
import { DIALECTS } from '../../src/families/formula/functions.ts';
import { ranges } from '../../src/families/answer.ts';
import { LIBRARIES, limitOf } from '../../src/families/libraries/library.ts';
import { errorOf, stepsOf } from '../../src/families/libraries/limit.ts';
import { problemOf } from '../../src/families/problem.ts';
import { limitMacros } from '../../src/device/toolchain/limits.ts';
import { arithmetic, f32 } from './problems.ts';

describe.each(DIALECTS)('the library of %s', (dialect) => {
  const { functions, against, source } = LIBRARIES[dialect];

  test('names its document, and every function once', () => {
    expect(source.length).toBeGreaterThan(20);
    const names = functions.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  test('fits the bits that a launch notes', () => expect(functions.length).toBeLessThanOrEqual(128));

  test('bounds what its functions are moved by: steps from the correctly rounded result, and half an ulp to the exact one', () => {
    for (const one of functions)
      expect(errorOf(one, against).ulps).toBeGreaterThanOrEqual(
        stepsOf(one.limit, against) + (stepsOf(one.limit, against) > 0 ? 0.5 : 0),
      );
  });

  test('is what headers are compiled with', () => {
    const macros = limitMacros(dialect);
    expect(macros.length).toBe(functions.length);
    functions.forEach(({ limit }, id) => {
      const [number, steps, slope] = (macros[id] ?? '').split('=')[1]?.split(',').map(Number) ?? [];
      expect([number, steps, slope]).toEqual([id, stepsOf(limit, against), limit.slope ?? 0]);
    });
  });
});

test.each([
  // From the correctly rounded result, so half an ulp more; from the exact one; correctly rounded
  ['exp', 'cuda', 2.5],
  ['rsqrt', 'hip', 1.5],
  ['sqrt', 'cuda', 0.5],
  ['exp', 'metal', 4],
  ['rsqrt', 'metal', 0.5],
  ['div', 'xpu', 2.5],
  ['tanh', 'xpu', 5],
  ['add', 'xpu', 0.5],
  ['abs', 'xpu', 0],
  ['sigmoid', 'cuda', 4],
] as const)('%s in %s is within %p ulps', (map, dialect, ulps) => {
  expect(limitOf(map, dialect).ulps).toBe(ulps);
});

describe('a range', () => {
  const EXP = problemOf(
    { family: 'rows', over: 'width', text: 'y = exp(x)' },
    { x: f32('rows', 'width') },
    { y: f32('rows', 'width') },
    {},
    ['rows', 'width'],
  );
  const LOG = problemOf(
    { family: 'rows', over: 'width', text: 'y = log(x)' },
    { x: f32('rows', 'width') },
    { y: f32('rows', 'width') },
    {},
    ['rows', 'width'],
  );
  const spread = (problem: typeof EXP, x: number, ops: Parameters<typeof limitOf>[2]): number => {
    const inputs = { shape: { rows: 1, width: 1 }, bytes: { x: new Uint8Array(Float32Array.of(x).buffer) } };
    const ends = ranges(problem, inputs, { ...arithmetic(0), error: (op) => limitOf(op, 'cuda', ops) })['y'];
    return (ends?.hi[0] ?? Number.NaN) - (ends?.lo[0] ?? Number.NaN);
  };

  test('grows with the operand of a function whose limit does', () => {
    const share = (x: number): number => spread(EXP, x, { exp: '__expf' }) / Math.exp(x) / 2 ** -22;
    expect(share(0.5)).toBeCloseTo(2.5, 3);
    expect(share(-40)).toBeCloseTo(2.5 + Math.floor(1.173 * 40), 3);
  });

  test('takes an absolute error where the operand may lie in its interval, and ulps elsewhere', () => {
    expect(spread(LOG, 1.0009765625, { log: '__logf' })).toBeGreaterThanOrEqual(2 * 2 ** -21.41);
    expect(spread(LOG, 100, { log: '__logf' })).toBeCloseTo(2 * 3.5 * 2 ** -23 * Math.log(100), 8);
    expect(spread(LOG, 1.0009765625, {})).toBeLessThan(2 ** -30);
  });
});
