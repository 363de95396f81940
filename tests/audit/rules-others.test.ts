/** The rules of HIP, XPU and Metal: each at its limit and one past it. */
import { describe, expect, test } from 'bun:test';
import { broken, cdna, hip, launch, metal, problems, threads, xpu } from './rules-kit.ts';

describe('hip', () => {
  // The most VGPRs of 1,024 work-items, as clang caps them itself.
  test.each([
    ['gfx1030', hip(), 128],
    ['gfx1100', hip(), 192],
    ['gfx1100', hip({ wgpMode: false }), 96],
    ['gfx1100', hip({ wave: 64 }), 192],
    ['gfx1151', hip(), 192],
    ['gfx1201', hip(), 192],
    ['gfx90a', cdna(), 128],
    ['gfx942', cdna(), 128],
    ['gfx906', cdna(), 64],
  ])('%s holds 1,024 work-items at its cap of VGPRs and not one more', (name, measured, cap) => {
    expect(broken(threads(1024), { ...measured, vgprs: cap }, name)).toEqual([]);
    expect(broken(threads(1024), { ...measured, vgprs: cap + 1 }, name)).toEqual(['registers']);
  });

  test('the sum shows waves, SIMDs and rounding', () => {
    expect(problems(threads(1024), hip({ vgprs: 136 }), 'gfx1030')[0]?.what).toBe(
      '1,024 work-items are 32 waves of 32, 8 on each of 4 SIMDs; 136 VGPRs round to 144, 8 x 144 = 1,152 > ' +
        '1,024 VGPRs a SIMD of gfx1030 (128 over)',
    );
  });

  test('a wave has at most 256 VGPRs on RDNA, 512 of both kinds on CDNA', () => {
    expect(broken(threads(32), hip({ vgprs: 256 }), 'gfx1100')).toEqual([]);
    expect(broken(threads(32), hip({ vgprs: 257 }), 'gfx1100')).toEqual(['registers']);
    expect(broken(threads(64), cdna({ vgprs: 512 }), 'gfx90a')).toEqual([]);
  });

  test('the workgroup holds to its bound, its required size and 1,024', () => {
    expect(broken(threads(257), hip({ maxFlatWorkgroup: 256 }), 'gfx1100')).toEqual(['launch bound']);
    expect(broken(threads(1025), hip({ maxFlatWorkgroup: 2048 }), 'gfx1100')).toEqual(['threads']);
    expect(broken(threads(16, 16), hip({ requiredWorkgroup: [16, 16, 1] }), 'gfx1100')).toEqual([]);
    expect(broken(threads(256), hip({ requiredWorkgroup: [16, 16, 1] }), 'gfx1100')).toEqual(['required group']);
  });

  test('CDNA runs no waves of 32', () => {
    expect(problems(threads(256), hip(), 'gfx942')).toEqual([
      { limit: 'wave', what: 'waves of 32, but gfx942 runs waves of 64' },
    ]);
  });

  test('a compile for waves of a width that the contract leaves out', () => {
    const only64 = launch({ notAt: [32] });
    expect(problems(only64, hip(), 'gfx1100')).toEqual([
      {
        limit: 'wave',
        what: 'compiled for waves of 32, at which no launch of the kernel takes the shape (`warp`)',
      },
    ]);
    expect(problems(only64, hip({ wave: 64 }), 'gfx1100')).toEqual([]);
    expect(problems(only64, cdna(), 'gfx942')).toEqual([]);
    expect(broken(launch({ notAt: [16, 8] }), xpu({ simd: 16, requiredSubgroup: 16 }), 'pvc')).toEqual(['sub-group']);
    expect(broken(launch({ notAt: [16, 8] }), xpu({ simd: 32, requiredSubgroup: 32 }), 'pvc')).toEqual([]);
  });

  test('LDS is the workgroup limit of the chip', () => {
    expect(broken(launch({ localBytes: 81_920 }), cdna({ staticLds: 81_920 }), 'gfx950')).toEqual([]);
    expect(broken(launch({ localBytes: 81_920 }), cdna({ staticLds: 81_920 }), 'gfx942')).toEqual(['local bytes']);
  });

  test('an uncertain number is told as such', () => {
    const [problem] = problems(threads(1024), cdna({ vgprs: 129 }), 'gfx950');
    expect(problem?.what).toEndWith('; that number of gfx950 is uncertain');
  });

  test('a grid is counted in work-items', () => {
    const wide = (groups: number): ReturnType<typeof launch> => launch({ threads: [256, 1, 1], grid: [groups, 1, 1] });
    expect(broken(wide(2 ** 24 - 1), hip(), 'gfx1100')).toEqual([]);
    expect(broken(wide(2 ** 24), hip(), 'gfx1100')).toEqual(['grid']);
  });
});

describe('xpu', () => {
  test.each([
    ['acm-g10', 8, []],
    ['pvc', 8, ['sub-group']],
    ['bmg', 16, []],
    ['bmg', 32, []],
    ['bmg', 8, ['sub-group']],
  ])('%s at SIMD%d', (name, simd, want) => {
    expect(broken(threads(256), xpu({ simd }), name)).toEqual(want);
  });

  test('a launch that is not for every sub-group has a source that requires its own', () => {
    const launch = { ...threads(256), notAt: [16, 8] };
    expect(broken(launch, xpu(), 'bmg')).toEqual(['sub-group']);
    expect(broken(launch, xpu({ requiredSubgroup: 32 }), 'bmg')).toEqual([]);
  });

  test('the sub-group is the one that the source requires', () => {
    expect(broken(threads(256), xpu({ simd: 16, requiredSubgroup: 32 }), 'bmg')).toEqual(['sub-group']);
  });

  // A core's hardware threads: 64 at 128 GRF and 32 at 256 on pvc and bmg; acm-g10 halves the group instead.
  test.each([
    ['pvc', 128, 16, 1024],
    ['pvc', 128, 32, 1024],
    ['pvc', 256, 16, 512],
    ['pvc', 256, 32, 1024],
    ['bmg', 256, 16, 512],
    ['acm-g10', 128, 8, 1024],
    ['acm-g10', 256, 8, 512],
    ['acm-g10', 256, 16, 512],
    ['acm-g10', 256, 32, 1024],
  ])('%s at %d GRF and SIMD%d takes %d work-items and no more', (name, grf, simd, most) => {
    expect(broken(threads(most), xpu({ grf, simd }), name)).toEqual([]);
    const want = most === 1024 ? 'threads' : 'grf';
    expect(broken(threads(most + 16), xpu({ grf, simd }), name)).toContain(want);
  });

  test('a register file that the chip does not have', () => {
    expect(broken(threads(32), xpu({ grf: 96 }), 'bmg')).toEqual(['grf']);
  });

  test('the work-group, SLM and barriers hold to their limits', () => {
    expect(broken(threads(256), xpu({ requiredWorkgroup: [32, 8, 1] }), 'bmg')).toEqual(['required group']);
    expect(broken(launch({ localBytes: 65_536 }), xpu({ slm: 65_536 }), 'bmg')).toEqual([]);
    expect(broken(launch({ localBytes: 65_536 }), xpu({ slm: 65_537 }), 'bmg')).toEqual(['local bytes']);
    expect(broken(launch(), xpu({ barriers: 33 }), 'bmg')).toEqual(['barriers']);
  });
});

describe('metal', () => {
  test('threads the source reserves hold on every chip', () => {
    expect(broken(threads(256), metal({ reserved: 256 }), 'M1')).toEqual([]);
    expect(broken(threads(512), metal({ reserved: 256 }), 'M1')).toEqual(['launch bound']);
    expect(broken(threads(512), metal({ reserved: 256 }), 'M5')).toEqual(['launch bound']);
  });

  test('a tensor kernel stays at 256 threads where it cannot be compiled ahead of time', () => {
    const tensor = metal({ tensorOps: true });
    expect(broken(threads(256), tensor, 'M2')).toEqual([]);
    expect(broken(threads(288), tensor, 'M2')).toEqual(['pipeline']);
    expect(broken(threads(1024), tensor, 'M5')).toEqual([]);
  });

  test('threadgroup memory is set in multiples of 16', () => {
    expect(broken(launch({ localBytes: 8 }), metal(), 'M3')).toEqual(['local bytes']);
    expect(broken(launch({ localBytes: 16 }), metal(), 'M3')).toEqual([]);
  });
});
