/** The chip tables: no chip twice, a source for every column, uncertain numbers marked by their columns. */
import { describe, expect, test } from 'bun:test';
import { CHIPS, chipNamed, SERVED_CHIPS } from '../../src/audit/chips/all.ts';
import type { Chip } from '../../src/audit/chips/chip.ts';
import { withOwnLimits } from '../../src/audit/chips/chip.ts';
import { CUDA_SOURCES } from '../../src/audit/chips/cuda.ts';
import { HIP_SOURCES } from '../../src/audit/chips/hip.ts';
import { METAL_SOURCES } from '../../src/audit/chips/metal.ts';
import { XPU_SOURCES } from '../../src/audit/chips/xpu.ts';
import { limitProblems } from '../../src/audit/rules/rules.ts';
import { chip, cuda, launch } from './rules-kit.ts';

const SOURCES: Readonly<Record<Chip['dialect'], object>> = {
  cuda: CUDA_SOURCES,
  hip: HIP_SOURCES,
  metal: METAL_SOURCES,
  xpu: XPU_SOURCES,
};

describe('every chip', () => {
  test.each(CHIPS.map((row) => [row.name, row] as const))('%s has a source for each of its numbers', (_name, row) => {
    const columns = Object.keys(row).filter((column) => !['dialect', 'name', 'served', 'uncertain'].includes(column));
    const sources = SOURCES[row.dialect] as Readonly<Record<string, string>>;
    expect(columns.filter((column) => !sources[column])).toEqual([]);
    expect(row.uncertain.filter((column) => !columns.includes(column))).toEqual([]);
  });

  test('has a name of its own', () => {
    expect(new Set(CHIPS.map(({ name }) => name)).size).toBe(CHIPS.length);
  });
});

test('the served chips', () => {
  const served = (dialect: Chip['dialect']): string =>
    SERVED_CHIPS.filter((row) => row.dialect === dialect)
      .map(({ name }) => name)
      .join(' ');
  expect(served('cuda')).toBe('sm_80 sm_86 sm_87 sm_89 sm_90 sm_100 sm_103 sm_110 sm_120 sm_121');
  expect(served('hip')).toBe('gfx1030 gfx1100 gfx1151 gfx1201 gfx90a gfx942');
  expect(served('xpu')).toBe('acm-g10 pvc bmg');
  expect(served('metal')).toBe('M1 M2 M3 M4 M5');
});

// An SM keeps 1 KiB of each block's shared memory for the driver.
test.each(CHIPS.flatMap((row) => (row.dialect === 'cuda' ? [[row.name, row] as const] : [])))(
  '%s: opt-in bytes are those of an SM less the reserved ones',
  (_name, row) => {
    expect(row.sharedOptIn).toBe(row.sharedSm - row.sharedReserved);
    expect(row.threadsSm % row.warp).toBe(0);
  },
);

test('an image of a chip with features is held to the chip', () => {
  expect(chipNamed('cuda', 'sm_90a')?.name).toBe('sm_90');
  expect(chipNamed('cuda', 'sm_100f')?.name).toBe('sm_100');
  expect(chipNamed('hip', 'gfx90a')?.name).toBe('gfx90a');
  expect(chipNamed('cuda', 'sm_75')).toBeUndefined();
});

test("a device's own limits replace its row's, and are certain", () => {
  const own = withOwnLimits(chip('cuda', 'sm_120'), { name: 'a device', clusterMost: 16, sharedOptIn: 99_328 });
  expect(own.uncertain).toEqual([]);
  expect(limitProblems([launch({ cluster: 16, grid: [16, 1, 1] })], cuda(), own)).toEqual([]);
  expect(limitProblems([launch({ localBytes: 99_329, optIn: true })], cuda(), own)).toEqual([
    { limit: 'local bytes', what: 'static 0 + dynamic 99,329 = 99,329 > 99,328 opt-in bytes of a device (1 over)' },
  ]);
});
