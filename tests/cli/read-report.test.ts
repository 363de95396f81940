/** Reports come from other machines: what is not one is told by its file and place, and never read as one. */
import { afterAll, describe, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '../../src/cli/errors.ts';
import { diff } from '../../src/cli/reports/diff.ts';
import { merge } from '../../src/cli/reports/merge.ts';
import { readReportFile } from '../../src/cli/reports/read-report.ts';
import { reportText } from '../../src/report/json.ts';
import { MergeError, mergeReports } from '../../src/report/merge.ts';
import { pageText } from '../../src/report/page/page.ts';
import { junitText } from '../../src/report/junit.ts';
import { diffReports } from '../../src/report/diff.ts';
import { diffMarkdown } from '../../src/report/diff-text.ts';
import { markdownText } from '../../src/report/markdown.ts';
import { hasControls } from '../../src/spec/controls.ts';
import { annotationLines } from '../../src/report/github.ts';
import type { Report } from '../../src/report/schema.ts';
import { report } from '../report/report-kit.ts';

const folder = mkdtempSync(join(tmpdir(), 'tf-read-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, 'r.json');

const reading = (text: string): (() => Report) => {
  writeFileSync(file, text);
  return () => readReportFile(file);
};

test('a report is read as it was written', () => {
  expect(reading(reportText(report))()).toEqual(report);
});

describe('what is no report is told by its file and its place', () => {
  const [row] = report.registrations;
  test.each<[string, unknown]>([
    ['it says no schema version', {}],
    ['its schema is 2, and this program reads', { ...report, schema: 2 }],
    [
      'at registrations.0.gates.0.status',
      { ...report, registrations: [{ ...row!, gates: [{ ...row!.gates[0]!, status: 'green' }] }] },
    ],
    ['at seed', { ...report, seed: 7 }],
    ['at more', { ...report, more: 1 }],
    ['at the top: a registration ran on a device that is not among those', { ...report, devices: [] }],
    ['at the top: Invalid type: Expected Object but received null', null],
    ['it says no schema version', []],
  ])('%s', (why, value) => {
    const read = reading(JSON.stringify(value));
    expect(read).toThrow(UsageError);
    expect(read).toThrow(`${file} is no report that can be read: ${why}`);
  });

  test.each([
    ['it is no JSON', '{'],
    ['it is no JSON', ''],
    ['it is no JSON', '[['.repeat(200_000)],
  ])('%s', (why, text) => {
    expect(reading(text)).toThrow(`${file} is no report that can be read: ${why}`);
  });

  test('nor is a folder, or nothing', () => {
    mkdirSync(join(folder, 'd'));
    expect(() => readReportFile(join(folder, 'd'))).toThrow('is no report that can be read');
    expect(() => readReportFile(join(folder, 'absent'))).toThrow('ENOENT');
  });

  test('nor what is no plain file, which may have no end, nor a file that is far too large', () => {
    expect(() => readReportFile('/dev/zero')).toThrow('it is a device, a pipe or a socket, and no file');
    Bun.spawnSync(['mkfifo', join(folder, 'pipe')]);
    expect(() => readReportFile(join(folder, 'pipe'))).toThrow('it is a device, a pipe or a socket, and no file');
    truncateSync(file, 2 ** 30);
    expect(() => readReportFile(file)).toThrow('it has 1073741824 bytes, and 67108864 at most are read');
  });

  test.each([
    ['seed', { ...report, seed: '1\n::error::x' }],
    ['plan.shard.of', { ...report, plan: { ...report.plan, shard: { index: 1, of: 1e9 } } }],
    ['elapsedMs', { ...report, elapsedMs: 1e300 }],
  ])('nor one whose %s no run has', (place, value) => {
    expect(reading(JSON.stringify(value))).toThrow(`at ${place}: `);
  });

  test('nor a map of errors whose cells are not its own', () => {
    const map = { output: 'y', rows: 2, columns: 2, cell: [1, 1], tile: [null, null], cells: ['00'] };
    const gates = [{ ...row!.gates[0]!, errors: [{ case: 'c', share: 1, maps: [map] }] }];
    expect(reading(JSON.stringify({ ...report, registrations: [{ ...row!, gates }] }))).toThrow(
      'the cells are not those of its rows and columns',
    );
  });
});

/** A value somewhere in a tree replaced by another. */
function damaged(value: unknown, random: () => number): unknown {
  const junk = [null, -1, 1e308, '', 'x', '__proto__', [], {}, true, '\u0000<', 'host', 'rms_rows:shapes host'];
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  if (typeof value !== 'object' || value === null || random() < 0.1) return pick(junk);
  const entries = Object.entries(value);
  if (entries.length === 0) return pick(junk);
  const [key, inner] = pick(entries);
  if (Array.isArray(value)) {
    if (random() < 0.2) return [...value, ...value];
    return value.map((one: unknown, i) => (String(i) === key ? damaged(inner, random) : one));
  }
  return { ...value, [key]: damaged(inner, random) };
}

test('a damaged report is refused, or is whatever else it says, in every form', () => {
  let state = 1;
  const random = (): number => (state = (state * 48271) % 2147483647) / 2147483647;
  let read = 0;
  for (let i = 0; i < 200; i++) {
    const text = JSON.stringify(damaged(report, random));
    let found: Report;
    try {
      found = reading(text)();
    } catch (error) {
      expect(error).toBeInstanceOf(UsageError);
      continue;
    }
    read++;
    expect(pageText(found)).toEndWith('</html>\n');
    expect(junitText(found)).toEndWith('</testsuites>\n');
    expect(annotationLines(found).every((line) => !/[\r\n]/.test(line))).toBe(true);
    try {
      mergeReports([{ file, report: found }]);
    } catch (error) {
      expect(error).toBeInstanceOf(MergeError);
    }
  }
  expect(read).toBeGreaterThan(5);
});

test('what a hostile report holds is text in every form', () => {
  const hostile = '\u001b[2J\u009b1m</script><img src=x onerror=alert(1)>]]>\u202e\ud800\n::error::x';
  const { findings } = report.registrations[0]!.gates[1]!;
  const gates = [
    { ...report.registrations[0]!.gates[1]!, findings: findings.map((one) => ({ ...one, what: hostile })) },
  ];
  const found = {
    ...report,
    summary: hostile,
    registrations: [{ ...report.registrations[0]!, kernel: hostile, gates }],
  };
  const texts = [pageText(found), junitText(found), ...annotationLines(found), markdownText(found, 1e6)];
  const changes = diffReports(report, found);
  texts.push(diffMarkdown(changes, report, found));
  for (const text of texts)
    expect([hasControls(text.replaceAll('\ufeff', '')), text.includes('\r')]).toEqual([false, false]);
  expect([texts[0], texts[1], texts.at(-1)].some((text) => text?.includes('<img'))).toBe(false);
  expect(annotationLines(found).every((line) => /^::(error|warning) /.test(line) && !line.includes('\n'))).toBe(true);
});

test('a file is never both read and written, or written twice', async () => {
  writeFileSync(file, reportText(report));
  const twice = ['--json', join(folder, 'x'), '--junit', join(folder, 'd/../x')];
  await expect(merge([file, ...twice])).rejects.toThrow('--junit ');
  await expect(merge([file, '--json', join(folder, 'd/../r.json')])).rejects.toThrow(
    'is a report that is merged as well',
  );
  await expect(diff([file, file, '--markdown', file])).rejects.toThrow('is a report that is compared as well');
});

test('merge without a file says what it needs, and of a flag of a run that it is not its own', () => {
  expect(merge([])).rejects.toThrow('merge needs the JSON reports to join: merge a.json b.json.');
  expect(merge(['a.json', '--only', 'x'])).rejects.toThrow('--only does not go with merge.');
});
