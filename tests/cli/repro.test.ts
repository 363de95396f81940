/** `--repro` and `--replay` from source: the plain list, a report, a fixture, and the explorer on a terminal of its own. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFixture } from '../../src/spec/fixture.ts';
import type { Ran } from './executable.ts';
import { ran } from './executable.ts';
import { writesUnicode } from '../../src/cli/repro/explorer-prompts.ts';
import { openTerminal } from './terminal-kit.ts';

const MAIN = join(import.meta.dir, '../../src/main.ts');
const env = {
  ...process.env,
  TF_KERNELS: join(import.meta.dir, 'repro-kernels'),
  FORCE_COLOR: undefined,
  NO_COLOR: '1',
};
const HOUR = 3600 * 1000;
const folder = mkdtempSync(join(tmpdir(), 'tf-repro-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const run = (...args: readonly string[]): Promise<Ran> => ran([process.execPath, MAIN, ...args], { env, cwd: folder });
const lines = ({ stdout }: Ran): string[] => stdout.trimEnd().split('\n');

describe('without a terminal', () => {
  let listed: Ran = { code: 0, stdout: '', stderr: '' };
  beforeAll(async () => {
    listed = await run('--repro');
  }, HOUR);

  test('the smallest input of each failure and known finding is printed, and ends with 1', () => {
    expect(listed.code).toBe(1);
    const heads = lines(listed).filter((line) => !line.startsWith(' '));
    expect(heads).toEqual([
      'KNOWN  drops@cuda:nonfinite  host  a NaN gives 0 (docs/known-findings.md#drops)',
      expect.stringMatching(/^FAIL {2}shortens@cuda:nonfinite {2}host {2}\d+ of \d+ outputs past the bound$/),
      expect.stringMatching(/^FAIL {2}shortens@cuda:nonfinite {2}host {2}\d+ of \d+ outputs of another class/),
      expect.stringMatching(/^FAIL {2}shortens@cuda:shapes {2}host {2}\d+ of \d+ outputs past the bound$/),
      'REPRO 3 failures, 1 known finding: 4 smallest inputs, 1 element not zero at most',
    ]);
  });

  test('with its bits, its formula, what is wrong, where it is made and the command', () => {
    const at = lines(listed).findIndex((line) => line.startsWith('FAIL  shortens@cuda:shapes'));
    expect(
      lines(listed)
        .slice(at + 1, -1)
        .map((line) => line.trim()),
    ).toEqual([
      'smallest input: rows=1,width=38; 1 of 38 elements not zero, and it is needed: with zero in its place it passes',
      'x[0, 37] = 1 (0x3f800000)',
      'formula: y = relu(x)',
      'value: 1 of 38 outputs past the bound',
      expect.stringMatching(/^y\[0, 37\] {2}got 0 \(0x00000000\) {2}want 1 \(0x3f800000\) {2}bound /),
      'y[0, 37]: the kernel gives 0 (0x00000000); float64 wants 1, rounded 1 (0x3f800000)',
      "passes from 1 to 1, each rounded to the output's type",
      'width 37 is element 5 of tile 1, of 32 a tile',
      'written first by thread (5, 0, 0), lane 5 of warp 0, of group (0, 0, 0), at shortens.cu:5',
      'launch: tf_shortens, 1x1x1 groups of 32x1x1 threads',
      'found at rows=1,width=40',
      'Rerun as found: npm start -- --only shortens@cuda:shapes:rows=1,width=40 --seed 1',
      'Rerun the smallest: npm start -- --repro --only shortens@cuda:shapes:rows=1,width=40 --seed 1 --fixtures DIR, then --replay what it writes',
    ]);
  });

  test(
    'a saved report gives the same list, and a filter a part of it',
    async () => {
      await run('--no-controls', '--only', 'drops', '--only', 'shortens@cuda:shapes', '--json', 'report.json');
      const again = await run('--repro', 'report.json', '--only', 'shortens@cuda:shapes');
      const at = lines(listed).findIndex((line) => line.startsWith('FAIL  shortens@cuda:shapes'));
      expect(lines(again).slice(0, -1)).toEqual(lines(listed).slice(at, -1));
      const known = await run('--repro', 'report.json', '--only', 'drops', '--fixtures', 'found/of drops');
      expect([known.code, lines(known).at(-1)]).toEqual([
        0,
        'REPRO 0 failures, 1 known finding: 1 smallest input, 1 element not zero at most',
      ]);
      expect(known.stderr).toBe('');
      const written = 'found/of drops/drops-cuda-nonfinite-class.json';
      expect(lines(known).at(-2)?.trim()).toBe(`Rerun the smallest: npm start -- --replay '${written}'`);
      expect((await run('--replay', written)).code).toBe(0);
      const report = readFileSync(join(folder, 'report.json'), 'utf8');
      writeFileSync(join(folder, 'older.json'), report.replace(/"sources": "[0-9a-f]{4}/, '"sources": "0000'));
      const older = await run('--repro', 'older.json', '--only', 'drops');
      expect([older.stdout.includes('KNOWN'), older.stderr]).toEqual([
        true,
        'older.json is of other contracts or sources than those here: what it found is looked for in these.\n',
      ]);
    },
    HOUR,
  );

  test(
    'a control by its address says that no thread writes an output',
    async () => {
      const shown = await run('--repro', '--only', 'drops@hip!2');
      expect(shown.code).toBe(0);
      expect(lines(shown)[0]).toBe('RED  drops@hip!2  host  the last is unwritten');
      expect(shown.stdout).toContain('y[0, 0]: no thread writes it; float64 wants 0');
    },
    HOUR,
  );

  test.each([
    [['--repro', 'none.json'], 2, 'none.json is no report that can be read'],
    [['--repro', 'a.json', 'b.json'], 2, "Unexpected argument 'b.json'"],
    [['--repro', '--only', 'nothing_here'], 1, 'Nothing is selected, so nothing was run'],
    [['--repro', '--shrink-time', '0'], 2, "--shrink-time: '0' is not a number of seconds"],
    [['--replay', 'none.json'], 2, '--replay none.json cannot be read'],
    [['--repro', '--list'], 2, '--list does not go with --repro'],
  ])(
    '%j is refused in words',
    async (argv, code, text) => {
      const refused = await run(...argv);
      expect([refused.code, refused.stdout]).toEqual([code, '']);
      expect(refused.stderr).toContain(text);
    },
    HOUR,
  );
});

test.each([
  [{}, true],
  [{ LANG: 'en_US.UTF-8' }, true],
  [{ LANG: 'en_US.UTF-8', LC_CTYPE: 'C.utf8' }, true],
  [{ LANG: 'en_US.UTF-8', LC_ALL: 'C' }, false],
  [{ LANG: 'C.UTF-8', LC_ALL: '' }, true],
  [{ LANG: 'de_DE.ISO-8859-1' }, false],
])('%j writes Unicode: %p', (locale, expected) => {
  expect(writesUnicode(locale)).toBe(expected);
});

describe('on a terminal', () => {
  const ONLY = ['--only', 'drops@cuda:nonfinite'];

  test(
    'a value is changed and judged at once, and what is not written goes to a file at Ctrl-C',
    async () => {
      const terminal = openTerminal([process.execPath, MAIN, '--repro', ...ONLY], { env, cwd: folder });
      await terminal.sees('What fails');
      terminal.types('\r');
      await terminal.sees('written first by thread (0, 0, 0)');
      await terminal.sees('Change a value');
      terminal.types('\r');
      await terminal.sees('Place in x');
      await terminal.sees('x[0, 0]');
      terminal.types('9\r');
      await terminal.sees('x has the sizes 1, 1: write a place');
      terminal.types('\u007f\r');
      await terminal.sees('bits as 0x7fc0');
      terminal.types('many\r');
      await terminal.sees("'many' is no value");
      terminal.types('\u007f'.repeat(4));
      terminal.types('-Inf (0xff800000)\r');
      await terminal.sees('PASSES');
      await terminal.sees('Back to the smallest input');
      terminal.types('\u0003');
      expect(await terminal.ended()).toBe(0);
      expect(terminal.text()).toContain('Wrote drops-cuda-nonfinite-class.json');
      const fixture = readFixture(readFileSync(join(folder, 'drops-cuda-nonfinite-class.json'), 'utf8'));
      expect(fixture.inputs).toEqual({
        x: { dtype: 'f32', cells: [{ at: [0, 0], bits: '0xff800000', value: '-Inf' }] },
      });
      expect(fixture.expect).toEqual({ verdict: 'pass' });
      expect((await run('--replay', 'drops-cuda-nonfinite-class.json')).code).toBe(0);
    },
    HOUR,
  );

  test(
    'dialects are compared, the fixture is written by name, and it replays: the same in CUDA, another verdict in HIP',
    async () => {
      const terminal = openTerminal([process.execPath, MAIN, '--repro', ...ONLY], { env, cwd: folder });
      await terminal.sees('What fails');
      terminal.types('\r');
      await terminal.chooses('Compare dialects');
      await terminal.sees('fails so: class');
      await terminal.sees('passes');
      await terminal.chooses('Change the order of execution');
      await terminal.sees('Order, a number');
      terminal.types('\u007f7\r');
      await terminal.sees('FAILS, for the same reason');
      await terminal.chooses('Change the shape');
      await terminal.sees('Sizes');
      terminal.types(`${'\u007f'.repeat(20)}rows=2,width=0\r`);
      await terminal.sees('width=0 is no valid size');
      await terminal.chooses('Copy the command that runs it again');
      await terminal.sees('\u001b]52;c;');
      await terminal.chooses('Write the fixture');
      await terminal.sees('File');
      terminal.types(`${'\u007f'.repeat(60)}nan.json\r`);
      await terminal.sees('Wrote nan.json');
      await terminal.chooses('Back to the list');
      await terminal.chooses('Leave');
      expect(await terminal.ended()).toBe(0);
      expect(readFixture(readFileSync(join(folder, 'nan.json'), 'utf8')).schedules).toEqual([7]);
      const same = await run('--replay', 'nan.json');
      expect([same.code, lines(same)[0]]).toEqual([
        0,
        'SAME  drops@cuda:nonfinite  host  nan.json: expected class of y, and it fails: class of y',
      ]);
      const other = await run('--replay', 'nan.json', '--dialect', 'hip');
      expect([other.code, lines(other)[0]]).toEqual([
        1,
        'CHANGED  drops@hip:nonfinite  host  nan.json: expected class of y, and it passes',
      ]);
    },
    HOUR,
  );

  test(
    'a signal from elsewhere saves what was changed, in letters where the locale has no others',
    async () => {
      const cwd = mkdtempSync(join(folder, 'ended-'));
      const terminal = openTerminal([process.execPath, MAIN, '--repro', ...ONLY], {
        env: { ...env, LC_ALL: 'C' },
        cwd,
      });
      await terminal.sees('> KNOWN drops@cuda:nonfinite');
      terminal.types('\r');
      await terminal.sees('> Change a value');
      terminal.types('\r');
      await terminal.sees('Place in x');
      terminal.types('\r');
      await terminal.sees('bits as 0x7fc0');
      terminal.types('2\r');
      await terminal.sees('PASSES');
      await terminal.sees('Back to the smallest input');
      terminal.signals('SIGTERM');
      expect(await terminal.ended()).toBe(143);
      expect(
        readFixture(readFileSync(join(cwd, 'drops-cuda-nonfinite-class.json'), 'utf8')).inputs['x']?.cells,
      ).toEqual([{ at: [0, 0], bits: '0x40000000', value: '2' }]);
    },
    HOUR,
  );

  test(
    'Ctrl-C at the first prompt leaves nothing behind',
    async () => {
      const before = readdirSync(folder).toSorted();
      const terminal = openTerminal([process.execPath, MAIN, '--repro', ...ONLY], { env, cwd: folder });
      await terminal.sees('What fails');
      terminal.types('\u0003');
      expect(await terminal.ended()).toBe(0);
      expect(readdirSync(folder).toSorted()).toEqual(before);
    },
    HOUR,
  );

  test(
    'Ctrl-C while an input is shrunk stops that alone, and the list comes back',
    async () => {
      const hangs = { ...env, TF_KERNELS: join(import.meta.dir, 'kernels') };
      const argv = ['--repro', '--device', 'host', '--only', 'endless@cuda:repeat:rows=1', '--timeout', '0.3'];
      const terminal = openTerminal([process.execPath, MAIN, ...argv], { env: hangs, cwd: folder });
      await terminal.sees('What fails');
      terminal.types('\r');
      await terminal.sees('Shrinking (Ctrl-C stops)');
      terminal.types('\u0003');
      await terminal.chooses('Leave');
      expect(await terminal.ended()).toBe(1);
      expect(terminal.text()).not.toContain('The smallest input');
    },
    HOUR,
  );
});

test(
  'a damaged fixture is refused with what is wrong, and nothing runs',
  async () => {
    writeFileSync(join(folder, 'damaged.json'), '{ "fixture": 2, "kernel": "drops" }');
    const refused = await run('--replay', 'damaged.json');
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toStartWith(
      'damaged.json is no fixture that can be run here, so nothing was run.\n  the fixture: `dialect` is missing',
    );
    expect(existsSync(join(folder, 'damaged.json'))).toBe(true);
    writeFileSync(join(folder, 'report.json'), '{ "schema": 6, "registrations": [] }');
    const { code, stderr } = await run('--replay', 'report.json');
    expect([code, stderr]).toEqual([1, expect.stringContaining('it is a report: --repro takes it')]);
  },
  HOUR,
);
