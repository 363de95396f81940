/** A run that a signal ends: from source, over one kernel that passes at once and one that never ends. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CACHE_FOLDER } from '../../src/device/toolchain/flags.ts';
import { readReport } from '../../src/report/json.ts';
import type { Bench } from './offline-kit.ts';
import { openBench, source } from './offline-kit.ts';

const MAIN = join(import.meta.dir, '../../src/main.ts');
const HOUR = 3600 * 1000;

let bench: Bench;
beforeEach(() => {
  bench = openBench();
  bench.kernel('fast', source('tf_fast', 40));
  bench.kernel('slow', source('tf_slow', 40).replace('  y[', '  volatile int on = 1;\n  while (on) {\n  }\n  y['));
});
afterEach(() => bench.close());

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)(
  '%s ends a run with %d: how far it came, no SUMMARY, and reports that say that they are partial',
  async (signal, expected) => {
    const reports = join(bench.folder, 'reports');
    mkdirSync(reports);
    const options = ['--gate', 'repeat', '--no-controls', '--jobs', '2', '--timeout', '3600'];
    const forms = ['json', 'junit', 'html'].flatMap((form) => [`--${form}`, join(reports, `report.${form}`)]);
    const child = Bun.spawn([process.execPath, MAIN, ...options, ...forms], {
      env: { ...process.env, TF_KERNELS: join(bench.folder, 'kernels'), NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const unfinished = join(CACHE_FOLDER, `unfinished.so.${child.pid}-1-0`);
    const told = new Response(child.stderr).text();
    let stdout = '';
    for await (const bytes of child.stdout) {
      stdout += new TextDecoder().decode(bytes);
      if (!stdout.includes('\n')) continue;
      writeFileSync(unfinished, '');
      child.kill(signal);
    }
    expect(await child.exited).toBe(expected);
    expect(stdout).toMatch(/^PASS {2}fast@cuda .*\n$/);
    expect(await told).toStartWith(`Interrupted by ${signal} with 1 of 2 jobs done, so there is no SUMMARY`);
    expect(readdirSync(reports).toSorted()).toEqual(['report.html', 'report.json', 'report.junit']);
    const report = readReport(readFileSync(join(reports, 'report.json'), 'utf8'));
    expect([report.partial, report.exitCode]).toEqual([{ signal, done: 1, jobs: 2 }, expected]);
    expect(report.summary).toContain(`1 pass gate 2, 0 fail, 0 known findings, 1 not run`);
    expect(report.summary).toEndWith(`; partial: ${signal} ended the run with 1 of 2 jobs done`);
    const [, slow] = report.registrations.map(({ gates }) => gates[0]);
    expect(slow).toMatchObject({ status: 'not run', reason: `${signal} ended the run before` });
    expect(readFileSync(join(reports, 'report.junit'), 'utf8')).toContain(
      '<error type="partial" message="partial: SIG',
    );
    expect(readFileSync(join(reports, 'report.html'), 'utf8')).toContain('not as promised');
    const left = existsSync(unfinished);
    rmSync(unfinished, { force: true });
    expect(left).toBe(false);
  },
  HOUR,
);
