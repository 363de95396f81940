/** The README's contract is one that loads. */
import { expect, test } from 'bun:test';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFolder } from '../src/spec/folder.ts';
import { loadKernels } from '../src/spec/load.ts';

const ROOT = join(import.meta.dir, '..');

test('the contract in the README loads over the source that it is of', async () => {
  const [, text = ''] = /```ts\n([^]*?)```/.exec(readFileSync(join(ROOT, 'README.md'), 'utf8')) ?? [];
  const folder = mkdtempSync(join(tmpdir(), 'tf-readme-'));
  try {
    cpSync(join(ROOT, 'kernels/l2_rows/l2_rows.cu'), join(folder, 'l2_rows/l2_rows.cu'), { recursive: true });
    writeFileSync(
      join(folder, 'l2_rows/l2_rows.contract.ts'),
      text.replace('#contract', join(ROOT, 'src/spec/contract.ts')),
    );
    const [kernel] = loadKernels(await readFolder(folder));
    const [source = ''] = (await readFolder(folder)).sources.values();
    expect(kernel?.name).toBe('l2_rows');
    for (const { edit } of kernel?.contract.controls ?? [])
      expect(source.split(edit?.cuda?.from ?? '')).toHaveLength(2);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
