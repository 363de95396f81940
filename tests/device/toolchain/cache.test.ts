import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashOf, hashOfFolder, readCached, writeCached } from '../../../src/device/toolchain/cache.ts';
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
    writeCached(join(files, 'a/b.h'), 'one');
    const first = hashOfFolder(files);
    expect(hashOfFolder(files)).toBe(first);
    writeCached(join(files, 'a/b.h'), 'two');
    const second = hashOfFolder(files);
    writeCached(join(files, 'a/c.h'), '');
    expect(new Set([first, second, hashOfFolder(files)]).size).toBe(3);
  });
});

describe('the cache', () => {
  test('writes whole files and leaves nothing else', () => {
    const path = join(folder, 'whole/x');
    writeCached(path, 'one');
    writeCached(path, 'two');
    expect(new TextDecoder().decode(readCached(path) ?? undefined)).toBe('two');
    expect(readdirSync(join(folder, 'whole'))).toEqual(['x']);
    expect(readCached(join(folder, 'whole/y'))).toBeNull();
  });

  test('finds an image again until a file that it included changes', () => {
    const included = join(folder, 'h.cuh');
    writeFileSync(included, 'one');
    writeCached(imagePath(folder, 'image'), 'ELF');
    rememberImage(folder, 'key', [included], 'image');
    expect(cachedImage(folder, 'key')).toEqual(new TextEncoder().encode('ELF'));
    expect(cachedImage(folder, 'other')).toBeNull();
    writeFileSync(included, 'two');
    expect(cachedImage(folder, 'key')).toBeNull();
  });
});
