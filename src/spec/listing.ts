/**
 * Every contract and kernel source there is. The folder is the registration: in development this module reads the kernels
 * folder; the build puts a module of the same shape in its place, with the same files inside the binary.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface ContractFile {
  /** Relative to kernels/, as in messages. */
  readonly path: string;
  /** The module's default export. */
  readonly exported: unknown;
}

export interface Listing {
  readonly contracts: readonly ContractFile[];
  /** Text of every kernel source and header, by its path relative to kernels/. */
  readonly sources: ReadonlyMap<string, string>;
}

/** Where the project's own kernels lie. */
export const KERNELS = join(import.meta.dir, '../../kernels');

export const SOURCE_PATTERN = '**/*.{cu,cuh,hip,metal,cl,h,clh}';
export const CONTRACT_PATTERN = '**/*.contract.ts';

/** Reads a kernels folder. A contract that does not load is an error that names its file. */
export async function readListing(root: string = KERNELS): Promise<Listing> {
  const scan = (pattern: string): string[] => [...new Bun.Glob(pattern).scanSync({ cwd: root })].toSorted();
  const sources = new Map(scan(SOURCE_PATTERN).map((path) => [path, readFileSync(join(root, path), 'utf8')]));
  const contracts: ContractFile[] = [];
  for (const path of scan(CONTRACT_PATTERN)) contracts.push({ path, exported: await importDefault(join(root, path), path) });
  return { contracts, sources };
}

async function importDefault(file: string, path: string): Promise<unknown> {
  try {
    const module: { default?: unknown } = await import(file);
    return module.default;
  } catch (error) {
    throw new Error(`kernels/${path} does not load: ${error instanceof Error ? error.message : String(error)}`);
  }
}
