/** The executable as it is shipped: run from another folder, with an empty environment and no usable temporary folder. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import manifest from '../../package.json' with { type: 'json' };
import { readReport } from '../../src/report/json.ts';
import { pageText } from '../../src/report/page/page.ts';
import type { Ran } from './executable.ts';
import { buildOnce, EXECUTABLE, ran } from './executable.ts';

const hostile = mkdtempSync(join(tmpdir(), 'tf-hostile-'));
const HOUR = 3600 * 1000;

/** Runs the executable in the hostile folder. */
const run = (...args: readonly string[]): Promise<Ran> =>
  ran([EXECUTABLE, ...args], { cwd: hostile, env: { TMPDIR: '/nonexistent' } });

const lines = ({ stdout }: Ran): string[] => stdout.trimEnd().split('\n');

beforeAll(async () => {
  writeFileSync(join(hostile, 'bunfig.toml'), 'preload = ["./preload.ts"]\n');
  writeFileSync(join(hostile, 'preload.ts'), "console.log('the bunfig of this folder was read');\n");
  writeFileSync(join(hostile, '.env'), 'FORCE_COLOR=1\n');
  writeFileSync(join(hostile, 'package.json'), '{ "imports": { "#contract": "./preload.ts" } }');
  await buildOnce();
}, HOUR);

afterAll(() => rmSync(hostile, { recursive: true, force: true }));

describe('without a run', () => {
  test('--version is one line with the version, the commit and the platform', async () => {
    const { code, stdout, stderr } = await run('--version');
    expect(stdout).toMatch(/^tf-kernel-contract \S+ \(\S+, bun \S+, \w+-\w+\)\n$/);
    expect(stdout).toContain(` ${manifest.version} `);
    expect([code, stderr]).toEqual([0, '']);
  });

  test('--help is the same alone and beside another flag', async () => {
    const alone = await run('--help');
    expect(lines(alone)[0]).toBe('tf-kernel-contract: may this GPU kernel land?');
    expect(await run('--help', '--list')).toEqual(alone);
  });

  test('an unknown flag ends with 2 and a suggestion, on stderr alone', async () => {
    const { code, stdout, stderr } = await run('--sed', '3');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toStartWith('Unknown flag --sed (did you mean --seed?).\n');
  });

  test('--list prints every case and every control of what is selected', async () => {
    const listed = await run('--list', '--only', 'row_sum@cuda');
    expect(
      lines(listed).every((line) => /^row_sum@cuda(:(nonfinite|repeat|shapes|sums|limits):\S+$|!\w+ {2})/.test(line)),
    ).toBe(true);
    expect(lines(listed).length).toBeGreaterThan(10);
  });

  test('a filter that matches nothing ends with 1 and says so', async () => {
    const { code, stdout, stderr } = await run('--only', 'no_such_kernel');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toStartWith(
      'Nothing is selected, so nothing was run: --only no_such_kernel matches no case and no control.',
    );
  });

  test('a GPU that is asked for and is not there ends with 1', async () => {
    const { code, stderr } = await run('--device', 'cuda');
    expect(code).toBe(1);
    expect(stderr).toStartWith('No cuda device: ');
  });

  test('--devices opens the host device and gives one line a dialect', async () => {
    const found = await run('--devices');
    expect(found.code).toBe(0);
    expect(lines(found).map((line) => line.slice(0, 5).trimEnd())).toEqual(['cuda', 'hip', 'metal', 'xpu']);
  });
});

describe('a run', () => {
  const SUMMARY =
    /^SUMMARY 1 kernel: 1 pass gates 1-4, 0 fail, 0 known findings, 0 not run; (\d+) controls: \1 red as planted, 0 missed, 0 broken; /;

  test('of one kernel passes, its controls red, SUMMARY last', async () => {
    const passed = await run('--only', 'row_sum@cuda');
    const [verdict] = lines(passed);
    expect(verdict).toMatch(/^PASS {2}row_sum@cuda {2}host {2}worst 0\.\d+ of bound {2}4 gates {2}\d+\.\d\d s$/);
    expect(lines(passed).at(-1)).toMatch(SUMMARY);
    expect([passed.code, passed.stderr]).toEqual([0, '']);
  });

  test('gives the same verdicts whatever the number of workers', async () => {
    const verdicts = async (jobs: string): Promise<unknown> => {
      const file = join(hostile, `jobs-${jobs}.json`);
      await run('--only', 'row_max', '--dialect', 'cuda,hip', '--jobs', jobs, '--json', file);
      const { registrations, summary } = readReport(readFileSync(file, 'utf8'));
      return {
        summary,
        registrations: JSON.parse(JSON.stringify(registrations), (key, value) => (key === 'elapsedMs' ? 0 : value)),
      };
    };
    expect(await verdicts('1')).toEqual(await verdicts('3'));
  });

  test('writes its JSON and its page whole, with the exit code and SUMMARY that it printed, and leaves nothing beside it', async () => {
    const file = join(hostile, 'report.json');
    const page = join(hostile, 'page.html');
    const forms = ['--json', file, '--html', page];
    const passed = await run('--only', 'row_sum@hip:shapes', '--no-controls', '--seed', '5', ...forms);
    const report = readReport(readFileSync(file, 'utf8'));
    expect(report).toMatchObject({
      seed: '5',
      devices: [{ id: 'host' }],
      gates: ['shapes'],
      withControls: false,
      exitCode: passed.code,
    });
    expect(report.summary).toBe(lines(passed).at(-1) ?? '');
    expect(report.summary).toContain('controls not run (--no-controls)');
    expect(readFileSync(page, 'utf8') === pageText(report)).toBe(true);
    expect(readdirSync(hostile).filter((name) => name.startsWith('.report'))).toEqual([]);
  });

  test('refuses a JSON file that cannot be written before it runs anything', async () => {
    const { code, stdout, stderr } = await run('--only', 'row_sum@cuda', '--json', '/nonexistent/report.json');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toStartWith('--json /nonexistent/report.json cannot be written');
  });

  test('of a control by its address prints where it went red', async () => {
    const shown = await run('--only', 'row_sum@cuda!standing1');
    expect(lines(shown)[0]).toStartWith('RED  row_sum@cuda!standing1  ');
    expect(shown.code).toBe(0);
  });

  test('has colours where they are forced, and none in a pipe in CI', async () => {
    const argv = [EXECUTABLE, '--only', 'row_sum@cuda:sums', '--no-controls'];
    expect((await ran(argv, { env: { CI: 'true' } })).stdout).not.toContain('\u001b');
    expect((await ran(argv, { env: { FORCE_COLOR: '1' } })).stdout).toContain('\u001b[32mPASS');
  });

  test('shrinks a known finding to one NaN, and runs a fixture again', async () => {
    const shown = await run('--repro', '--device', 'host', '--only', 'relu2_rows@cuda:nonfinite');
    expect(shown.stdout).toContain('x[0, 0] = NaN (0x7fc0)');
    expect(lines(shown).at(-1)).toBe('REPRO 0 failures, 1 known finding: 1 smallest input, 1 element not zero at most');
    const fixture = join(import.meta.dir, '../../kernels/masked_rows/masked-infinity.json');
    const again = await run('--replay', fixture, '--device', 'host', '--dialect', 'xpu');
    expect([again.code, lines(again)[0]]).toEqual([
      0,
      expect.stringContaining('SAME  masked_rows@xpu:nonfinite  host'),
    ]);
  });

  test('into a pipe that closes early ends without a trace', async () => {
    const { stderr } = await ran(['/bin/sh', '-c', `'${EXECUTABLE}' --list | head -1`]);
    expect(stderr).toBe('');
  });
});
