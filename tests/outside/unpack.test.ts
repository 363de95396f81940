/** The headers that the executable holds, and the folder that it writes them to. */
import { expect, test } from 'bun:test';
import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { headerTexts } from '../../scripts/binary/host-sources.ts';
import { writeFolder } from '../../src/device/toolchain/unpack.ts';

const ROOT = join(import.meta.dir, '../..');

test('the executable holds every header, and no part of the runtime', () => {
  const paths = Object.keys(headerTexts(ROOT));
  expect(paths).toContain('dialect/cuda.h');
  expect(paths).toContain('dialect/include/metal/metal_stdlib');
  expect(paths).toContain('image.h');
  expect(paths.filter((path) => path.startsWith('runtime/'))).toEqual([]);
});

test('a folder is written whole, is left as it is, and is written again where it was changed', () => {
  const place = mkdtempSync(join(tmpdir(), 'tf-unpack-'));
  try {
    const folder = join(place, 'host');
    const texts = { 'a.h': 'a\n', 'in/b.h': 'b\n' };
    for (let times = 0; times < 2; times++) writeFolder(folder, texts);
    appendFileSync(join(folder, 'in/b.h'), 'more');
    writeFolder(folder, texts);
    expect(readFileSync(join(folder, 'in/b.h'), 'utf8')).toBe('b\n');
    expect(existsSync(join(folder, 'a.h'))).toBe(true);
    expect(readdirSync(place)).toEqual(['host']);
  } finally {
    rmSync(place, { recursive: true });
  }
});
