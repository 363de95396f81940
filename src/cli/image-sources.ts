/** Where a device's images come from: the folder that is named, else what the program has for it. */
import { resolve } from 'node:path';
import type { ImageSource } from '../device/image-source.ts';
import type { RunDevice } from '../device/run-device.ts';

export function imageSourceOf({ id }: RunDevice, folder: string | undefined): ImageSource {
  if (id === 'host') return { kind: 'own' };
  return folder === undefined ? { kind: 'compiled' } : { kind: 'folder', folder: resolve(folder) };
}

/** `of ./images`, `compiled here`. */
export function imageSourceText(source: ImageSource): string {
  if (source.kind === 'folder') return `of ${source.folder}`;
  return source.kind === 'compiled' ? 'compiled here' : 'of the program';
}
