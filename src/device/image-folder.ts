/**
 * A folder of GPU images as `--offline DIR` leaves it, found by what they were compiled from. Its index is untrusted, and so are the
 * images: paths stay inside the folder, and bytes that are not those that were compiled are refused.
 */
import { realpathSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import * as v from 'valibot';
import type { ImageRequest, ImageResult, ImageStore } from './images.ts';
import { imageKey } from './images.ts';
import { releaseOf } from './vendor/vendor.ts';
import { hashOf, readCached, writeWhole } from './toolchain/cache.ts';

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

/** The images of a folder for one chip; throws an ImageFolderError. */
export function folderImages(folder: string, chip: string, sources: ReadonlyMap<string, string>): ImageStore {
  const { headers, images } = readIndex(folder);
  if (headers !== headersHash(sources))
    throw new ImageFolderError(
      `The images of ${folder} were compiled with other headers than this program's.\n  ${AGAIN}`,
    );
  const isOwn = (of: readonly string[]): boolean => of.includes(chip) || of.includes(EVERY_CHIP);
  const own = new Map(images.filter(({ chips: of }) => isOwn(of)).map((image) => [image.key, image]));
  return { get: async (request) => imageOf(folder, chip, own.get(imageKey(request)), request) };
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
    return error instanceof Error ? error.message : String(error);
  }
}

function imageOf(folder: string, chip: string, found: IndexedImage | undefined, { path }: ImageRequest): ImageResult {
  if (!found) return { error: `${folder} has no image of ${path}, as it is here, for ${chip}. ${AGAIN}` };
  if ('error' in found) return { error: found.error };
  const bytes = inside(folder, found.file);
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
