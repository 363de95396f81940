/** Puts a module with every contract and source in the place of src/spec/own-listing.ts, so that the executable needs no folder. */
import type { BunPlugin } from 'bun';
import { join, relative } from 'node:path';
import { contractPaths, readSources } from '../../src/spec/folder.ts';
import { bakedModule } from './baked.ts';

const OWN_LISTING = join(import.meta.dir, '../../src/spec');

/** The module's text: contracts as imports, sources as literals. It names no folder of this machine: builds anywhere are equal. */
export function listingModule(root: string): string {
  const paths = contractPaths(root);
  const imports = paths.map(
    (path, i) => `import contract${i} from ${JSON.stringify(relative(OWN_LISTING, join(root, path)))};`,
  );
  const contracts = paths.map((path, i) => `{ path: ${JSON.stringify(path)}, exported: contract${i} }`);
  const sources = JSON.stringify([...readSources(root)]);
  return [
    ...imports,
    `const listing = { contracts: [${contracts.join(', ')}], sources: new Map(${sources}) };`,
    'export const ownListing = () => Promise.resolve(listing);',
  ].join('\n');
}

export const bakedListing = (root: string): BunPlugin =>
  bakedModule('baked listing', /\/src\/spec\/own-listing\.ts$/, () => listingModule(root));
