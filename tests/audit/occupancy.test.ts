/** Groups a multiprocessor, against NVIDIA's own occupancy header where its printed rows are, and by hand. */
import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cudaOccupancy, occupancyOf } from '../../src/audit/occupancy.ts';
import { cdna, chip, cuda, hip, launch, metal, threads, xpu } from './rules-kit.ts';

/** Rows of cuda_occupancy.h 13.0: sm, registers, threads, static, dynamic, barriers; blocks, then each limit. */
const EXTRACT = `80	4	96	0	16384	1	9	85	9	21	32	2147483647
80	4	384	0	0	1	5	21	164	5	32	2147483647
80	32	96	0	0	2	21	21	164	21	32	2147483647
86	4	32	4096	0	2	16	256	20	48	16	2147483647
86	4	32	4096	49152	1	1	256	1	48	16	2147483647
86	4	1024	0	16384	2	1	8	5	1	16	2147483647
86	64	384	0	16384	2	2	2	5	4	16	2147483647
87	4	128	0	0	2	12	64	164	12	16	2147483647
87	4	512	0	232448	1	0	16	0	3	16	2147483647
87	33	256	0	16384	1	6	6	9	6	16	2147483647
89	4	32	4096	49152	1	1	256	1	48	24	2147483647
89	4	96	0	0	2	16	85	100	16	24	2147483647
89	64	512	0	49152	1	2	2	2	3	24	2147483647
90	4	128	4096	0	2	16	64	45	16	32	32
90	4	128	4096	166912	1	1	64	1	16	32	64
90	32	32	4096	0	1	32	64	45	64	32	64
90	32	768	0	49152	1	2	2	4	2	32	64
100	4	32	4096	16384	1	10	256	10	64	32	64
100	4	512	0	16384	1	4	16	13	4	32	64
100	32	96	4096	0	1	21	21	45	21	32	64
103	4	32	0	232448	2	1	256	1	64	32	32
103	4	1024	0	0	2	2	8	228	2	32	32
103	32	384	0	0	1	5	5	228	5	32	64
110	4	128	0	16384	1	12	64	13	12	24	24
110	4	128	4096	65536	1	3	64	3	12	24	24
110	32	768	4096	65536	2	2	2	3	2	24	12
110	128	32	4096	0	2	12	16	45	48	24	12
120	4	32	0	166912	1	0	256	0	48	24	24
120	32	96	0	0	2	12	21	100	16	24	12
120	33	256	0	0	1	6	6	100	6	24	24
121	4	32	0	49152	2	2	256	2	48	24	12
121	4	384	0	0	1	4	21	100	4	24	24
121	32	768	0	16384	1	2	2	5	2	24	24`;

const SAMPLES = join(import.meta.dir, '../../../shared/samples/cuda/occupancy_vectors.tsv');
/** What the header prints for a resource that does not limit. */
const NO_LIMIT = 2_147_483_647;

function check(line: string): void {
  const [sm = 0, registers = 0, count = 0, staticShared = 0, localBytes = 0, barriers = 0, ...want] = line
    .split('\t')
    .map(Number);
  const measured = cuda({ registers, staticShared, barriers });
  const at = launch({ threads: [count, 1, 1], localBytes });
  const { groups, by } = cudaOccupancy(at, measured, chip('cuda', `sm_${sm}`));
  const got = [groups, by['registers'], by['shared bytes'], by['warps'], by['blocks'], by['barriers'] ?? NO_LIMIT];
  expect([line, ...got]).toEqual([line, ...want.slice(0, got.length)]);
}

describe('cuda', () => {
  test.each(EXTRACT.split('\n'))('%s', check);

  test.skipIf(!existsSync(SAMPLES))('all printed rows', () => {
    const rows = readFileSync(SAMPLES, 'utf8').trim().split('\n').slice(1);
    expect(rows.length).toBe(663);
    for (const row of rows) check(row);
  });
});

describe('hip', () => {
  test('waves, registers and LDS of a WGP', () => {
    const wgp = hip({ vgprs: 97, staticLds: 32_768 });
    const { groups, by } = occupancyOf(threads(256), wgp, chip('hip', 'gfx1100')) ?? {};
    // 97 VGPRs round to 120: 12 waves a SIMD, 48 a WGP; 8 waves a group. 128 KiB of LDS hold 4 groups.
    expect([groups, by]).toEqual([4, { VGPRs: 6, waves: 8, 'LDS bytes': 4 }]);
  });

  test('a CU has half of it', () => {
    const cu = hip({ vgprs: 97, staticLds: 32_768, wgpMode: false });
    expect(occupancyOf(threads(256), cu, chip('hip', 'gfx1100'))?.by).toEqual({ VGPRs: 3, waves: 4, 'LDS bytes': 2 });
  });

  test('a CDNA compute unit', () => {
    expect(occupancyOf(threads(256), cdna({ vgprs: 128 }), chip('hip', 'gfx942'))?.by).toEqual({ VGPRs: 4, waves: 8 });
  });
});

test('a core of Xe2 holds half the threads at 256 GRF', () => {
  expect(occupancyOf(threads(256), xpu({ simd: 16 }), chip('xpu', 'bmg'))?.groups).toBe(4);
  expect(occupancyOf(threads(256), xpu({ simd: 16, grf: 256 }), chip('xpu', 'bmg'))?.groups).toBe(2);
});

test("nothing is stated of Apple's chips", () => {
  expect(occupancyOf(threads(256), metal(), chip('metal', 'M1'))).toBeUndefined();
});
