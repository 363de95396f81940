/** Reads contracts from outside: they import `tf-kernel-contract`, which is this very program. */
import { dirname, join } from 'node:path';
import { ContractError } from './contract-error.ts';
import * as api from './contract.ts';
import type { Listing } from './folder.ts';
import { readContracts, readTexts } from './folder.ts';
import type { Outside } from './outside.ts';
import { packageProblem } from './import-error.ts';
import { MODULE } from './outside.ts';
import { missingPackages } from './packages.ts';

/** Folders that a kernel keeps its headers in may be this deep. */
const SOURCES = ['', '*/', '*/*/'].map((folders) => `${folders}*.{cu,cuh,hip,hpp,metal,cl,h,clh}`);
const FIXTURES = '*.json';
const SHARED = 'shared/**/*.{cuh,hpp,h,clh,metal}';

/** Runs the contracts' own code, and reads the texts of their folders; throws a ContractError that names all that do not load. */
export async function outsideListing({ root, contracts }: Outside): Promise<Listing> {
  Bun.plugin({
    name: MODULE,
    setup: (build) => void build.module(MODULE, () => ({ exports: { ...api }, loader: 'object' })),
  });
  const missing = contracts.flatMap((path) => missingPackages(join(root, path)));
  if (missing.length > 0) throw new ContractError(missing.map((one) => packageProblem(one, root)));
  const folders = [...new Set(contracts.map((path) => dirname(path)))];
  const patterns = folders.flatMap((folder) => [...SOURCES, FIXTURES].map((files) => `${folder}/${files}`));
  return { contracts: await readContracts(root, contracts), sources: readTexts(root, [...patterns, SHARED]) };
}
