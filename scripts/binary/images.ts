/** Compiles every image, on all cores, and the shims into the folder that is embedded. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ImageRequest, ImageStore } from '../../src/device/images.ts';
import { errorFile, imageFile, RUNTIME_FILE, shimFile } from '../../src/device/store.ts';
import { buildShim, hasShim } from '../../src/device/shims/build.ts';
import { DIALECTS } from '../../src/families/formula/functions.ts';

/** What did not compile, by the compiler's text: one fault of a source breaks its controls in the same words. */
export type ImageErrors = ReadonlyMap<string, number>;

/** Writes the runtime and each request's image, or the compiler's text in its place; returns what did not compile. */
export async function writeImages(
  folder: string,
  runtime: Uint8Array,
  requests: ReadonlyMap<string, ImageRequest>,
  store: ImageStore,
): Promise<ImageErrors> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, RUNTIME_FILE), runtime);
  const errors = new Map<string, number>();
  await Promise.all(
    [...requests].map(async ([key, request]) => {
      const result = await store.get(request);
      if ('image' in result)
        writeFileSync(join(folder, imageFile(key)), Bun.zstdCompressSync(result.image, { level: 6 }));
      else {
        writeFileSync(join(folder, errorFile(key)), result.error);
        errors.set(result.error, (errors.get(result.error) ?? 0) + 1);
      }
    }),
  );
  return errors;
}

/** Writes the shim of each dialect's GPUs that has one. */
export async function writeShims(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await Promise.all(
    DIALECTS.filter(hasShim).map(async (dialect) =>
      writeFileSync(join(folder, shimFile(dialect)), await buildShim(dialect)),
    ),
  );
}
