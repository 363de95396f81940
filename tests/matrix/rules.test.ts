/** Every fault rule on two small sources in each dialect: the places that it finds, and what it makes of them. */
import { describe, expect, test } from 'bun:test';
import { DIALECTS } from '../../src/families/formula/functions.ts';
import { matrixOf } from '../../src/faults/matrix.ts';
import { FAULT_RULES } from '../../src/faults/rules/all.ts';
import planted from './planted.json' with { type: 'json' };
import { KERNELS_OF_KIT, TEXTS } from './kit.ts';

const EXPECTED: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = planted;

describe('a fault rule', () => {
  test('of every name is in the table of what is planted', () => {
    expect(Object.keys(EXPECTED).toSorted()).toEqual(FAULT_RULES.map(({ name }) => name).toSorted());
  });

  test.each(FAULT_RULES.map(({ name }) => name))('%s finds its places in every dialect', (name) => {
    const rules = FAULT_RULES.filter((rule) => rule.name === name);
    for (const dialect of DIALECTS) {
      const { faults, dead } = matrixOf(KERNELS_OF_KIT, TEXTS, [dialect], rules);
      expect(dead).toEqual([]);
      expect(faults.map(({ place, from, to }) => `${place}: ${from} → ${to}`)).toEqual([
        ...(EXPECTED[name]?.[dialect] ?? []),
      ]);
    }
  });

  test('plants nothing in a function that no launch reaches', () => {
    const { faults } = matrixOf(KERNELS_OF_KIT, TEXTS, DIALECTS);
    const text = TEXTS.get('tile/tile.cu') ?? '';
    const from = text.split('\n').findIndex((line) => line.includes('unused')) + 1;
    const unreached = Array.from({ length: 5 }, (_, i) => `tile.cu:${from + i}`);
    expect(from).toBeGreaterThan(0);
    expect(faults.filter(({ place }) => unreached.includes(place))).toEqual([]);
  });
});
