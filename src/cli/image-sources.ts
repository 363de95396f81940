/** Where a device's images come from: the folder that is named, else what the program has for it. */
import { resolve } from 'node:path';
import type { ImageSource } from '../device/image-source.ts';
import { hasImagesFor } from '../device/image-folder.ts';
import type { RunDevice } from '../device/run-device.ts';
import { gpuImages } from '../device/store.ts';
import { outside } from '../spec/outside.ts';

export function imageSourceOf({ id, chip }: RunDevice, folder: string | undefined): ImageSource {
  if (id === 'host') return { kind: 'own' };
  if (folder !== undefined) return { kind: 'folder', folder: resolve(folder) };
  const isPacked = Bun.isStandaloneExecutable && chip !== undefined && !outside() && hasImagesFor(gpuImages(), chip);
  return { kind: isPacked ? 'packed' : 'compiled' };
}

/** `of ./images`, `compiled here`. */
export function imageSourceText(source: ImageSource): string {
  if (source.kind === 'folder') return `of ${source.folder}`;
  return source.kind === 'compiled' ? 'compiled here' : 'of the program';
}
