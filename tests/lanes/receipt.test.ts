/** A receipt's run needs a shell and the program alone; its page has the figures of that run, and says what was not run. */
import { expect, test } from 'bun:test';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readLeft } from '../../scripts/receipt/left.ts';
import { receiptList, receiptPage } from '../../scripts/receipt/page.ts';
import { partialText } from '../../src/report/words.ts';
import type { Ran } from '../cli/executable.ts';
import { ran } from '../cli/executable.ts';
import { environmentOf, fresh, imagesOf } from './emulated.ts';
import { SMALL } from './failures.ts';

const HOUR = 3600 * 1000;
const SCRIPTS = join(import.meta.dir, '../../scripts');
const MAIN = join(import.meta.dir, '../../src/main.ts');

/** An executable file of a shell's words. */
function executable(words: string): string {
  const path = fresh('program');
  writeFileSync(path, `#!/bin/sh\n${words}\n`);
  chmodSync(path, 0o755);
  return path;
}

const emulation = { dialect: 'cuda', images: await imagesOf(SMALL, 'cuda'), kernels: SMALL } as const;

/** Runs run.sh over the emulated driver, then makes its page; what both came to, and the page. */
async function receiptOf(
  program: string,
  limitS: string,
): Promise<{ readonly run: Ran; readonly made: Ran; readonly page: string; readonly folder: string }> {
  const folder = fresh('receipt');
  const env = { ...(await environmentOf(emulation, fresh('report'))), RECEIPT_RUN_S: limitS };
  const run = await ran(['sh', join(SCRIPTS, 'receipt/run.sh'), program, folder, '--images', emulation.images], {
    env,
  });
  const made = await ran([process.execPath, join(SCRIPTS, 'gpu-receipt.ts'), '--from', folder], { env });
  const [name] = pagesIn(folder);
  return { run, made, page: name === undefined ? '' : readFileSync(name, 'utf8'), folder };
}

const pagesIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => /^\d.*\.md$/.test(name))
    .map((name) => join(folder, name));

test(
  'over an emulated driver it has its figures, is marked as none, and stays out of docs/receipts',
  async () => {
    const { run, made, page, folder } = await receiptOf(executable(`exec '${process.execPath}' '${MAIN}' "$@"`), '300');
    expect([run.code, run.stdout.includes('SUMMARY 2 kernels: 2 pass'), made.code]).toEqual([0, true, 0]);
    expect(page).toMatch(/^# \d{4}-\d\d-\d\d, Emulated H100\n\n\*\*No receipt: /);
    for (const row of [
      '| device | Emulated H100, sm_90, driver CUDA 13.0 |',
      `| images | of ${emulation.images} |`,
      '| kernels | 2 pass, 0 fail, 0 known findings, 0 not run |',
      '| controls | 4 red, 0 missed, 0 broken, 0 not run on a GPU |',
      '| limits as the driver tells them | 2 of 2 loaded kernels fit |',
      '| exit code | 0 |',
      '| `compute-sanitizer --tool memcheck` | ',
      'SUMMARY 2 kernels: 2 pass gates 1-3, ',
    ])
      expect(page).toContain(row);
    expect(made.stdout).toStartWith(folder);
    const left = readLeft(folder);
    const partial = { signal: 'SIGTERM', done: 3, jobs: 6 } as const;
    const cut = receiptPage({ ...left, report: { ...left.report!, partial } }, left.images);
    expect(cut).toContain(`**Partial: ${partialText(partial)}.**`);
  },
  HOUR,
);

test(
  'a run that takes too long, or that comes to no report, has a page of what it said',
  async () => {
    const { run, made, page, folder } = await receiptOf(
      executable("[ $1 != --version ] || exit; echo 'PASS  row_max@cuda  so far'; exec sleep 60"),
      '1',
    );
    expect([run.code, made.code]).toEqual([124, 124]);
    expect(page).toContain('**No figures: the run came to no report.**');
    expect(page).toContain('| exit code | 124: it was ended, since it took too long |');
    expect(made.stdout).toStartWith(folder);
    expect(page).toContain('```\nPASS  row_max@cuda  so far\n```');
  },
  HOUR,
);

test('a list without pages says that nothing was run, one with pages links them', () => {
  const folder = fresh('receipts');
  expect(receiptList(folder)).toContain('every dialect is *not run*');
  mkdirSync(folder);
  writeFileSync(join(folder, '2026-11-30-sm_90.md'), '# 2026-11-30, a GPU\n');
  expect(receiptList(folder)).toContain('- [2026-11-30, a GPU](2026-11-30-sm_90.md)');
});
