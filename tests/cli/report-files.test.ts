/** A run as its user has it: every form of its report, and the shards of a run as one. */
import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readReport } from '../../src/report/json.ts';
import type { Ran } from './executable.ts';
import { ran } from './executable.ts';

const HOUR = 3600 * 1000; // a run compiles what was not compiled before
const MAIN = join(import.meta.dir, '../../src/main.ts');
const folder = mkdtempSync(join(tmpdir(), 'tf-forms-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const file = (name: string): string => join(folder, name);
const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> =>
  ran([process.execPath, MAIN, ...args], { env: { ...process.env, NO_COLOR: '1', ...env } });
const lastLine = ({ stdout }: Ran): string => stdout.trimEnd().split('\n').at(-1) ?? '';

test(
  'all forms of one run say the same, and SUMMARY stays its last line',
  async () => {
    const summary = file('summary.md');
    writeFileSync(summary, 'another step wrote this\n');
    const forms = ['--json', file('a.json'), '--junit', file('a.xml'), '--html', file('a.html'), '--github'];
    const result = await run(['--gate', 'limits', '--only', 'row_sum', ...forms], { GITHUB_STEP_SUMMARY: summary });
    const report = readReport(readFileSync(file('a.json'), 'utf8'));
    expect([result.code, lastLine(result)]).toEqual([report.exitCode, report.summary]);
    expect(report.files['row_sum@cuda']).toMatchObject({ source: 'kernels/row_sum/row_sum.cu' });
    expect(readFileSync(file('a.xml'), 'utf8')).toContain(
      `<testsuites name="tf-kernel-contract" tests="${report.limits?.verdicts.length}"`,
    );
    expect(readFileSync(file('a.html'), 'utf8').includes('row_sum@xpu:limits')).toBe(true);
    expect(readFileSync(summary, 'utf8')).toMatch(/^another step wrote this\n## Kernel contract: as promised\n/);
  },
  HOUR,
);

test(
  'a form that cannot be written is refused before anything runs, by its flag',
  async () => {
    const { code, stderr } = await run(['--gate', 'limits', '--html', join(folder, 'absent/x.html')]);
    expect([code, stderr.split('\n')[0]]).toEqual([2, expect.stringContaining('--html')]);
    const other = await run(['--gate', 'limits', '--github'], { GITHUB_STEP_SUMMARY: folder });
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('it is a folder')]);
  },
  HOUR,
);

describe('the shards of a run, merged', () => {
  const asked = ['--device', 'host', '--only', 'row_max@cuda', '--only', 'row_sum@cuda', '--mode', 'plain'];
  const selected = [...asked, '--gate', 'nonfinite,limits', '--no-controls'];

  test(
    'have the SUMMARY, the results and the exit code of the whole; one that is missing is named',
    async () => {
      const whole = await run([...selected, '--json', file('whole.json')]);
      const shards = await Promise.all(
        // One more than there are units: the last is empty, and is a shard all the same.
        [1, 2, 3, 4].map((i) => run([...selected, '--shard', `${i}/4`, '--json', file(`${i}.json`)])),
      );
      for (const [i, shard] of shards.entries()) expect(lastLine(shard)).toEndWith(`; shard ${i + 1} of 4`);
      expect([shards[3]?.code, shards[3]?.stdout]).toEqual([0, expect.stringContaining('Shard 4 of 4 holds nothing')]);
      const files = [2, 1, 4, 3].map((i) => file(`${i}.json`));
      const merged = await run(['merge', ...files, '--json', file('merged.json')]);
      expect([merged.code, lastLine(merged)]).toEqual([whole.code, lastLine(whole)]);
      const diff = await run(['diff', file('whole.json'), file('merged.json')]);
      expect([diff.code, lastLine(diff)]).toEqual([0, 'DIFF 0 worse, 0 added, 0 better, 0 other']);
      const half = await run(['merge', ...files.slice(1)]);
      expect([half.code, half.stderr]).toEqual([1, expect.stringContaining('Shard 2 of 4 is missing: ')]);
    },
    HOUR,
  );
});
