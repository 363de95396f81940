/** Where the images of a device come from in a run, as plain data, and the store that it means. */
import { folderImages, readPacked } from './image-folder.ts';
import type { ImageStore } from './images.ts';
import type { RunDevice } from './run-device.ts';
import { gpuImages, openImages } from './store.ts';

/** own: the program's, of the host device, or packed of a GPU. folder: what `--offline` compiled. compiled: by the run-time compiler. */
export type ImageSource =
  { readonly kind: 'own' | 'packed' | 'compiled' } | { readonly kind: 'folder'; readonly folder: string };

/** The images of a device; rejects with an ImageFolderError where a folder of them cannot be used. */
export async function imagesFor(
  { chip = '', dialects }: RunDevice,
  source: ImageSource,
  sources: ReadonlyMap<string, string>,
): Promise<ImageStore> {
  if (source.kind === 'folder') return folderImages(source.folder, chip, sources);
  if (source.kind === 'packed') return folderImages(gpuImages(), chip, sources, readPacked);
  const [dialect] = dialects;
  if (source.kind === 'own' || dialect === undefined) return openImages();
  const { compiledImages } = await import('./runtime-compilers/store.ts');
  return compiledImages(dialect, chip, sources);
}
