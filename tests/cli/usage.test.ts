import { describe, expect, test } from 'bun:test';
import { COMMANDS, TOPICS } from '../../src/cli/arguments/commands.ts';
import { UsageError } from '../../src/cli/errors.ts';
import type { Flag } from '../../src/cli/arguments/flag.ts';
import { FLAGS } from '../../src/cli/arguments/flags.ts';
import { mainPage, pageOf } from '../../src/cli/arguments/usage.ts';

const NAMES = [...COMMANDS, ...TOPICS].map(({ name }) => name);
const KNOWN = new Set(COMMANDS.flatMap(({ flags }) => Object.keys(flags)));

/** Lines that explain a flag. */
const linesOf = (page: string, name: string): string[] =>
  page.split('\n').filter((line) => new RegExp(`^  (-\\w, )?--${name} `).test(line));

describe('the first page', () => {
  const lines = mainPage().split('\n');

  test('fits a screen: 24 to 40 lines of 80 columns', () => {
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(lines.length).toBeGreaterThanOrEqual(24);
    expect(lines.length).toBeLessThanOrEqual(40);
  });

  test.each(Object.entries<Flag>(FLAGS))('has --%s, unless that is rare', (name, { rare }) => {
    expect(linesOf(mainPage(), name)).toHaveLength(rare ? 0 : 1);
  });

  test('names every page', () => {
    expect(mainPage().replaceAll('\n', ' ')).toContain(`Pages: ${NAMES.join(', ')} Exit`);
  });
});

describe.each(COMMANDS)('the page $name', ({ name, flags, examples }) => {
  const page = pageOf(name);

  test('explains each of its flags once', () => {
    for (const flag of Object.keys(flags)) expect(linesOf(page, flag)).toHaveLength(1);
  });

  test('has an example', () => {
    expect(examples.length).toBeGreaterThan(0);
  });
});

test.each(NAMES)('the page %s has 80 columns, and names no flag that is not there', (name) => {
  const page = pageOf(name);
  expect(Math.max(...page.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  expect([...page.matchAll(/--([a-z-]+)/g)].map(([, flag = '']) => flag).filter((flag) => !KNOWN.has(flag))).toEqual(
    [],
  );
});

test('a page that is not there suggests one that is', () => {
  expect(() => pageOf('limit')).toThrow(UsageError);
  expect(() => pageOf('limit')).toThrow(
    "There is no page 'limit' (did you mean limits?).\n  There are run, new, limits,",
  );
});
