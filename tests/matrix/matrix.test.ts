/** Addresses, dead anchors and the texts of planted faults. */
import { describe, expect, test } from 'bun:test';
import { DIALECTS } from '../../src/families/formula/functions.ts';
import type { SourceRule } from '../../src/faults/rule.ts';
import { matrixOf } from '../../src/faults/matrix.ts';
import { wholeSource } from '../../src/faults/source.ts';
import { readListing } from '../../src/spec/listing.ts';
import { loadKernels } from '../../src/spec/load.ts';
import { KERNELS_OF_KIT, TEXTS } from './kit.ts';

const listing = await readListing();
const kernels = loadKernels(listing);

const finding = (sites: SourceRule['sites'], applies = true): SourceRule => ({
  name: 'some-rule',
  stands: 'nothing',
  applies: () => applies,
  sites,
});

describe('the matrix', () => {
  test('has an address for each fault, and each only once', () => {
    const { faults } = matrixOf(kernels, listing.sources, DIALECTS);
    expect(new Set(faults.map(({ address }) => address)).size).toBe(faults.length);
    for (const { address } of faults) expect(address).toMatch(/^\w+@(cuda|hip|metal|xpu)~[\w-]+\.\d+$/);
  });

  test('has at least 100 faults, some of every registration, and no dead anchor over the registered kernels', () => {
    const { faults, dead } = matrixOf(kernels, listing.sources, DIALECTS);
    expect(dead).toEqual([]);
    expect(faults.length).toBeGreaterThan(100);
    for (const kernel of kernels)
      for (const dialect of kernel.dialects)
        expect(
          faults.filter((fault) => fault.kernel === kernel.name && fault.dialect === dialect).length,
        ).toBeGreaterThan(5);
  });

  test('calls a rule that applies and finds no place a dead anchor, and one that does not apply none', () => {
    const [fold] = KERNELS_OF_KIT.slice(0, 1);
    if (!fold) throw new Error('no kernel');
    expect(matrixOf([fold], TEXTS, ['cuda'], [finding(() => [])])).toEqual({
      faults: [],
      dead: [
        {
          kernel: 'fold',
          dialect: 'cuda',
          rule: 'some-rule',
          what: 'some-rule applies and finds no place in kernels/fold/fold.cu',
        },
      ],
    });
    expect(matrixOf([fold], TEXTS, ['cuda'], [finding(() => [], false)]).dead).toEqual([]);
  });

  test('differs from the source in the planted place alone, on lines of the same number', () => {
    const { faults } = matrixOf(KERNELS_OF_KIT, TEXTS, DIALECTS);
    for (const { plant, dialect, from } of faults) {
      if (plant.kind !== 'source') continue;
      const before = wholeSource(TEXTS, plant.path, dialect).split('\n');
      const after = plant.text.split('\n');
      expect(after.length).toBe(before.length);
      const changed = before.filter((line, i) => line !== after[i]);
      expect(changed.length).toBeGreaterThan(0);
      expect(changed.length).toBeLessThanOrEqual(Math.max(1, from.split(';').length));
    }
  });
});

describe('a source with its headers written in', () => {
  test('keeps the file and the line of everything behind a header', () => {
    const text = wholeSource(TEXTS, 'fold/fold.cu', 'cuda');
    expect(text).toStartWith('# 1 "kernels/fold/fold.cu"\n# 1 "kernels/shared/cuda/reduce.cuh"\n');
    expect(text).toContain('\n# 2 "kernels/fold/fold.cu"\n# 1 "kernels/shared/cuda/round.cuh"\n');
    expect(text).toContain('\n# 3 "kernels/fold/fold.cu"\n\nextern "C"');
    expect(text).not.toContain('#pragma once');
    expect(text.split('kernels/shared/cuda/group.cuh')).toHaveLength(2);
  });
});
