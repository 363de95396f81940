/** Compiles every image, on all cores, and the shims into the folder that is embedded. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ImageRequest, ImageStore } from '../../src/device/images.ts';
import { errorFile, imageFile, RUNTIME_FILE, shimFile } from '../../src/device/store.ts';
import { buildShim, shimsOf } from '../../src/device/shims/build.ts';
import type { Platform } from '../../src/device/toolchain/target.ts';

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

/** Writes the shims of the GPUs that a platform may have. */
export async function writeShims(folder: string, platform: Platform): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await Promise.all(
    shimsOf(platform).map(async (dialect) =>
      writeFileSync(join(folder, shimFile(dialect)), await buildShim(dialect, platform)),
    ),
  );
}
