/** What makes two findings one: codes, never words. */
import { expect, test } from 'bun:test';
import { findingOf } from '../../src/gates/finding.ts';
import { CAUSES, isAlike, isSameCause } from '../../src/spec/cause.ts';
import { FINDING_CLASSES } from '../../src/spec/contract.ts';

test('every class of finding has a cause', () => {
  expect([...new Set(Object.values(CAUSES))].toSorted()).toEqual([...FINDING_CLASSES, 'weak' as const].toSorted());
});

test('a finding in other words is the same; of another output, cause or line it is another', () => {
  const race = findingOf({ code: 'race', lines: ['a.cu:6', 'a.cu:7'] }, 'race: thread 0 writes');
  expect(race.class).toBe('race');
  expect(isSameCause(race.cause, findingOf({ code: 'race', lines: ['a.cu:6', 'a.cu:7'] }, 'two threads').cause)).toBe(
    true,
  );
  const moved = findingOf({ code: 'race', lines: ['a.cu:7', 'a.cu:8'] }, race.what).cause;
  expect([isSameCause(race.cause, moved), isAlike(race.cause, moved)]).toEqual([false, true]);
  const value = { code: 'value', of: 'y' } as const;
  expect([isAlike(value, { code: 'value', of: 'z' }), isAlike(value, { code: 'bits', of: 'y' })]).toEqual([
    false,
    false,
  ]);
});
