/** Public faults of limits, second part: launches on Apple, AMD and Intel chips. */
import { describe, expect, test } from 'bun:test';
import { staleImage } from '../../src/audit/records-stale.ts';
import { broken, hip, launch, metal, threads, xpu } from '../audit/rules-kit.ts';

const GFX = ['gfx1030', 'gfx1100', 'gfx1151', 'gfx1201'];
const APPLE = ['M1', 'M2', 'M3', 'M4', 'M5'];

describe('Metal', () => {
  test('L07: 1,024 threads where the pipeline compiles for 896: refused on M1 and M2 alone', () => {
    const compiled = metal({ maxThreads: 896 });
    const refused = APPLE.filter((chip) => broken(threads(1024), compiled, chip).includes('pipeline'));
    expect(refused).toEqual(['M1', 'M2']);
    expect(broken(threads(1024), compiled, 'M3')).toEqual([]);
    expect(broken(threads(896), compiled, 'M2')).toEqual([]);
  });

  test('L07: a limit that is not known is no pass', () => {
    expect(broken(threads(1024), metal(), 'M2')).toEqual(['pending']);
    expect(broken(threads(32), metal(), 'M1')).toEqual(['pending']);
  });

  test('L08: a dispatch past the pipeline, which runs nothing and says nothing, is refused before it is made', () => {
    expect(broken(threads(1024), metal({ maxThreads: 640 }), 'M1')).toEqual(['pipeline']);
  });

  test.each([
    [32_768, []],
    [32_784, ['local bytes']],
    [40_192, ['local bytes']],
  ])('L09: %d bytes of threadgroup memory', (bytes, want) => {
    const at = launch({ localBytes: bytes });
    for (const chip of APPLE) expect(broken(at, metal({ reserved: 256 }), chip)).toEqual(want);
  });
});

describe('HIP', () => {
  test('L10: the bound is the one that the code object states, never an assumed default', () => {
    for (const chip of GFX) {
      expect(broken(threads(1024), hip({ maxFlatWorkgroup: 1024 }), chip)).toEqual([]);
      expect(broken(threads(1024), hip({ maxFlatWorkgroup: 256 }), chip)).toEqual(['launch bound']);
    }
  });

  test.each([
    [0, 65_536, []],
    [0, 65_552, ['local bytes']],
    [0, 90_000, ['local bytes']],
    [40_960, 32_768, ['local bytes']],
  ])('L11: LDS of %d static and %d dynamic bytes: a WGP has 128 KiB, a workgroup 64', (staticLds, localBytes, want) => {
    for (const chip of GFX) expect(broken(launch({ localBytes }), hip({ staticLds }), chip)).toEqual(want);
  });

  const WIDE = ['gfx1100', 'gfx1151', 'gfx1201'];
  test.each([
    [128, 1024, [], []],
    [136, 1024, ['registers'], []],
    [192, 1024, ['registers'], []],
    [193, 1024, ['registers'], ['registers']],
    [256, 640, ['registers'], []],
    [256, 768, ['registers'], ['registers']],
  ])("L12: %d VGPRs x %d threads: each chip's own register file and step", (vgprs, count, narrow, wide) => {
    expect(broken(threads(count), hip({ vgprs }), 'gfx1030')).toEqual(narrow);
    for (const chip of WIDE) expect(broken(threads(count), hip({ vgprs }), chip)).toEqual(wide);
  });

  test.each(['gfx1030', 'gfx1201'])('L13: SGPRs do not bind on %s', (chip) => {
    expect(broken(threads(1024), hip({ sgprs: 102, vgprs: 64 }), chip)).toEqual([]);
  });
});

describe('XPU', () => {
  test.each([
    [512, 128, []],
    [1024, 128, []],
    [512, 256, []],
    [1024, 256, ['grf']],
  ])('L14: bmg at SIMD16: %d items at %d GRF', (items, grf, want) => {
    expect(broken(threads(items), xpu({ simd: 16, grf }), 'bmg')).toEqual(want);
  });

  test("L14: a record whose mode is not the image's is stale", () => {
    const facts = xpu({ simd: 16, grf: 128 });
    const record = { kernel: 'k', chip: 'bmg', symbol: 'k', source: '0123456789abcdef', facts, path: 'the record' };
    expect(staleImage(record, xpu({ simd: 16, grf: 256 }))?.what).toContain('grf 128, now 256');
    expect(staleImage(record, facts)).toBeUndefined();
  });

  test.each([
    ['acm-g10', 65_536, []],
    ['acm-g10', 69_632, ['local bytes']],
    ['bmg', 69_632, []],
  ])("L14: %s with %d bytes of SLM: the limit is the card class's own", (chip, slm, want) => {
    expect(broken(threads(256), xpu({ slm }), chip)).toEqual(want);
  });
});
