/** Reads a kernels folder: every contract and every source text. The folder is the registration. */
import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ContractError } from './contract-error.ts';
import { shownPath } from './shown-path.ts';

export interface ContractFile {
  /** Relative to kernels/, as in messages. */
  readonly path: string;
  /** The module's default export. */
  readonly exported: unknown;
  /** Its text, for the lines of messages; the program's own have been checked when it was built. */
  readonly text?: string;
}

export interface Listing {
  readonly contracts: readonly ContractFile[];
  /** Text of every kernel source, header and fixture, by its path relative to kernels/. */
  readonly sources: ReadonlyMap<string, string>;
}

/** Where the program's own kernels lie: the project's folder, or TF_KERNELS when run from source. */
export const KERNELS = resolve(process.env['TF_KERNELS'] || join(import.meta.dir, '../../kernels'));

const SOURCE_PATTERN = '**/*.{cu,cuh,hip,hpp,metal,cl,h,clh}';
const FIXTURE_PATTERN = '*/**/*.json';
const CONTRACT_PATTERN = '**/*.contract.ts';

/** Paths of every contract, relative to the folder. */
export const contractPaths = (root: string): string[] => scan(root, CONTRACT_PATTERN);

/** The text of every source, header and fixture. */
export const readSources = (root: string): Map<string, string> => readTexts(root, [SOURCE_PATTERN, FIXTURE_PATTERN]);

/** Far more than a person writes. */
const MOST_BYTES = 2 ** 24;

/** The text of every file that matches a pattern. */
export function readTexts(root: string, patterns: readonly string[]): Map<string, string> {
  const paths = patterns.flatMap((pattern) => scan(root, pattern));
  const large = paths.filter((path) => statSync(join(root, path)).size > MOST_BYTES);
  if (large.length > 0)
    throw new ContractError(
      large.map(
        (path) => `${shownPath(path)} has more than ${MOST_BYTES} bytes, which no source has: move it elsewhere`,
      ),
    );
  return new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
}

/** Reads a kernels folder; throws a ContractError that names every contract that does not load. */
export async function readFolder(root: string): Promise<Listing> {
  return { contracts: await readContracts(root, contractPaths(root)), sources: readSources(root) };
}

/** Runs contract files; throws a ContractError that names every one that does not load. */
export async function readContracts(root: string, paths: readonly string[]): Promise<ContractFile[]> {
  const contracts: ContractFile[] = [];
  const problems: string[] = [];
  for (const path of paths) {
    try {
      const module: { default?: unknown } = await import(join(root, path));
      contracts.push({ path, exported: module.default, text: readFileSync(join(root, path), 'utf8') });
    } catch (error) {
      problems.push(...(await import('./import-error.ts')).importProblems(error, root, path));
    }
  }
  if (problems.length > 0) throw new ContractError(problems);
  return contracts;
}

const scan = (root: string, pattern: string): string[] => [...new Bun.Glob(pattern).scanSync({ cwd: root })].toSorted();
