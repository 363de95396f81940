/**
 * A folder of GPU images as `--offline DIR` leaves it, found by what they were compiled from. Its index is untrusted, and so are the
 * images: paths stay inside the folder, and bytes that are not those that were compiled are refused.
 */
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import * as v from 'valibot';
import type { ImageRequest, ImageResult, ImageStore } from './images.ts';
import { imageKey } from './images.ts';
import { releaseOf } from './vendor/vendor.ts';
import { hashOf, readCached, writeWhole } from './toolchain/cache.ts';
import { messageOf } from '../spec/message-of.ts';

/** In place of chips, of an image that holds no chip's code. */
export const EVERY_CHIP = 'every';
export const INDEX_FILE = 'images.json';
const SCHEMA = 1;

const text = v.pipe(v.string(), v.maxLength(400));
const chips = v.pipe(v.array(text), v.maxLength(64));
const entry = v.union([
  v.strictObject({ key: text, chips, compiler: text, file: text, hash: text }),
  v.strictObject({ key: text, chips, compiler: text, error: v.string() }),
]);
const index = v.strictObject({
  schema: v.literal(SCHEMA, `its schema is not ${SCHEMA}`),
  /** A hash of every header that sources include. */
  headers: text,
  images: v.pipe(v.array(entry), v.maxLength(200_000)),
});

/** One image of some chips, or the compiler's words in its place. `file` is relative to the folder. */
export type IndexedImage = v.InferOutput<typeof entry>;

/** A folder of images that cannot be used; the message says why and what to do. */
export class ImageFolderError extends Error {
  override readonly name = 'ImageFolderError';
}

const AGAIN = 'Make it with tf-kernel-contract --offline DIR of this program.';

/** Reads a file of a folder of images; undefined where the folder has none of that name. */
type ReadFile = (folder: string, file: string) => Uint8Array | undefined;

/** The images of a folder for one chip; throws an ImageFolderError. `read`: how their files are read, where not plainly. */
export function folderImages(
  folder: string,
  chip: string,
  sources: ReadonlyMap<string, string>,
  read: ReadFile = inside,
): ImageStore {
  const { headers, images } = readIndex(folder);
  if (headers !== headersHash(sources))
    throw new ImageFolderError(
      `The images of ${folder} were compiled with other headers than this program's.\n  ${AGAIN}`,
    );
  const isOwn = (of: readonly string[]): boolean => of.includes(chip) || of.includes(EVERY_CHIP);
  const own = new Map(images.filter(({ chips: of }) => isOwn(of)).map((image) => [image.key, image]));
  return { get: async (request) => imageOf(folder, chip, own.get(imageKey(request)), request, read) };
}

/** Whether a folder has images for a chip. */
export const hasImagesFor = (folder: string, chip: string): boolean =>
  existsSync(join(folder, INDEX_FILE)) &&
  readIndex(folder).images.some(({ chips: of }) => of.includes(chip) || of.includes(EVERY_CHIP));

/** Copies a folder's images, compressed, each once; returns how many there are. What `readPacked` reads. */
export function packFolder(from: string, into: string): number {
  const { images } = readIndex(from);
  mkdirSync(into, { recursive: true });
  const packed = new Set<string>();
  const entries = images.map((image): IndexedImage => {
    if ('error' in image) return image;
    const bytes = inside(from, image.file);
    if (!bytes || hashOf(bytes) !== image.hash)
      throw new ImageFolderError(`${join(from, image.file)} is not the image that was compiled.\n  ${AGAIN}`);
    const file = `${image.hash}.zst`;
    if (!packed.has(file)) writeFileSync(join(into, file), Bun.zstdCompressSync(bytes, { level: 6 }));
    packed.add(file);
    return { ...image, file };
  });
  writeFileSync(join(into, INDEX_FILE), JSON.stringify({ ...readIndex(from), images: entries }));
  return packed.size;
}

/** A file of a packed folder, whose names are the program's own. */
export function readPacked(folder: string, file: string): Uint8Array | undefined {
  const bytes = readCached(join(folder, file));
  return bytes ? new Uint8Array(Bun.zstdDecompressSync(bytes)) : undefined;
}

/** Adds images to a folder's index; what it has of other sources or chips stays, unless headers have changed. */
export function addToIndex(
  folder: string,
  sources: ReadonlyMap<string, string>,
  images: readonly IndexedImage[],
): void {
  const nameOf = ({ key, chips: of, compiler }: IndexedImage): string => JSON.stringify([key, of, compiler]);
  const all = new Map([...knownImages(folder, sources), ...images].map((image) => [nameOf(image), image]));
  writeIndex(folder, sources, [...all.values()]);
}

function knownImages(folder: string, sources: ReadonlyMap<string, string>): readonly IndexedImage[] {
  try {
    const { headers, images } = readIndex(folder);
    return headers === headersHash(sources) ? images : [];
  } catch (error) {
    if (error instanceof ImageFolderError) return []; // none yet, or another program's
    throw error;
  }
}

/** Writes a folder's index. */
export function writeIndex(
  folder: string,
  sources: ReadonlyMap<string, string>,
  images: readonly IndexedImage[],
): void {
  const whole: v.InferOutput<typeof index> = { schema: SCHEMA, headers: headersHash(sources), images: [...images] };
  writeWhole(join(folder, INDEX_FILE), `${JSON.stringify(whole)}\n`);
}

function readIndex(folder: string): v.InferOutput<typeof index> {
  const path = join(folder, INDEX_FILE);
  const bytes = readCached(path);
  if (!bytes)
    throw new ImageFolderError(`There is no ${INDEX_FILE} in ${folder}, so no image is found in it.\n  ${AGAIN}`);
  const read = v.safeParse(index, parsed(bytes));
  if (read.success) return read.output;
  const [issue] = read.issues;
  throw new ImageFolderError(`${path} is no index of images: ${issue.message}.\n  ${AGAIN}`);
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    return messageOf(error);
  }
}

function imageOf(
  folder: string,
  chip: string,
  found: IndexedImage | undefined,
  { path }: ImageRequest,
  read: ReadFile,
): ImageResult {
  if (!found) return { error: `${folder} has no image of ${path}, as it is here, for ${chip}. ${AGAIN}` };
  if ('error' in found) return { error: found.error };
  const bytes = read(folder, found.file);
  if (!bytes) return { error: `${found.file} of ${INDEX_FILE} is not a file in ${folder}` };
  if (hashOf(bytes) !== found.hash) return { error: `${found.file} is not the image that was compiled. ${AGAIN}` };
  return { image: bytes, set: setOf(found.compiler) };
}

/** `nvcc-13.0` of `nvcc 13.0.88`. */
function setOf(compiler: string): string {
  const [name = '', version = ''] = compiler.split(' ');
  return `${name}-${releaseOf(version)}`;
}

/** The bytes of a file below a folder, links followed; undefined where it lies elsewhere. */
function inside(folder: string, file: string): Uint8Array | undefined {
  try {
    const [root, path] = [realpathSync(folder), realpathSync(join(folder, file))];
    return path.startsWith(root + sep) ? new Uint8Array(readFileSync(path)) : undefined;
  } catch {
    return undefined;
  }
}

const HEADER = /\.(cuh|h|hpp|clh)$/;

function headersHash(sources: ReadonlyMap<string, string>): string {
  const headers = [...sources].filter(([path]) => HEADER.test(path)).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return hashOf(...headers.flat());
}
