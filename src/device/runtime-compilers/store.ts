/** The images of a GPU by its vendor's run-time compiler: each source once. */
import { dirname } from 'node:path';
import type { Dialect } from '../../families/formula/functions.ts';
import type { ImageRequest, ImageResult, ImageStore } from '../images.ts';
import { imageKey } from '../images.ts';
import { HEADERS } from '../store.ts';
import { type ProgramCompiler, RuntimeCompiler } from './compiler.ts';
import { COMPILERS } from './kinds.ts';
import { METAL_SOURCE } from './metal.ts';
import { OclocCompiler } from './ocloc.ts';

const ELSEWHERE = 'Or compile elsewhere, by --offline DIR, and run with --images DIR.';

type Opened = ProgramCompiler | { readonly why: string };

const OPEN: Readonly<Record<Dialect, () => Opened>> = {
  cuda: () => RuntimeCompiler.open(COMPILERS.cuda),
  hip: () => RuntimeCompiler.open(COMPILERS.hip),
  metal: () => METAL_SOURCE,
  xpu: () => OclocCompiler.open(),
};

/**
 * The images of a dialect's kernels for one chip. Where the compiler is not here, every image is its absence in words. sources: every
 * source and header of the kernels, by their paths relative to kernels/.
 */
export function compiledImages(dialect: Dialect, chip: string, sources: ReadonlyMap<string, string>): ImageStore {
  const compiler = OPEN[dialect]();
  const made = new Map<string, ImageResult>();
  const imageOf = (request: ImageRequest): ImageResult => {
    if ('why' in compiler) return { error: `${compiler.why} ${ELSEWHERE}` };
    const { path, text, defines } = request;
    return compiler.compile({ path, source: text, headers: headersOf(request, sources), defines, chip });
  };
  return {
    get: async (request) => {
      const key = imageKey({ ...request, kind: 'fast' });
      const result = made.get(key) ?? imageOf(request);
      made.set(key, result);
      return result;
    },
  };
}

/** What a source may include: the headers of its dialect that kernels share, and those of its own folder, by their names there. */
function headersOf({ dialect, path }: ImageRequest, sources: ReadonlyMap<string, string>): Map<string, string> {
  const folders = [`shared/${HEADERS[dialect]}/`, `${dirname(path)}/`];
  const headers = new Map<string, string>();
  for (const folder of folders)
    for (const [name, text] of sources)
      if (name.startsWith(folder) && name !== path) headers.set(name.slice(folder.length), text);
  return headers;
}
