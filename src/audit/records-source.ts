/** What a record was compiled from, as a hash: a source, the kernels' own headers that it includes, and its defines. */
import { dirname, join, normalize } from 'node:path';
import type { Dialect } from '../families/formula/functions.ts';
import type { Kernel } from '../spec/registration.ts';
import type { AuditLaunch } from './launch.ts';
import { definesText } from './launch.ts';
import { auditLaunches } from './launches.ts';

const HEADERS: Readonly<Record<Dialect, string>> = { cuda: 'cuda', hip: 'hip', metal: 'metal', xpu: 'opencl' };

/** Characters of a hash that a record keeps. */
const KEPT = 16;

/** A launch with the hash of its source: plain data, so that a build may make it once. */
export interface HashedLaunch extends AuditLaunch {
  readonly hash: string;
}

/** Every launch of the kernels. `sources`: the text of every source and header, by its path relative to kernels/. */
export function hashedLaunches(kernels: readonly Kernel[], sources: ReadonlyMap<string, string>): HashedLaunch[] {
  const hash = sourceHasher(sources);
  return kernels.flatMap((kernel) => auditLaunches(kernel)).map((launch) => ({ ...launch, hash: hash(launch) }));
}

/** Hashes sources by what they hold. `sources`: the text of every file, by its path relative to kernels/. */
export function sourceHasher(sources: ReadonlyMap<string, string>): (launch: Hashed) => string {
  const known = new Map<string, string>();
  return (launch) => {
    const defines = definesText(launch.defines);
    const key = `${launch.source}\0${defines}`;
    const hash = known.get(key) ?? hashOf(filesOf(launch, sources), defines, sources);
    known.set(key, hash);
    return hash;
  };
}

type Hashed = Pick<AuditLaunch, 'dialect' | 'source' | 'defines'>;

/**
 * The source and all that it includes, each once, in the order in which a compiler meets them. Vendors' headers are not
 * ours.
 */
function filesOf({ dialect, source }: Hashed, sources: ReadonlyMap<string, string>): string[] {
  const found = new Set<string>();
  const visit = (path: string): void => {
    if (found.has(path)) return;
    found.add(path);
    for (const [, name = ''] of (sources.get(path) ?? '').matchAll(/^[ \t]*#[ \t]*include[ \t]*["<]([^">]+)[">]/gm)) {
      const folders = [dirname(path), join('shared', HEADERS[dialect]), dirname(source)];
      const file = folders.map((folder) => normalize(join(folder, name))).find((candidate) => sources.has(candidate));
      if (file !== undefined) visit(file);
    }
  };
  visit(source);
  return [...found];
}

function hashOf(files: readonly string[], defines: string, sources: ReadonlyMap<string, string>): string {
  const texts = files.map((file) => sources.get(file) ?? '');
  return new Bun.CryptoHasher('sha256')
    .update(JSON.stringify([defines, ...texts]))
    .digest('hex')
    .slice(0, KEPT);
}
