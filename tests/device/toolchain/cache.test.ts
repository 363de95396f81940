import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  hashOf,
  hashOfFolder,
  readCached,
  readSealed,
  writeWhole,
  writeSealed,
} from '../../../src/device/toolchain/cache.ts';
import { cachedImage, imagePath, rememberImage } from '../../../src/device/toolchain/manifest.ts';

const folder = mkdtempSync(join(tmpdir(), 'tf-cache-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('a hash', () => {
  test('keeps its parts apart', () => {
    expect(hashOf('ab', 'c')).not.toBe(hashOf('a', 'bc'));
    expect(hashOf('a')).toBe(hashOf(new TextEncoder().encode('a')));
  });

  test('of a folder changes with a name and with a content', () => {
    const files = join(folder, 'files');
    writeWhole(join(files, 'a/b.h'), 'one');
    const first = hashOfFolder(files);
    expect(hashOfFolder(files)).toBe(first);
    writeWhole(join(files, 'a/b.h'), 'two');
    const second = hashOfFolder(files);
    writeWhole(join(files, 'a/c.h'), '');
    expect(new Set([first, second, hashOfFolder(files)]).size).toBe(3);
  });
});

describe('the cache', () => {
  test('writes whole files and leaves nothing else', () => {
    const path = join(folder, 'whole/x');
    writeWhole(path, 'one');
    writeWhole(path, 'two');
    expect(new TextDecoder().decode(readCached(path) ?? undefined)).toBe('two');
    expect(readdirSync(join(folder, 'whole'))).toEqual(['x']);
    expect(readCached(join(folder, 'whole/y'))).toBeNull();
  });

  test('finds an image again until a file that it included changes', () => {
    const included = join(folder, 'h.cuh');
    writeFileSync(included, 'one');
    writeSealed(imagePath(folder, 'image'), 'ELF');
    rememberImage(folder, 'key', [included], 'image');
    expect(cachedImage(folder, 'key')).toEqual(new TextEncoder().encode('ELF'));
    expect(cachedImage(folder, 'other')).toBeNull();
    writeFileSync(included, 'two');
    expect(cachedImage(folder, 'key')).toBeNull();
  });

  test('takes a file that is cut short or altered for absent', () => {
    const path = join(folder, 'sealed/x');
    for (const damage of ['', 'content', 'other content than was sealed, and no seal behind it']) {
      writeSealed(path, 'content');
      expect(readSealed(path)).toEqual(new TextEncoder().encode('content'));
      writeFileSync(path, damage);
      expect(readSealed(path)).toBeNull();
    }
  });

  test('finds no image behind a manifest or in a file that is cut short', () => {
    for (const name of ['key.json', 'image.so']) {
      writeSealed(imagePath(folder, 'image'), 'ELF');
      rememberImage(folder, 'key', [], 'image');
      expect(cachedImage(folder, 'key')).not.toBeNull();
      truncateSync(join(folder, name), statSync(join(folder, name)).size - 1);
      expect(cachedImage(folder, 'key')).toBeNull();
    }
  });
});
