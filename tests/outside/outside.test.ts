/** Contracts that are named on the command line, run from source. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fakeCompiler } from '../device/vendor/kit.ts';
import { ran } from '../cli/executable.ts';
import type { Outside } from './kit.ts';
import { environment, MAIN, openOutside, writeCopy } from './kit.ts';

const HOUR = 3600 * 1000;

let place: Outside;
beforeAll(() => {
  place = openOutside();
  writeCopy(place, 'kernels/copy');
});
afterAll(() => place.close());

const plain = ['--mode', 'plain'];

describe('what a path names', () => {
  test.each([
    ['kernels', 'kernels/copy/copy.contract.ts'],
    ['kernels/copy/', 'kernels/copy/copy.contract.ts'],
    ['./kernels/copy/copy.contract.ts', 'kernels/copy/copy.contract.ts'],
  ])('%s', async (path) => {
    const { code, stdout } = await place.run(path, '--list', '--gate', 'shapes', ...plain);
    expect(stdout).toContain('copy@cuda:shapes:rows=3,width=64\n');
    expect(stdout).toContain('copy@cuda!1  shapes: the sign is lost\n');
    expect(stdout).not.toContain('rms_rows');
    expect(code).toBe(0);
  });

  test.each([
    [['nowhere/'], 'There is no nowhere/.'],
    [['limit'], "'limit' is no command and no path (did you mean limits?)."],
    [['rms_rows'], '  Cases are selected with --only rms_rows.'],
    [['kernels/copy/copy.cu'], 'kernels/copy/copy.cu is no contract: its name does not end in .contract.ts.'],
    [['kernels/..', 'kernels/copy/empty/'], 'There is no kernels/copy/empty/.'],
  ])('%j is a wrong command', async (args, text) => {
    const { code, stderr } = await place.run(...args);
    expect(stderr.split('\n')).toContain(text);
    expect(code).toBe(2);
  });
});

test(
  'a run holds them to their gates, with their controls, and finds no record yet',
  async () => {
    const { code, stdout, stderr } = await place.run('kernels', ...plain);
    expect(stderr).toBe('');
    expect(stdout).toContain('PASS  copy@cuda  host  worst 0.00 of bound');
    expect(stdout).toMatch(/SUMMARY 1 kernel: 1 pass gates 1-3, 0 fail.*; 0 limit problems, 10 pending/);
    expect(stdout).toMatch(/12 controls: 12 red as planted/);
    expect(code).toBe(0);
  },
  HOUR,
);

test(
  'a failure names the source as its author does, and the command that runs it again',
  async () => {
    place.write(
      'red/copy/copy.cu',
      readFileSync(join(place.folder, 'kernels/copy/copy.cu'), 'utf8').replace('y[i] =', 'z ='),
    );
    for (const file of ['copy.contract.ts', 'sizes.json', 'grids.ts'])
      place.write(`red/copy/${file}`, readFileSync(join(place.folder, 'kernels/copy', file), 'utf8'));
    const report = ['--junit', join(place.folder, 'red.xml')];
    const { code, stdout } = await place.run('red/copy', '--gate', 'shapes', '--no-controls', ...report, ...plain);
    expect(stdout).toContain('red/copy/copy.cu does not compile:\n');
    expect(stdout).toContain("red/copy/copy.cu:3: error: use of undeclared identifier 'z'");
    expect(stdout).toContain('Rerun: npm start -- red/copy --only copy@cuda:shapes --seed 1');
    expect(readFileSync(join(place.folder, 'red.xml'), 'utf8')).toContain(
      'Rerun: tf-kernel-contract --only copy@cuda:shapes --seed 1 red/copy',
    );
    expect(code).toBe(1);
  },
  HOUR,
);

describe('a wrong command', () => {
  test('names the command that a flag belongs to', async () => {
    const { code, stderr } = await place.run('--threads', '64');
    expect([code, stderr]).toEqual([
      2,
      "--threads belongs to 'limits DIR'.\n  tf-kernel-contract help limits says what it does and takes.\n",
    ]);
  });
});

test('a dialect that no kernel has is nothing to run, though the controls of gate 5 are red as planted', async () => {
  const { code, stdout, stderr } = await place.run('kernels/copy', '--dialect', 'metal');
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toStartWith(
    'Nothing is selected, so nothing was run: --dialect metal matches no case and no control.',
  );
});

test('without a compiler, that is said once, with how to get one', async () => {
  const { code, stdout, stderr } = await ran([process.execPath, MAIN, 'kernels', '--gate', 'shapes'], {
    cwd: place.folder,
    env: { ...environment(), TF_CLANG: '/nowhere/clang' },
  });
  expect(stdout).toBe('');
  expect(stderr).toStartWith("No host compiler: TF_CLANG is '/nowhere/clang', which was not found.\n");
  expect(code).toBe(1);
});

describe('a run tells', () => {
  const some = ['kernels', '--gate', 'shapes', ...plain];

  test(
    'each case as it ends where it is --verbose',
    async () => {
      const { stdout } = await place.run(...some, '--verbose');
      const cases = stdout.split('\n').filter((line) => line.startsWith('CASE  '));
      expect(cases.length).toBeGreaterThan(4);
      expect(cases[0]).toMatch(/^CASE {2}copy@cuda:shapes:rows=1,width=64 {2}pass {2}[\d.]+ ms$/);
      expect(cases[1]).toMatch(/^CASE {2}copy@cuda!1:shapes:rows=1,width=64 {2}red \(value\) {2}[\d.]+ ms$/);
    },
    HOUR,
  );

  test(
    'SUMMARY alone where it is --quiet and nothing fails',
    async () => {
      const { stdout } = await place.run(...some, '--quiet');
      expect(stdout).toMatch(/^SUMMARY 1 kernel: 1 pass gate 3[^\n]*\n$/);
    },
    HOUR,
  );
});

describe('records', () => {
  test(
    'are written beside the kernels, and gate 5 audits by them',
    async () => {
      const nvcc = fakeCompiler(join(place.folder, 'bin'), 'nvcc');
      const offline = ['kernels/copy', '--offline', 'out', '--nvcc', nvcc.path, '--no-controls', '--write'];
      expect(await place.run(...offline)).toMatchObject({ code: 0 });
      const file = join(place.folder, 'kernels/records/cuda/nvcc-13.0.jsonl');
      expect(readFileSync(file, 'utf8')).toContain('"kernel":"copy"');
      const audited = await place.run('kernels', '--gate', 'limits');
      expect(audited.stdout).toMatch(/SUMMARY \d+ launches on chips audited; .*0 limit problems, 6 pending/);
      expect(audited.code).toBe(0);
    },
    HOUR,
  );

  test(
    'lie where --records says',
    async () => {
      const nvcc = fakeCompiler(join(place.folder, 'bin'), 'nvcc');
      const named = ['kernels', '--records', 'others', '--offline', 'out', '--nvcc', nvcc.path, '--no-controls'];
      expect(await place.run(...named, '--write')).toMatchObject({ code: 0 });
      expect(existsSync(join(place.folder, 'others/cuda/nvcc-13.0.jsonl'))).toBe(true);
    },
    HOUR,
  );
});
