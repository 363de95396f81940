/** A command that selects nothing says which of its flags left everything out. */
import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NothingRunError } from '../../src/cli/errors.ts';
import { readFlags } from '../../src/cli/arguments/flags.ts';
import { selectionOf } from '../../src/cli/selection.ts';
import { ran } from './executable.ts';

const reasonOf = async (line: string): Promise<string> => {
  const error: unknown = await selectionOf(readFlags(line.split(' '))).catch((caught: unknown) => caught);
  if (error instanceof NothingRunError) return error.message;
  throw new Error(`'${line}' does not select nothing`);
};

test.each([
  ['--gate limits --dialect xpu --only zzz', '--gate limits --dialect xpu --only zzz', ['--only zzz']],
  ['--dialect xpu --only row_sum@cuda', '--dialect xpu --only row_sum@cuda', ['--dialect xpu', '--only row_sum@cuda']],
  [
    '--gate sums --only row_sum@hip:shapes',
    '--gate sums --only row_sum@hip:shapes',
    ['--gate sums', '--only row_sum@hip:shapes'],
  ],
  ['--no-controls --only limits!', "--no-controls --only 'limits!'", ['--no-controls', "--only 'limits!'"]],
])('%p', async (line, told, excluding) => {
  const reason = await reasonOf(line);
  expect(reason).toStartWith(`Nothing is selected, so nothing was run: ${told} matches no case and no control.\n`);
  expect(
    [...reason.matchAll(/^ {2}Without (.*) it matches [\d,]+ address(?:es)?\.$/gm)].map(([, flag]) => flag),
  ).toEqual(excluding);
  expect(reason).toContain('npm start -- --list prints every one');
});

test('a folder without kernels is no run, though gate 5 has standing controls', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tf-empty-'));
  const main = join(import.meta.dir, '../../src/main.ts');
  const { code, stdout, stderr } = await ran([process.execPath, main], { env: { ...process.env, TF_KERNELS: folder } });
  rmSync(folder, { recursive: true });
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toStartWith('No kernel is registered, so nothing was run.\n');
});
