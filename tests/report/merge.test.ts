import { describe, expect, test } from 'bun:test';
import { reportOf } from '../../src/report/json.ts';
import type { Part } from '../../src/report/merge.ts';
import { MergeError, mergeReports } from '../../src/report/merge.ts';
import { pageText } from '../../src/report/page/page.ts';
import type { Report } from '../../src/report/schema.ts';
import { LIMITS_UNIT } from '../../src/report/schema.ts';
import { summaryLine, tallyOf } from '../../src/report/tally.ts';
import { head, limits, planOf, registrations, report } from './report-kit.ts';

/** The kit's report in shards: every second unit is the other's. */
function shards(of: number): Part[] {
  const units = report.plan.units.map(({ unit }, i) => ({ unit, shard: 1 + (i % of) }));
  return Array.from({ length: of }, (_, i) => {
    const index = i + 1;
    const mine = new Set(units.filter(({ shard }) => shard === index).map(({ unit }) => unit));
    const has = (kernel: string, gate: string, device: string): boolean => mine.has(`${kernel}:${gate} ${device}`);
    const rows = registrations.map((row) => ({
      ...row,
      gates: row.gates.filter(({ gate }) => has(row.kernel, gate, row.device.id)),
      controls: row.controls.filter(({ gate }) => has(row.kernel, gate, row.device.id)),
    }));
    const own = rows.filter(({ gates, controls }) => gates.length + controls.length > 0);
    const plan = { ...report.plan, shard: { index, of }, units };
    return {
      file: `${index}.json`,
      report: reportOf({ ...head, plan }, own, mine.has(LIMITS_UNIT) ? limits : undefined),
    };
  });
}

const problemsOf = (parts: readonly Part[]): string[] => {
  try {
    mergeReports(parts);
  } catch (error) {
    if (error instanceof MergeError) return [...error.problems];
    throw error;
  }
  return [];
};

const as = (file: string, change: Partial<Report>): Part => ({ file, report: { ...report, ...change } });

describe('the shards of a run', () => {
  test.each([1, 2, 3])('%p of them have its rows, its plan and its SUMMARY, in any order', (of) => {
    const tally = tallyOf(registrations, { kernels: 2, controls: 4 });
    const own = { verdicts: 4, problems: 2, pending: 1, controls: { red: 1, missed: 1, broken: 0 } };
    for (const parts of [shards(of), shards(of).toReversed()]) {
      const merged = mergeReports(parts);
      expect(merged.registrations).toEqual(report.registrations);
      expect(merged.limits).toEqual(report.limits!);
      expect(merged.plan).toEqual(report.plan);
      expect(merged.summary).toBe(summaryLine(tally, head.gates, true, own));
      expect(merged.exitCode).toBe(1);
    }
  });

  test('one of which a signal ended are no run', () => {
    const [first, second] = shards(2);
    const partial = { signal: 'SIGTERM', done: 1, jobs: 3 } as const;
    expect(problemsOf([first!, { file: '2.json', report: { ...second!.report, partial } }])).toEqual([
      '2.json is partial: SIGTERM ended the run with 1 of 3 jobs done; run that part again.',
    ]);
  });

  test('that lack one are no run: it is named with what did not run', () => {
    const [first, , third] = shards(3);
    expect(problemsOf([first!, third!])).toEqual([
      expect.stringMatching(/^Shard 2 of 3 is missing: rms_rows:shapes host.* did not run\.$/),
    ]);
  });

  test('that have one twice are no run', () => {
    const [first, second] = shards(2);
    expect(problemsOf([first!, second!, { ...second!, file: 'again.json' }])).toEqual([
      'Shard 2 of 2 is doubled: 2.json and again.json both hold it.',
    ]);
  });

  test('must be cut alike, and run on like devices', () => {
    const [first, second] = shards(2);
    const units = second!.report.plan.units.toReversed();
    const other = { file: 'b', report: { ...second!.report, plan: { ...second!.report.plan, units } } };
    expect(problemsOf([first!, other])[0]).toContain('cut in different ways');
    const program = { ...head.program, platform: 'darwin-arm64' };
    const mac = { file: 'b', report: { ...second!.report, program } };
    expect(problemsOf([first!, mac])[0]).toBe(
      'One plan ran on different devices: host on linux-x64 in 1.json, host on darwin-arm64 in b.',
    );
  });

  test('must hold their own part: a row that was taken out is missed, one that was put in is not its own', () => {
    const [first, second] = shards(2);
    const lost = { file: 'a', report: { ...first!.report, registrations: [] } };
    expect(problemsOf([lost, second!])[0]).toMatch(/^a lacks results of its own part: rms_rows:nonfinite host/);
    const more = { file: 'b', report: { ...second!.report, registrations: report.registrations } };
    expect(problemsOf([first!, more])[0]).toMatch(/^b has results that are not of its part: rms_rows:nonfinite host/);
    const [row] = report.registrations;
    const thin = {
      ...report,
      registrations: [{ ...row!, controls: row!.controls.slice(1) }, report.registrations[1]!],
    };
    expect(problemsOf([{ file: 'c', report: thin }])).toEqual(['4 controls were planned, and 3 came back: c.']);
  });
});

describe('the reports of several machines', () => {
  const onGpu = (name: string, hash: string): Report => {
    const device = { id: 'cuda:0', name } as const;
    const [first] = registrations;
    const rows = [{ ...first!, device }];
    return reportOf({ ...head, devices: [{ ...device, dialects: ['cuda'] }], plan: { ...planOf(rows), hash } }, rows);
  };

  test('keep what ran where, also where two devices go by one id', () => {
    const merged = mergeReports([
      { file: 'a', report },
      { file: 'b', report: onGpu('H200', 'b') },
      { file: 'c', report: onGpu('L4', 'c') },
    ]);
    expect(merged.devices.map(({ id, name }) => [id, name])).toEqual([
      ['host', 'host'],
      ['cuda:0', 'H200'],
      ['cuda:0@2', 'L4'],
    ]);
    expect(merged.registrations.map(({ dialect, device }) => `${dialect} ${device}`)).toEqual([
      'cuda host',
      'cuda cuda:0',
      'cuda cuda:0@2',
      'hip host',
    ]);
    expect([merged.plan.kernels, merged.plan.controls]).toEqual([4, 12]);
    expect(merged.summary).toStartWith('SUMMARY 4 kernels: ');
    expect(mergeReports([{ file: 'all', report: merged }]).summary).toBe(merged.summary);
    const page = pageText(merged);
    const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id);
    expect(ids.filter((id, i) => ids.indexOf(id) !== i)).toEqual([]);
    for (const id of ['rms_rows@cuda:shapes', 'rms_rows@cuda:shapes/cuda:0', 'rms_rows@cuda:shapes/cuda:0@2'])
      expect(ids).toContain(id);
  });

  test('are doubled where they hold one result twice', () => {
    const plan = { ...report.plan, hash: 'other' };
    expect(problemsOf([as('a', {}), as('b', { plan })])).toContain(
      'rms_rows@cuda:shapes on host is doubled: a and b both hold it.',
    );
    expect(problemsOf([as('a', {}), as('b', {})])).toEqual(['The whole run is doubled: a and b both hold it.']);
  });

  test.each<[string, Partial<Report>]>([
    ['The program version differs: 0.1.0 in a, 9 in b.', { program: { ...head.program, version: '9' } }],
    ['The commit differs: abc1234 in a, fff in b.', { program: { ...head.program, commit: 'fff' } }],
    ['The kernel sources differ: f00d in a, beef in b.', { program: { ...head.program, sources: 'beef' } }],
    ['The seed differs: 7 in a, 8 in b.', { seed: '8' }],
    ['The flags differ: none in a, --lockstep in b.', { flags: '--lockstep' }],
  ])('%s', (problem, change) => {
    expect(problemsOf([as('a', {}), as('b', change)])).toEqual([problem]);
  });

  test('that disagree on gate 5, which needs no device, are not one', () => {
    const gpu = onGpu('H200', 'b');
    const units = [...gpu.plan.units, { unit: LIMITS_UNIT, shard: 1 }];
    const other: Report = {
      ...gpu,
      limits: { verdicts: [], controls: [], problems: [] },
      plan: { ...gpu.plan, units },
    };
    expect(problemsOf([as('a', {}), { file: 'b', report: other }])).toEqual([
      'Gate 5 differs: a and b audit different launches or records.',
    ]);
    expect(problemsOf([as('a', {}), { file: 'b', report: { ...other, limits: report.limits! } }])).toEqual([]);
  });
});

test('a fault of ours in one part is one of the whole', () => {
  expect(mergeReports([as('a', { exitCode: 70 })]).exitCode).toBe(70);
});
