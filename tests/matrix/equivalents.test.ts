/** Explanations against the faults that there are: each must have its fault, and the fault must survive. */
import { describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { editText, explain, readEquivalents } from '../../src/faults/equivalents.ts';
import type { Equivalent } from '../../src/faults/equivalents.ts';
import { matrixOf } from '../../src/faults/matrix.ts';
import type { FaultResult } from '../../src/faults/result.ts';
import { DIALECTS } from '../../src/families/formula/functions.ts';
import { KERNELS, readSources } from '../../src/spec/folder.ts';
import { readListing } from '../../src/spec/listing.ts';
import { loadKernels } from '../../src/spec/load.ts';
import { KERNELS_OF_KIT, TEXTS } from './kit.ts';

const because = 'This argument is as long as an argument has to be, at least.';
const dead = [{ kernel: 'fold', dialect: 'hip', rule: 'tie-higher', what: 'it finds no place' }] as const;
const { faults } = matrixOf(KERNELS_OF_KIT, TEXTS, ['cuda']);
const all = { faults, dead };
const [fault] = faults;
if (!fault) throw new Error('no fault');
const entry: Equivalent = { faults: fault.address, edit: editText(fault), because };
const result = (status: FaultResult['status']): Map<string, FaultResult> =>
  new Map([[fault.address, { address: fault.address, status, reason: '', elapsedMs: 0 }]]);

describe('an explanation', () => {
  test('holds for its fault, by address or by pattern, whether it ran or not', () => {
    for (const one of [entry, { ...entry, faults: 'fold@*~tail-dropped.*' }])
      for (const results of [new Map(), result('survives')])
        expect(explain([one], all, results)).toEqual({
          because: new Map([[fault.address, because]]),
          dead,
          problems: [],
        });
  });

  test.each(['killed', 'same code', 'broken'] as const)('is a problem where its fault is %s', (status) => {
    expect(explain([entry], all, result(status)).problems).toEqual([
      expect.stringContaining(`does not survive at ${fault.address}`),
    ]);
  });

  test.each([
    ['another address', { faults: 'fold@cuda~tail-dropped.2' }],
    ['a part of an address', { faults: 'fold@cuda~tail' }],
    ['another edit', { edit: 'a → b' }],
  ])('of %s is a problem, and explains nothing', (_what, other) => {
    const { because: found, problems } = explain([{ ...entry, ...other }], all, result('survives'));
    expect(found.size).toBe(0);
    expect(problems).toEqual([expect.stringContaining('names no fault')]);
  });

  test('of a dead anchor takes it away, and is a problem where there is none', () => {
    const anchor = { faults: 'fold@hip~tie-higher', edit: 'no place', because };
    expect(explain([anchor], all, new Map())).toMatchObject({ dead: [], problems: [] });
    expect(explain([anchor], { faults, dead: [] }, new Map()).problems).toHaveLength(1);
  });
});

describe('the file of explanations', () => {
  test('of the project names a fault in every entry', async () => {
    const kernels = loadKernels(await readListing());
    const matrix = matrixOf(kernels, readSources(KERNELS), DIALECTS);
    expect(explain(readEquivalents(KERNELS), matrix, new Map()).problems).toEqual([]);
  });

  test.each([
    ['no argument', [{ faults: 'a', edit: 'b', because: 'so' }], 'an argument takes a sentence'],
    ['a mistyped entry', [{ fault: 'a', edit: 'b', because }], 'equivalent-faults.json'],
  ])('with %s is refused', (_what, entries, words) => {
    const folder = mkdtempSync(join(tmpdir(), 'tf-equivalents-'));
    try {
      writeFileSync(join(folder, 'equivalent-faults.json'), JSON.stringify(entries));
      expect(() => readEquivalents(folder)).toThrow(words);
      expect(readEquivalents(join(folder, 'none'))).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
