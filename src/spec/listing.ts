/**
 * Every contract and kernel source there is. From source this module reads the kernels folder; the build puts a module of
 * the same shape in its place, with the same files inside the executable.
 */
import type { Listing } from './folder.ts';
import { KERNELS, readFolder } from './folder.ts';

export type { ContractFile, Listing } from './folder.ts';

/** The project's own kernels. */
export const readListing = (): Promise<Listing> => readFolder(KERNELS);
