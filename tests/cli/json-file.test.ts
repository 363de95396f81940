/** The file of `--json`: what it may be, and that a run's report is in it as the run was printed. */
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'bun:test';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '../../src/cli/errors.ts';
import { requireWritable } from '../../src/cli/reports/json-file.ts';
import { writeWhole } from '../../src/device/toolchain/cache.ts';
import type { Report } from '../../src/report/schema.ts';
import { readReport } from '../../src/report/json.ts';
import type { Ran } from './executable.ts';
import { ran } from './executable.ts';
import { openBench, source } from './offline-kit.ts';

const HOUR = 3600 * 1000; // a run compiles what was not compiled before
const MAIN = join(import.meta.dir, '../../src/main.ts');
const folder = mkdtempSync(join(tmpdir(), 'tf-json-'));
const file = join(folder, 'report.json');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a name is refused before anything runs', () => {
  beforeEach(() => {
    mkdirSync(join(folder, 'folder'));
    writeFileSync(join(folder, 'file'), '');
    symlinkSync(join(folder, 'file'), join(folder, 'link'));
  });
  afterEach(() => {
    for (const name of ['folder', 'file', 'link']) rmSync(join(folder, name), { recursive: true, force: true });
  });

  test.each([
    ['folder', 'it is a folder'],
    ['link', 'it is a link'],
    ['new/', 'it names a folder'],
    ['absent/x', 'ENOENT'],
    ['file/x', `file is no folder`],
  ])('%p: %p', (name, reason) => {
    const ask = () => requireWritable(`${folder}/${name}`);
    expect(ask).toThrow(UsageError);
    expect(ask).toThrow(reason);
    expect(ask).toThrow('Name a file, new or to be replaced, in a folder that exists and is yours to write.');
  });

  test.each([
    ['-', 'the report goes to a file, never to standard output'],
    ['/dev/stdout', 'it is a link'],
    ['/dev/null', 'it is a device'],
  ])('%p: %p', (name, reason) => {
    expect(() => requireWritable(name)).toThrow(`--json ${name} cannot be written: ${reason}`);
  });

  test.each(['file', 'new'])('and %p is not', (name) => {
    expect(() => requireWritable(join(folder, name))).not.toThrow();
  });
});

test('a text that cannot take its name leaves nothing beside it', () => {
  mkdirSync(file);
  expect(() => writeWhole(file, 'x')).toThrow();
  expect(readdirSync(folder)).toEqual(['report.json']);
  rmSync(file, { recursive: true });
});

const run = (...args: readonly string[]): Promise<Ran> =>
  ran([process.execPath, MAIN, ...args], { env: { ...process.env, NO_COLOR: '1' } });

test(
  'a run refuses a link to its own output, with 2, and leaves it as it is',
  async () => {
    const link = join(folder, 'output');
    symlinkSync('/dev/stdout', link);
    const { code, stdout, stderr } = await run('--gate', 'limits', '--json', link);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toStartWith(`--json ${link} cannot be written: it is a link`);
    expect(readlinkSync(link)).toBe('/dev/stdout');
    rmSync(link);
  },
  HOUR,
);

describe('a report holds gate 5 as it was printed', () => {
  afterEach(() => rmSync(file, { force: true }));

  /** Runs, and checks that the report has the SUMMARY and the exit code of the run. */
  const reported = async (result: Promise<Ran>): Promise<Report> => {
    const { code, stdout } = await result;
    const report = readReport(readFileSync(file, 'utf8'));
    expect([report.summary, report.exitCode]).toEqual([stdout.trimEnd().split('\n').at(-1) ?? '', code]);
    return report;
  };

  test(
    'alone: every verdict and every standing control',
    async () => {
      const { limits, registrations, summary, exitCode } = await reported(run('--gate', 'limits', '--json', file));
      expect([registrations, exitCode]).toEqual([[], 0]);
      expect(summary).toStartWith(
        `SUMMARY ${limits?.verdicts.length.toLocaleString('en-US')} launches on chips audited; `,
      );
      expect(summary).toContain(`; ${limits?.controls.length} controls: `);
      expect(limits?.problems).toEqual([]);
      expect(limits?.verdicts.filter(({ shapes }) => shapes.length === 0)).toEqual([]);
    },
    HOUR,
  );

  test(
    'of one kernel: its launches alone, by the records of their compilers',
    async () => {
      const { limits } = await reported(run('--gate', 'limits', '--only', 'row_sum', '--json', file));
      expect(new Set(limits?.verdicts.map(({ kernel }) => kernel))).toEqual(new Set(['row_sum']));
      expect(limits?.verdicts.find(({ chip }) => chip === 'sm_90')).toMatchObject({
        symbol: 'tf_row_sum',
        problems: [],
        set: expect.stringMatching(/^nvcc-/),
      });
      expect(limits?.controls).toEqual([]);
    },
    HOUR,
  );

  test(
    'beside the other gates',
    async () => {
      const { limits, gates, registrations } = await reported(run('--only', 'row_sum@cuda', '--json', file));
      expect([gates.length, registrations.length]).toEqual([4, 1]);
      expect(limits?.verdicts.every(({ dialect }) => dialect === 'cuda')).toBe(true);
      expect(limits?.verdicts.length).toBeGreaterThan(1);
    },
    HOUR,
  );

  test(
    'with the rule that does not hold, its sum and its shape',
    async () => {
      const bench = openBench();
      bench.kernel('wide', source('tf_wide', 40), 512);
      await bench.offline(['--no-controls', '--write']);
      const { limits, exitCode } = await reported(bench.run(['--gate', 'limits', '--json', file]));
      bench.close();
      expect(exitCode).toBe(1);
      expect(limits?.verdicts.find(({ chip }) => chip === 'sm_80')).toMatchObject({
        kernel: 'wide',
        status: 'does not fit',
        set: 'nvcc-13.0',
        problems: [
          { limit: 'launch bound', what: expect.stringContaining('512 > 256 threads'), at: 'rows=3,width=64' },
        ],
      });
    },
    HOUR,
  );

  test(
    'and not where it is not asked for; a wrong selection writes nothing',
    async () => {
      expect(
        (await reported(run('--only', 'row_sum@cuda:sums', '--gate', 'sums', '--json', file))).limits,
      ).toBeUndefined();
      rmSync(file);
      expect((await run('--only', 'no_such_kernel', '--json', file)).code).toBe(1);
      expect(existsSync(file)).toBe(false);
    },
    HOUR,
  );
});
