/** How paths of kernels are told. Apart from `outside.ts`, since gate 5 alone starts without node's modules. */
import { join, relative } from 'node:path';
import { outside } from './outside.ts';

/** A path below the kernels' folder, as a person sees it. */
export function shownPath(path: string): string {
  const named = outside();
  return named ? relative('.', join(named.root, path)) || '.' : `kernels/${path}`;
}
