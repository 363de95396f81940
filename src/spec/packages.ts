/**
 * Packages that contracts from outside import. Run from source, Bun would fetch and run one that is not there, which nobody named; so
 * what is not installed where the contract lies is refused before anything is imported. The executable never fetches.
 */
import { existsSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, extname, join, resolve } from 'node:path';
import { MODULE } from './outside.ts';

/** An import of a package that is nowhere in a `node_modules` around the file. */
export interface MissingPackage {
  readonly file: string;
  readonly name: string;
}

/** Looks through a file and the files that it imports from beside it. */
export function missingPackages(file: string, seen = new Set<string>()): MissingPackage[] {
  if (seen.has(file) || !existsSync(file)) return [];
  seen.add(file);
  return importsOf(file).flatMap((name) => {
    if (name.startsWith('.') || name.startsWith('/')) return missingPackages(beside(file, name), seen);
    const isThere = name === MODULE || isBuiltin(name) || name.startsWith('bun') || isInstalled(dirname(file), name);
    return isThere ? [] : [{ file, name }];
  });
}

/** What a file of code imports; nothing where it is no code or is not well-formed, which its import will tell. */
function importsOf(file: string): string[] {
  if (!/\.[cm]?[jt]sx?$/.test(file)) return [];
  try {
    return new Bun.Transpiler({ loader: 'ts' }).scanImports(readFileSync(file, 'utf8')).map(({ path }) => path);
  } catch {
    return [];
  }
}

function beside(file: string, name: string): string {
  const path = resolve(dirname(file), name);
  return extname(path) === '' || !existsSync(path) ? `${path}.ts` : path;
}

function isInstalled(folder: string, name: string): boolean {
  const [scope = '', part = ''] = name.split('/');
  const wanted = scope.startsWith('@') ? `${scope}/${part}` : scope;
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, 'node_modules', wanted))) return true;
    if (at === dirname(at)) return false;
  }
}
