/** The page of a receipt has the figures of its run, and the list says what was not run. */
import { expect, test } from 'bun:test';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { receiptList, receiptName, receiptPage } from '../../scripts/receipt/page.ts';
import { readReport } from '../../src/report/json.ts';
import { emulated, fresh, imagesOf, KERNELS } from './emulated.ts';

const HOUR = 3600 * 1000;

test(
  'a page is of a report of a run on a GPU',
  async () => {
    const json = fresh('report.json');
    const images = await imagesOf(KERNELS, 'cuda', (kernel) => kernel === 'right');
    const { code } = await emulated({ dialect: 'cuda', images, kernels: KERNELS }, '--only', 'right', '--json', json);
    expect(code).toBe(0);
    const report = readReport(readFileSync(json, 'utf8'));
    const beside = [{ command: 'compute-sanitizer --tool memcheck', outcome: 'not run: it is not installed' }];
    const page = receiptPage(report, { date: '2026-11-30', compiler: 'nvcc 13.0.88', command: 'run', beside });
    expect(page).toStartWith('# 2026-11-30, Emulated H100\n\n`run`\n\n| | |\n|---|---|\n| date | 2026-11-30 |\n');
    expect(page).toContain('| device | Emulated H100, sm_90, driver CUDA 13.0 |\n| compiler | nvcc 13.0.88 |');
    expect(page).toContain('| kernels | 1 pass, 0 fail, 0 known findings, 0 not run |');
    expect(page).toContain('| controls | 2 red, 0 missed, 0 broken, 0 not run on a GPU |');
    expect(page).toContain('| limits as the driver tells them | 1 of 1 loaded kernels fit |');
    expect(page).toContain('| `compute-sanitizer --tool memcheck` | not run: it is not installed |');
    expect(page).toContain(report.summary);
    expect(receiptName('2026-11-30', report)).toBe('2026-11-30-sm_90');
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
