import { describe, expect, test } from 'bun:test';
import { LAUNCH, problems } from './good.ts';

type Sizes = Readonly<Record<'rows' | 'width', number>>;
const launched = (change: object): string => problems({ launch: { cuda: { ...LAUNCH, ...change } } });
const boom = (): never => {
  throw new Error('boom');
};

describe('a launch', () => {
  test.each([
    ['of whole groups', { grid: ({ rows }: Sizes) => [rows, 65_535, 65_535] }],
    ['of the most groups in x', { grid: () => [2 ** 31 - 1] }],
    ['of no groups, which its gate tells', { grid: () => [0] }],
    ['with local memory', { localBytes: ({ width }: Sizes) => width * 4 }],
    ['that sums nothing at an edge', { depth: ({ width }: Sizes) => (width === 8 ? 0 : 1) }],
  ])('%s is accepted', (_what, change) => {
    expect(launched(change)).toBe('');
  });

  test.each([
    ['a negative grid', { grid: () => [1, -1] }, 'has grid [1, -1] at rows=1,width=64: a grid is 1 to 3 whole'],
    ['an empty grid', { grid: () => [] }, 'has grid [] at'],
    ['a grid of four', { grid: () => [1, 1, 1, 1] }, 'has grid [1, 1, 1, 1] at'],
    ['a grid that is no list', { grid: () => 1 }, 'has grid 1 at'],
    ['too many groups in x', { grid: () => [2 ** 31] }, 'has grid [2147483648] at'],
    ['too many groups in y', { grid: () => [1, 65_536] }, 'has grid [1, 65536] at'],
    [
      'a grid off the whole numbers',
      { grid: ({ width }: Sizes) => [width / 64] },
      'has grid [1.125] at rows=1,width=72',
    ],
    ['a grid that is wrong at an edge', { grid: ({ width }: Sizes) => [width - 9] }, 'has grid [-1] at rows=1,width=8'],
    ['a grid of another name', { grid: ({ cols }: { cols?: number }) => [cols] }, 'has grid [undefined] at'],
    ['a grid that throws', { grid: boom }, 'its grid throws at rows=1,width=64: boom'],
    ['negative local memory', { localBytes: () => -4 }, 'has localBytes -4 at rows=1,width=64: dynamic local memory'],
    ['half a byte', { localBytes: ({ width }: Sizes) => width / 128 }, 'has localBytes 0.5 at'],
    ['local memory that throws', { localBytes: boom }, 'its localBytes throws at rows=1,width=64: boom'],
    [
      'ops of a map that the formula lacks',
      { ops: { tanh: 'tanhf' } },
      'states ops for tanh, which the formula does not have',
    ],
    ['a depth of 0', { depth: () => 0 }, 'has depth 0 at rows=1,width=64: a sum has at least one rounding'],
    [
      'a depth that is no number',
      { depth: ({ width }: Sizes) => Math.sqrt(width - 9) },
      'has depth NaN at rows=1,width=8',
    ],
    ['a depth that throws', { depth: boom }, 'its depth throws at rows=1,width=64: boom'],
    ['a route that throws', { when: boom }, 'its when throws at rows=1,width=64: boom'],
    [
      'a route that throws at an edge',
      { when: ({ width }: Sizes) => (width === 8 ? boom() : true) },
      'its when throws at rows=1,width=8: boom',
    ],
    ['too many threads', { threads: [64, 32] }, 'has 2048 threads a group'],
    ['no threads', { threads: [] }, 'has threads []: a group is x, or 1 to 3 sizes'],
  ])('is refused for %s', (_what, change, message) => {
    const lines = launched(change).split('\n');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('the cuda launch of k');
    expect(lines[0]).toContain(message);
  });

  test('that takes a map by a function which is not there is told which one is meant', () => {
    expect(launched({ ops: { exp: '__exppf' } })).toContain(
      "takes exp by '__exppf', which is no cuda function whose error is known, did you mean '__expf'?",
    );
  });

  test('is asked only at the shapes that reach it', () => {
    const narrow = { ...LAUNCH, when: ({ width }: Sizes) => width <= 64, grid: ({ width }: Sizes) => [65 - width] };
    expect(problems({ launch: { cuda: [narrow, LAUNCH] } })).toBe('');
  });
});
