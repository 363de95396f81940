/** CUDA's rules: each at its limit and one past it. */
import { describe, expect, test } from 'bun:test';
import { extentOf } from '../../src/audit/launch.ts';
import { broken, cuda, launch, problems, threads } from './rules-kit.ts';

describe('threads of a block', () => {
  test.each([
    [[1024, 1, 1], []],
    [[32, 32, 1], []],
    [[16, 1, 64], []],
    [[1025, 1, 1], ['threads']],
    [[1, 1, 65], ['threads']],
    [[0, 1, 1], ['threads']],
  ])('%p', (block, want) => {
    expect(broken(threads(...extentOf(block)), cuda(), 'sm_80')).toEqual(want);
  });

  test('a depth past 64 is named by its axis', () => {
    expect(problems(threads(1, 1, 65), cuda(), 'sm_80')[0]?.what).toBe('block z 65 > 64 of sm_80 (1 over)');
  });
});

describe('launch bounds', () => {
  test('hold the product of the block, not its dimensions', () => {
    const bound = cuda({ maxThreads: [64, 4, 1] });
    expect(broken(threads(256), bound, 'sm_90')).toEqual([]);
    expect(broken(threads(257), bound, 'sm_90')).toEqual(['launch bound']);
  });

  test('a required block is met in each dimension', () => {
    const required = cuda({ requiredThreads: [64, 2, 1] });
    expect(broken(threads(64, 2), required, 'sm_90')).toEqual([]);
    expect(problems(threads(128), required, 'sm_90')).toEqual([
      { limit: 'required group', what: 'block 128 x 1 x 1, but .reqntid 64 x 2 x 1' },
    ]);
  });
});

describe('registers', () => {
  // The largest block by registers a thread, from NVIDIA's occupancy header.
  test.each([
    [64, 1024],
    [72, 896],
    [80, 768],
    [96, 640],
    [128, 512],
    [168, 384],
    [255, 256],
  ])('%d a thread fit %d threads and not a warp more', (registers, most) => {
    expect(broken(threads(most), cuda({ registers }), 'sm_80')).toEqual([]);
    if (most < 1024) expect(broken(threads(most + 32), cuda({ registers }), 'sm_80')).toEqual(['registers']);
  });

  test('the next register count moves to the next smaller block', () => {
    expect(broken(threads(1024), cuda({ registers: 65 }), 'sm_80')).toEqual(['registers']);
    expect(broken(threads(384), cuda({ registers: 169 }), 'sm_80')).toEqual(['registers']);
  });

  test('the sum shows each rounding', () => {
    expect(problems(threads(400), cuda({ registers: 162 }), 'sm_86')[0]?.what).toBe(
      '162 registers round to 168, 5,376 a warp; 400 threads are 13 warps (69,888), taken as 16; ' +
        '16 x 5,376 = 86,016 > 65,536 registers a block of sm_86 (20,480 over)',
    );
  });

  test('a thread has at most 255', () => {
    expect(broken(threads(32), cuda({ registers: 256 }), 'sm_80')).toEqual(['registers']);
  });

  test('neither the bound nor the registers prove the other', () => {
    const measured = cuda({ registers: 128, maxThreads: [256, 1, 1] });
    expect(broken(threads(1024), measured, 'sm_80')).toEqual(['launch bound', 'registers']);
  });
});

describe('shared bytes', () => {
  const dynamic = (localBytes: number, optIn = true): ReturnType<typeof launch> => launch({ localBytes, optIn });

  test('static and dynamic bytes are one sum against the opt-in size', () => {
    expect(problems(dynamic(101_120), cuda({ staticShared: 512 }), 'sm_86')).toEqual([
      {
        limit: 'local bytes',
        what: 'static 512 + dynamic 101,120 = 101,632 > 101,376 opt-in bytes of sm_86 (256 over)',
      },
    ]);
    expect(broken(dynamic(101_120), cuda({ staticShared: 256 }), 'sm_86')).toEqual([]);
  });

  test('past the default a launcher must opt in', () => {
    const [problem] = problems(dynamic(49_153, false), cuda(), 'sm_80');
    expect(problem?.limit).toBe('opt-in');
    expect(problem?.what).toBe(
      'static 0 + dynamic 49,153 = 49,153 > 49,152 bytes that sm_80 gives without opt-in (1 over)',
    );
    expect(problem?.do).toContain('optIn: true');
    expect(broken(dynamic(49_152, false), cuda(), 'sm_80')).toEqual([]);
  });

  test('past the opt-in size, opting in is no way out and is not told', () => {
    expect(broken(dynamic(200_000, false), cuda(), 'sm_86')).toEqual(['local bytes']);
  });

  test('static bytes never pass the default', () => {
    expect(broken(launch({ optIn: true }), cuda({ staticShared: 49_153 }), 'sm_90')).toEqual(['local bytes']);
  });
});

describe('clusters', () => {
  const clustered = (cluster: number | undefined, grid: readonly number[] = [96]): ReturnType<typeof launch> =>
    launch({ ...(cluster !== undefined && { cluster }), grid: extentOf(grid) });

  test('need sm_90', () => {
    expect(problems(clustered(2), cuda(), 'sm_89')[0]?.what).toBe('a cluster of 2, but sm_89 has no clusters');
    expect(broken(clustered(8), cuda(), 'sm_90')).toEqual([]);
    expect(broken(clustered(1), cuda(), 'sm_80')).toEqual([]);
  });

  test('are at most 16, and 8 on sm_120, where the number is told as uncertain', () => {
    expect(broken(clustered(16), cuda(), 'sm_90')).toEqual([]);
    expect(broken(clustered(17, [17]), cuda(), 'sm_90')).toEqual(['cluster']);
    expect(problems(clustered(16), cuda(), 'sm_120')[0]?.what).toEndWith('; that number of sm_120 is uncertain');
    expect(problems(clustered(17, [17]), cuda(), 'sm_90')[0]?.what).not.toContain('uncertain');
  });

  test('are what the image requires', () => {
    const required = cuda({ cluster: [2, 2, 2], explicitCluster: true });
    expect(broken(clustered(8, [2, 2, 2]), required, 'sm_90')).toEqual([]);
    expect(problems(clustered(4, [2, 2, 2]), required, 'sm_90')[0]?.what).toBe(
      'the launch states a cluster of 4, but the image needs 2 x 2 x 2 = 8',
    );
    expect(broken(clustered(undefined, [2, 2, 2]), required, 'sm_90')).toEqual(['cluster']);
  });

  test('divide the grid in each dimension', () => {
    const required = cuda({ cluster: [2, 2, 1] });
    expect(broken(clustered(4, [4, 2]), required, 'sm_90')).toEqual([]);
    expect(broken(clustered(4, [8, 1]), required, 'sm_90')).toEqual(['cluster']);
    expect(broken(clustered(4, [6]), cuda(), 'sm_90')).toEqual(['cluster']);
  });

  test('stay within the bound, and are stated where the image says so', () => {
    expect(broken(clustered(8), cuda({ maxClusterRank: 4 }), 'sm_90')).toEqual(['cluster']);
    expect(broken(clustered(4), cuda({ maxClusterRank: 4 }), 'sm_90')).toEqual([]);
    expect(broken(clustered(undefined), cuda({ explicitCluster: true }), 'sm_90')).toEqual(['cluster']);
    expect(broken(clustered(1), cuda({ explicitCluster: true }), 'sm_90')).toEqual([]);
  });

  test('a block that is its own cluster needs none', () => {
    const single = cuda({ requiredThreads: [64, 2, 1], cluster: [1, 1, 1] });
    expect(broken(threads(64, 2), single, 'sm_90')).toEqual([]);
  });
});

test.each([
  [[2 ** 31 - 1, 1, 1], []],
  [[2 ** 31, 1, 1], ['grid']],
  [[1, 65_535, 65_535], []],
  [[1, 1, 65_536], ['grid']],
  [[0, 1, 1], ['grid']],
])('a grid of %p', (grid, want) => {
  expect(broken(launch({ grid: extentOf(grid) }), cuda(), 'sm_80')).toEqual(want);
});

test('a block has 16 named barriers', () => {
  expect(broken(launch(), cuda({ barriers: 16 }), 'sm_80')).toEqual([]);
  expect(broken(launch(), cuda({ barriers: 17 }), 'sm_80')).toEqual(['barriers']);
});
