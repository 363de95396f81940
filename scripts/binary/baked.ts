/** Puts a made module in the place of one of the project's. */
import type { BunPlugin } from 'bun';

/** module: matches the path of the module that is replaced. contents: the text of the other, made when it is asked for. */
export function bakedModule(name: string, module: RegExp, contents: () => string): BunPlugin {
  return {
    name,
    setup: (build) => {
      build.onLoad({ filter: module }, () => ({ contents: contents(), loader: 'ts' }));
    },
  };
}
