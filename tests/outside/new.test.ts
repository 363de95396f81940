/** `new NAME`: what it writes passes, type-checks, and is written over nothing. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TYPES_FILE, typesText } from '../../scripts/types.ts';
import type { Ran } from '../cli/executable.ts';
import { ran } from '../cli/executable.ts';
import type { Outside } from './kit.ts';
import { environment, openOutside } from './kit.ts';

const HOUR = 3600 * 1000;

test('the types are those of the sources: else bun scripts/types.ts', () => {
  expect(readFileSync(TYPES_FILE, 'utf8')).toBe(typesText());
});

let place: Outside;
let written: Ran;
beforeAll(async () => {
  place = openOutside();
  written = await place.run('new', 'scores', '--dialect', 'cuda,hip,metal,xpu');
});
afterAll(() => place.close());

const check = (): Promise<Ran> =>
  ran([process.execPath, 'check', '--no-script'], { cwd: place.folder, env: environment() });

describe('a new kernel', () => {
  test('is a folder of sources and a contract, with types beside it', () => {
    expect(written.code).toBe(0);
    const lines = written.stdout.trimEnd().split('\n');
    expect(lines.map((line) => line.split(/ {2,}/)[0] ?? '')).toEqual([
      ...['cl', 'contract.ts', 'cu', 'hip', 'metal'].map((extension) => `scores/scores.${extension}`),
      'tf-kernel-contract.d.ts',
      'tsconfig.json',
      'Next: tf-kernel-contract ./scores',
    ]);
    for (const line of lines.slice(0, -1)) expect(existsSync(join(place.folder, line.split(' ')[0] ?? ''))).toBe(true);
    expect(readFileSync(join(place.folder, 'scores/scores.cu'), 'utf8')).toContain('\ntf_scores(');
  });

  test('holds only the dialects that were asked for', async () => {
    expect(await place.run('new', 'one', '--dialect', 'hip')).toMatchObject({ code: 0 });
    const contract = readFileSync(join(place.folder, 'one/one.contract.ts'), 'utf8');
    expect(contract).toContain('hip: launch,');
    expect(contract).not.toMatch(/cuda|metal|xpu/);
    expect(existsSync(join(place.folder, 'one/one.cu'))).toBe(false);
  });

  test(
    'passes in the other dialects; in CUDA the tutorial runs it',
    async () => {
      const { stdout } = await place.run('scores', '--dialect', 'hip,metal,xpu', '--mode', 'plain', '--gate', 'shapes');
      expect(stdout).toContain(
        'SUMMARY 3 kernels: 3 pass gate 3, 0 fail, 0 known findings, 0 not run; 3 controls: 3 red',
      );
    },
    HOUR,
  );

  test('type-checks, until its contract has a mistake', async () => {
    expect(await check()).toMatchObject({ code: 0 });
    const file = join(place.folder, 'scores/scores.contract.ts');
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace("rowIndependent: 'rows'", "rowIndependent: 'row'"));
    const { code, stdout, stderr } = await check();
    writeFileSync(file, text);
    expect(code).toBe(1);
    expect(stdout + stderr).toContain(`scores/scores.contract.ts(`);
    expect(stdout + stderr).toContain(`'"row"' is not assignable to type '"rows" | "width"`);
  });
});

describe('a wrong command', () => {
  test.each([
    [['new'], 'new needs a name for the kernel.'],
    [['new', 'a', 'b'], "new takes one name, but got 'a' and 'b'."],
    [['new', 'a'], 'new needs --dialect: cuda, hip, metal or xpu, or several by commas.'],
    [
      ['new', 'a', '--dialect', 'nvidia'],
      "--dialect: 'nvidia' is no dialect (did you mean cuda?); there are cuda, hip, metal, xpu.",
    ],
    [
      ['new', 'Row-Scale', '--dialect', 'cuda'],
      "'Row-Scale' is no name for a kernel (did you mean row_scale?): lower-case letters, digits and _, from a letter.",
    ],
    [
      ['new', '../a', '--dialect', 'cuda'],
      "'../a' is no name for a kernel (did you mean a?): lower-case letters, digits and _, from a letter.",
    ],
    [['new', 'scores', '--dialect', 'cuda'], 'scores is there already, and nothing of it is overwritten.'],
  ])('%j', async (args, text) => {
    const { code, stderr } = await place.run(...args);
    expect([code, stderr.split('\n')[0]]).toEqual([2, text]);
  });
});
