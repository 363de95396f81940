/** Public faults of limits, first part: launches that CUDA chips refuse, or that a harness refused wrongly. */
import { describe, expect, test } from 'bun:test';
import { staleImage } from '../../src/audit/records-stale.ts';
import { chooseSet, resolveSet } from '../../src/audit/records-sets.ts';
import type { RecordSet } from '../../src/audit/records.ts';
import { keyText } from '../../src/audit/records.ts';
import { extentOf } from '../../src/audit/launch.ts';
import { broken, cuda, launch, problems, threads } from '../audit/rules-kit.ts';

const SEEDED = ['sm_80', 'sm_86', 'sm_89', 'sm_120', 'sm_121'];

describe('L01: registers round to 8 a thread, and threads to whole warps', () => {
  test.each([
    [162, 384, []],
    [162, 400, ['registers']],
    [162, 512, ['registers']],
    [64, 1024, []],
    [65, 1024, ['registers']],
  ])('%d registers x %d threads', (registers, count, want) => {
    for (const sm of SEEDED) expect(broken(threads(count), cuda({ registers }), sm)).toEqual(want);
  });

  test('where the plain product would fit, the sum shows why it does not', () => {
    expect(400 * 162).toBeLessThan(65_536);
    expect(problems(threads(400), cuda({ registers: 162 }), 'sm_80')[0]?.what).toContain('13 warps (69,888)');
  });
});

test('L02: a later compiler that takes more registers makes its record stale, and is not judged by it', () => {
  const old = cuda({ registers: 34, release: '13.0' });
  const lines = [{ kernel: 'sort', chip: 'sm_80', symbol: 'k', source: '0123456789abcdef', facts: old }];
  const set: RecordSet = { dialect: 'cuda', compiler: 'nvcc', release: '13.0', lines };
  const chosen = chooseSet([set], 'nvcc', '13.2') ?? set;
  const record = resolveSet(chosen, [set]).records.get(keyText({ kernel: 'sort', chip: 'sm_80', symbol: 'k' }));
  if (!record) throw new Error('the record is not there');
  const image = cuda({ registers: 128, release: '13.2' });
  expect(broken(threads(1024), old, 'sm_80')).toEqual([]);
  expect(broken(threads(1024), image, 'sm_80')).toEqual(['registers']);
  expect(staleImage(record, image)).toEqual({
    limit: 'stale',
    what: 'records/cuda/nvcc-13.0.jsonl: sort on sm_80 is stale: registers 34, now 128 in the image, of release 13.2',
    do: 'Run: tf-kernel-contract --offline DIR --only sort@cuda --write',
  });
});

describe('tiles tuned on chips with more shared memory', () => {
  const tile = (localBytes: number): ReturnType<typeof launch> => launch({ localBytes, optIn: true });

  test.each([106_496, 135_200, 147_456])(
    'L03: %d dynamic bytes fit sm_80 alone, and the bytes over are named',
    (bytes) => {
      expect(broken(tile(bytes), cuda(), 'sm_80')).toEqual([]);
      for (const sm of SEEDED.slice(1)) {
        const [problem] = problems(tile(bytes), cuda(), sm);
        expect(problem?.limit).toBe('local bytes');
        const over = (bytes - 101_376).toLocaleString('en-US');
        expect(problem?.what).toEndWith(`> 101,376 opt-in bytes of ${sm} (${over} over)`);
      }
    },
  );

  test('L04: at exactly 48 KiB of dynamic memory, any static byte needs the opt-in', () => {
    const full = launch({ localBytes: 49_152 });
    expect(broken(full, cuda({ staticShared: 16 }), 'sm_80')).toEqual(['opt-in']);
    expect(broken({ ...full, optIn: true }, cuda({ staticShared: 16 }), 'sm_80')).toEqual([]);
    expect(broken(full, cuda(), 'sm_80')).toEqual([]);
  });

  test('L05: a kernel may use every byte, and not one more', () => {
    expect(broken(tile(101_360), cuda({ staticShared: 16 }), 'sm_120')).toEqual([]);
    expect(broken(tile(101_361), cuda({ staticShared: 16 }), 'sm_120')).toEqual(['local bytes']);
  });

  test('L06: a launch past its bound is named so, however much shared memory it opts in to', () => {
    const past = launch({ threads: [512, 1, 1], localBytes: 61_440, optIn: true });
    expect(broken(past, cuda({ maxThreads: [256, 1, 1] }), 'sm_80')).toEqual(['launch bound']);
  });
});

test.each([
  [[1, 65_535], []],
  [[1, 65_536], ['grid']],
  [[70_000, 1], []],
])('L15: a grid of %p: y ends at 65,535, x does not', (grid, want) => {
  expect(broken(launch({ grid: extentOf(grid) }), cuda(), 'sm_80')).toEqual(want);
});
