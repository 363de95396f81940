import { describe, expect, test } from 'bun:test';
import { diffMarkdown, diffSummary, diffTable, madeOfLines } from '../../src/report/diff-text.ts';
import { diffReports } from '../../src/report/diff.ts';
import type { LimitsResults } from '../../src/report/json.ts';
import { reportOf } from '../../src/report/json.ts';
import type { Report } from '../../src/report/schema.ts';
import { PLAIN } from '../../src/report/style.ts';
import { control, finding, gate, head, hostile, limits, registration, report } from './report-kit.ts';

const of = (gates: Parameters<typeof registration>[0], controls: Parameters<typeof registration>[1] = []): Report =>
  reportOf(head, [registration(gates, controls)]);
const withMargin = (share: number) => gate({ margin: { share, where: 'y[0]', label: 'rows=1' } });
const turns = (before: Report, after: Report): string[] =>
  diffReports(before, after).map(({ turn, address }) => `${turn} ${address}`);

test('equal reports have no changes', () => {
  expect(diffReports(report, report)).toEqual([]);
});

test.each<[string, Report, Report]>([
  ['worse', of([gate()]), of([gate({ status: 'fail', findings: [finding] })])],
  ['better', of([gate({ status: 'fail' })]), of([gate()])],
  ['worse', of([gate()]), of([gate({ status: 'not run' })])],
  ['worse', of([gate({ cases: 3 })]), of([gate({ cases: 2 })])],
  ['other', of([gate({ cases: 2 })]), of([gate({ cases: 3 })])],
  ['worse', of([withMargin(0.3)]), of([withMargin(0.36)])],
  ['other', of([withMargin(0.3)]), of([withMargin(0.34)])],
  ['better', of([withMargin(0.5)]), of([withMargin(0.3)])],
  [
    'worse',
    of([gate({ status: 'fail', findings: [finding] })]),
    of([gate({ status: 'fail', findings: [finding, finding] })]),
  ],
])('%p: a gate', (turn, before, after) => {
  expect(turns(before, after)).toEqual([`${turn} rms_rows@cuda:shapes`]);
});

test('the number of a gate that fails is that of what it found, never that of the cases that pass', () => {
  const margin = { share: 0, where: 'y[0]', label: 'rows=1' };
  const after = (found: typeof finding): string | undefined =>
    diffReports(of([withMargin(0.3)]), of([gate({ status: 'fail', margin, findings: [found] })]))[0]?.after;
  const { times: _, ...noNumber } = finding;
  expect(after({ ...finding, times: 24.4 })).toBe('fail (1 finding), 24.4 of bound, 3 cases');
  expect(after(noNumber)).toBe('fail (1 finding), 3 cases');
});

test('what is there in one alone: gone is worse, and what comes is added, or worse where it keeps no promise', () => {
  const one = of([gate()], [control()]);
  expect(turns(of([gate()], [control(), control({ id: '2', fault: 'f' })]), one)).toEqual(['worse rms_rows@cuda!2 f']);
  expect(turns(one, of([gate()], [control(), control({ id: '2', fault: 'f' })]))).toEqual(['added rms_rows@cuda!2 f']);
  expect(turns(one, of([gate()], [control(), control({ id: '2', fault: 'f', status: 'missed' })]))).toEqual([
    'worse rms_rows@cuda!2 f',
  ]);
});

test('a control that has another number and the same fault is the same', () => {
  const before = of([gate()], [control()]);
  expect(turns(before, of([gate()], [control({ id: '2' })]))).toEqual([]);
  expect(turns(before, of([gate()], [control({ id: '2', status: 'missed' })]))).toEqual([
    'worse rms_rows@cuda!2 the mean is over the threads',
  ]);
});

test('what the driver tells of a kernel is a change of its own', () => {
  const using = (registers: number) => gate({ loaded: [{ symbol: 'tf_k', defines: {}, attributes: { registers } }] });
  const [change] = diffReports(of([using(32)]), of([using(40)]));
  expect(change).toMatchObject({ turn: 'other', after: 'pass, 3 cases, tf_k: registers 40' });
});

test('a launch that no longer fits, or whose limit is nearer, is worse', () => {
  const at = (part: Partial<LimitsResults['verdicts'][number]>): Report =>
    reportOf(head, [], { ...limits, verdicts: [{ ...limits.verdicts[1]!, ...part }] });
  const near = (used: number) => at({ near: { limit: 'registers', used, what: `${used}` } });
  const address = 'rms_rows@cuda:limits:sm_90 tf_rms_rows nvcc-13.0';
  expect(turns(near(0.5), near(0.6))).toEqual([`worse ${address}`]);
  expect(turns(near(0.5), near(0.51))).toEqual([`other ${address}`]);
  expect(turns(near(0.5), at({ status: 'does not fit' }))).toEqual([`worse ${address}`]);
});

describe('as text', () => {
  const before = of([withMargin(0.3), gate({ gate: 'sums' })]);
  const after = { ...of([withMargin(0.9)], [control()]), seed: '9' };
  const changes = diffReports(before, after);

  test('the worst comes first, with what was and what is', async () => {
    expect(diffSummary(changes)).toBe('DIFF 2 worse, 1 added, 0 better, 0 other');
    const lines = await diffTable(changes, 200, PLAIN);
    expect(lines.join('\n')).toMatch(/worse.*shapes.*0\.3 of bound.*0\.9 of bound[^]*worse.*sums.*not there[^]*added/);
  });

  test('what the two were made of is told where it differs', () => {
    expect(madeOfLines(before, after)).toEqual(['seed: 7 -> 9']);
    expect(madeOfLines(before, before)).toEqual([]);
    const partial = { signal: 'SIGINT', done: 3, jobs: 68 } as const;
    expect(madeOfLines(before, { ...before, partial })).toEqual([
      'the second report is partial: SIGINT ended the run with 3 of 68 jobs done',
    ]);
  });

  test('as Markdown that holds no markup of the reports, within the room of a comment', () => {
    expect(diffMarkdown([], before, before)).toContain('Nothing changed.');
    expect(diffMarkdown(changes, before, after)).toContain('| **worse** | <code>rms&#95;rows@cuda&#58;shapes</code> |');
    const bad = diffMarkdown(diffReports(of([]), hostile('| <b>x</b> `y`\n# z')), of([]), hostile('<b>'));
    expect(bad).not.toMatch(/<b>|`|^# z/m);
    const many = Array.from({ length: 3000 }, (_, i) => ({ ...changes[0]!, address: `a${i}` }));
    const long = diffMarkdown(many, before, after);
    expect(long.length).toBeLessThan(65_536);
    expect(long).toMatch(/[\d,]+ more changes\.\n$/);
  });
});
