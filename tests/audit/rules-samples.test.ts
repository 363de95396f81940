/** The rules on images that vendors' compilers made, where the folder of samples is. */
import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readImage } from '../../src/audit/images/read.ts';
import type { HipMeasured, Measured } from '../../src/audit/measured.ts';
import { vgprFile, vgprsOfWave } from '../../src/audit/rules/hip.ts';
import { largestGroup } from '../../src/audit/rules/rules.ts';
import { broken, chip, threads } from './rules-kit.ts';

const SAMPLES = join(import.meta.dir, '../../../shared/samples');
const absent = !existsSync(SAMPLES);

function kernel(file: string, symbol: string): Measured {
  const found = readImage(readFileSync(join(SAMPLES, file)), file).kernels.find((each) => each.symbol === symbol);
  if (!found) throw new Error(`${file} holds no ${symbol}`);
  return found;
}

describe('compiled controls', () => {
  test.skipIf(absent).each(['sm_80', 'sm_86', 'sm_89', 'sm_120', 'sm_121'])('go red on %s', (name) => {
    const bound = kernel(`cuda/controls.${name}.cubin`, 'bound256');
    expect([broken(threads(256), bound, name), broken(threads(512), bound, name)]).toEqual([[], ['launch bound']]);
    const over = kernel(`cuda/controls.${name}.cubin`, 'regs_over');
    expect([broken(threads(512), over, name), broken(threads(1024), over, name)]).toEqual([[], ['registers']]);
  });

  test.skipIf(absent)('the largest group that fits', () => {
    const local = { localBytes: 0, optIn: false };
    const largest = (file: string, symbol: string, name: string): readonly number[] | undefined => {
      const measured = kernel(file, symbol);
      return largestGroup(measured, chip(measured.dialect, name), local);
    };
    expect(largest('cuda/controls.sm_80.cubin', 'bound256', 'sm_80')).toEqual([256, 1, 1]);
    expect(largest('cuda/controls.sm_80.cubin', 'regs_over', 'sm_80')).toEqual([512, 1, 1]);
    expect(largest('cuda/attrs.sm_90.cubin', 'bsclus', 'sm_90')).toEqual([128, 1, 1]);
    expect(largest('cuda/attrs.sm_90.cubin', 'clus222', 'sm_90')).toEqual([1024, 1, 1]);
    // Its static memory passes the limit of no chip, but no group makes dynamic memory fit.
    const slm = kernel('xpu/x.acm-g10+dg1.ar', 'stat_slm');
    expect(largestGroup(slm, chip('xpu', 'acm-g10'), { localBytes: 65_536, optIn: false })).toBeUndefined();
  });
});

/** Waves a SIMD that clang states for each kernel of a compile. */
function remarks(name: string): Map<string, number> {
  const text = readFileSync(join(SAMPLES, `hip/k.${name}.resource-usage.txt`), 'utf8');
  const found = text.matchAll(/Function Name: (\w+)[^]*?Occupancy \[waves\/SIMD\]: (\d+)/g);
  return new Map([...found].map(([, symbol = '', waves]) => [symbol, Number(waves)]));
}

describe('waves a SIMD by registers are at least those that clang states, which LDS may lower', () => {
  const CHIPS = ['gfx1030', 'gfx1100', 'gfx1151', 'gfx1201', 'gfx90a', 'gfx942'];
  test.skipIf(absent).each(CHIPS)('%s', (name) => {
    const row = chip('hip', name);
    const file = `hip/k.${name}.co`;
    const kernels = readImage(readFileSync(join(SAMPLES, file)), file).kernels as readonly HipMeasured[];
    const stated = remarks(name);
    expect(kernels.length).toBeGreaterThan(10);
    const differing = kernels.filter((measured) => {
      const vgprs = vgprFile(measured, row);
      if (!vgprs) throw new Error(`${name} runs no waves of ${measured.wave}`);
      const waves = Math.min(row.wavesSimd, Math.floor(vgprs.total / vgprsOfWave(measured, vgprs)));
      const want = stated.get(measured.symbol);
      return measured.staticLds > 0 ? waves < (want ?? Infinity) : waves !== want;
    });
    expect(differing.map(({ symbol }) => symbol)).toEqual([]);
  });
});
