/** A folder of GPU images: found by what they were compiled from, and never trusted. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { IndexedImage } from '../../src/device/image-folder.ts';
import {
  addToIndex,
  EVERY_CHIP,
  folderImages,
  hasImagesFor,
  ImageFolderError,
  INDEX_FILE,
  packFolder,
  readPacked,
  writeIndex,
} from '../../src/device/image-folder.ts';
import type { ImageRequest } from '../../src/device/images.ts';
import { imageKey } from '../../src/device/images.ts';
import { hashOf } from '../../src/device/toolchain/cache.ts';

const folder = mkdtempSync(join(tmpdir(), 'tf-images-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const fresh = join(folder, 'fresh');
const request: ImageRequest = { kind: 'fast', dialect: 'cuda', path: 'k/k.cu', text: 'text', defines: { N: 1 } };
const sources = new Map([['shared/cuda/a.cuh', 'header']]);
const bytes = new Uint8Array([1, 2, 3]);
writeFileSync(join(folder, 'k.fatbin'), bytes);

const entry = (part: Partial<Extract<IndexedImage, { file: string }>> = {}): IndexedImage => ({
  key: imageKey(request),
  chips: ['sm_90'],
  compiler: 'nvcc 13.0.88',
  file: 'k.fatbin',
  hash: hashOf(bytes),
  ...part,
});

/** What the folder gives for the request, its index holding some images. */
async function given(
  images: readonly IndexedImage[],
  asked: Partial<ImageRequest> = {},
  chip = 'sm_90',
): Promise<unknown> {
  writeIndex(folder, sources, images);
  return folderImages(folder, chip, sources).get({ ...request, ...asked });
}

test('an image is found by its source, its defines and the chip', async () => {
  expect(await given([entry()])).toEqual({ image: bytes, set: 'nvcc-13.0' });
  expect(await given([entry({ chips: [EVERY_CHIP] })], {}, 'M3')).toEqual({ image: bytes, set: 'nvcc-13.0' });
  for (const [asked, chip] of [
    [{ text: 'edited' }, 'sm_90'],
    [{ defines: {} }, 'sm_90'],
    [{}, 'sm_80'],
  ] as const)
    expect(await given([entry()], asked, chip)).toEqual({ error: expect.stringContaining('has no image of k/k.cu') });
});

test('what did not compile is told in the compiler’s words', async () => {
  const { key, chips, compiler } = entry();
  expect(await given([{ key, chips, compiler, error: 'k.cu(3): error' }])).toEqual({ error: 'k.cu(3): error' });
});

test('bytes that are not those that were compiled, and paths that leave the folder, give no image', async () => {
  expect(await given([entry({ hash: hashOf('other') })])).toEqual({
    error: expect.stringContaining('is not the image'),
  });
  symlinkSync('/etc/passwd', join(folder, 'link'));
  for (const file of ['../../../../../../etc/passwd', '/etc/passwd', 'link', 'absent', ''])
    expect(await given([entry({ file })])).toEqual({ error: expect.stringContaining('is not a file in') });
});

test('an index that is absent, broken or of other headers is refused in words', () => {
  const refused = (text: string): void => {
    writeFileSync(join(folder, INDEX_FILE), text);
    expect(() => folderImages(folder, 'sm_90', sources)).toThrow(ImageFolderError);
  };
  for (const text of ['', '{', '[]', '{"schema":9}', '{"schema":1,"headers":"x","images":[{}]}']) refused(text);
  writeIndex(folder, new Map([['shared/cuda/a.cuh', 'changed']]), [entry()]);
  expect(() => folderImages(folder, 'sm_90', sources)).toThrow(/compiled with other headers/);
  expect(() => folderImages(join(folder, 'nowhere'), 'sm_90', sources)).toThrow(/There is no images.json/);
});

test('a packed folder gives the same images, each file once, and none where a file is damaged', async () => {
  writeIndex(folder, sources, [entry(), entry({ chips: ['sm_80'] })]);
  const packed = join(folder, 'packed');
  expect(packFolder(folder, packed)).toBe(1);
  expect(await folderImages(packed, 'sm_80', sources, readPacked).get(request)).toMatchObject({ image: bytes });
  expect([hasImagesFor(packed, 'sm_90'), hasImagesFor(packed, 'M1'), hasImagesFor(fresh, 'sm_90')]).toEqual([
    true,
    false,
    false,
  ]);
  writeIndex(folder, sources, [entry({ hash: hashOf('other') })]);
  expect(() => packFolder(folder, packed)).toThrow(/is not the image that was compiled/);
});

test('images are added to those of other sources; those of other headers go', async () => {
  writeIndex(folder, sources, [entry({ key: 'other' })]);
  addToIndex(folder, sources, [entry()]);
  addToIndex(folder, sources, [entry()]);
  const index = await Bun.file(join(folder, INDEX_FILE)).json();
  expect(index.images.map(({ key }: IndexedImage) => key)).toEqual(['other', imageKey(request)]);
  addToIndex(folder, new Map(), [entry()]);
  expect((await Bun.file(join(folder, INDEX_FILE)).json()).images).toHaveLength(1);
});
