/** Records as lines and as tables of what changed. */
import { describe, expect, test } from 'bun:test';
import type { RecordLine } from '../../src/audit/records.ts';
import type { RecordChange } from '../../src/audit/records-sets.ts';
import type { Verdict } from '../../src/audit/audit.ts';
import { changeRows, changeText, recordLine } from '../../src/report/records.ts';
import { changesTable, fitted } from '../../src/report/records-table.ts';
import { limitsTables } from '../../src/report/limits-table.ts';
import { PLAIN } from '../../src/report/style.ts';
import { cuda, hip } from '../audit/rules-kit.ts';

const SOURCE = '0123456789abcdef';
const line = (
  registers: number,
  source = SOURCE,
  chip = 'sm_80',
  kernel = 'norm',
): Exclude<RecordLine, { pending: true }> => ({
  kernel,
  chip,
  symbol: 'tf_norm',
  source,
  facts: cuda({ registers, chip, maxThreads: [256, 1, 1] }),
});

describe('a RECORD line', () => {
  test('is words: address, chip, set, symbol, then the facts in the order of the file', () => {
    const set = { dialect: 'cuda', compiler: 'nvcc', release: '13.0' } as const;
    const text = recordLine('norm@cuda', set, { ...line(40), defines: 'HEAD=128 THREADS=256' });
    expect(text).toStartWith(
      `RECORD norm@cuda sm_80 nvcc-13.0 tf_norm -DHEAD=128 -DTHREADS=256 source=${SOURCE} registers=40 staticShared=`,
    );
    expect(text).toContain(' maxThreads=256x1x1 ');
    expect(text.split(' ').every((word) => word !== '')).toBe(true);
  });

  test('has a word for an empty list', () => {
    const set = { dialect: 'hip', compiler: 'clang', release: '19.1' } as const;
    const record = { ...line(0), facts: hip({ features: [] }) };
    expect(recordLine('norm@hip', set, record)).toContain(' features=none ');
  });
});

const change = (chip: string, before?: RecordLine, after?: RecordLine, kernel = 'norm'): RecordChange => ({
  key: { kernel, chip, symbol: 'tf_norm' },
  ...(before && { before }),
  ...(after && { after }),
});

describe('a change', () => {
  test.each([
    ['new', change('sm_80', undefined, line(40))],
    ['new', change('sm_80', { kernel: 'norm', chip: 'sm_80', symbol: 'tf_norm', pending: true }, line(40))],
    ['gone', change('sm_80', line(40))],
    ['registers 40, now 48', change('sm_80', line(40), line(48))],
    ['the source alone', change('sm_80', line(40), line(40, 'fedcba9876543210'))],
  ])('reads %j', (want, given) => expect(changeText(given)).toBe(want));

  test('that chips share is one row, and so is one that kernels share', () => {
    const chips = ['sm_80', 'sm_90'];
    const of = (kernel: string, now: number): RecordChange[] =>
      chips.map((chip) => change(chip, line(40), line(now), kernel));
    expect(changeRows([...of('a', 48), ...of('b', 48), ...of('c', 56)])).toEqual([
      { kernels: ['a', 'b'], chips, what: 'registers 40, now 48' },
      { kernels: ['c'], chips, what: 'registers 40, now 56' },
    ]);
  });
});

describe('a table', () => {
  test.each([
    [[10, 20], 80, [10, 20]],
    [[10, 60], 60, [10, 43]],
    [[40, 40], 60, [26, 27]],
    [[5, 60], 10, [5, 7]],
  ])('of columns %j fits %d characters as %j', (natural, width, want) => expect(fitted(natural, width)).toEqual(want));

  test.each([60, 100, 160])('of changes is at most %d wide', async (width) => {
    const chips = Array.from({ length: 10 }, (_, i) => `sm_${80 + i}`);
    const rows = [{ kernels: Array.from({ length: 20 }, (_, i) => `kernel_${i}`), chips, what: 'new' }];
    const lines = await changesTable([{ path: 'records/cuda/nvcc-13.0.jsonl', rows }], width, PLAIN);
    expect(Math.max(...lines.map((text) => Bun.stringWidth(text)))).toBeLessThanOrEqual(width);
    for (const chip of chips) expect(lines.join('\n')).toContain(chip);
  });
});

describe('the table of limits', () => {
  const verdict = (chip: string, status: Verdict['status'], more: Partial<Verdict> = {}): Verdict => ({
    ...{ kernel: 'norm', dialect: 'cuda', symbol: 'tf_norm', chip, status, problems: [] },
    ...more,
  });
  const near = { limit: 'registers', used: 0.94, what: '' } as const;
  const verdicts = [
    verdict('sm_80', 'fits'),
    verdict('sm_86', 'tight', { near }),
    verdict('sm_89', 'does not fit', { problems: [{ limit: 'local bytes', what: '' }] }),
    verdict('sm_120', 'pending'),
    verdict('sm_80', 'stale', { kernel: 'sum', problems: [{ limit: 'stale', what: '' }] }),
  ];

  const cellsOf = (lines: readonly string[]): string[][] => {
    const rows = lines.map((text) => text.split('│').slice(1, -1));
    return rows.filter((row) => row.length > 0).map((row) => row.map((cell) => cell.trim()));
  };

  test('has a column a chip where the terminal is wide', async () => {
    const lines = await limitsTables(verdicts, 100, PLAIN);
    expect(cellsOf(lines)).toEqual([
      ['cuda', 'sm_80', 'sm_86', 'sm_89', 'sm_120'],
      ['norm', 'fits', 'registers 94 %', 'local bytes !', 'pending'],
      ['sum', 'stale', '-', '-', '-'],
    ]);
  });

  test('has a line a verdict where it is narrow', async () => {
    const lines = await limitsTables(verdicts, 50, PLAIN);
    expect(Math.max(...lines.map((text) => Bun.stringWidth(text)))).toBeLessThanOrEqual(50);
    expect(cellsOf(lines)).toEqual([
      ['cuda', 'verdict', 'chips'],
      ['norm', 'fits', 'sm_80'],
      ['', 'registers 94 %', 'sm_86'],
      ['', 'local bytes !', 'sm_89'],
      ['', 'pending', 'sm_120'],
      ['sum', 'stale', 'sm_80'],
    ]);
  });
});
