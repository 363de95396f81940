/**
 * Every contract and kernel source of the program's own. From source this module reads the kernels folder; the build puts a module
 * of the same shape in its place, with the same files inside the executable.
 */
import type { Listing } from './folder.ts';
import { KERNELS, readFolder } from './folder.ts';

export const ownListing = (): Promise<Listing> => readFolder(KERNELS);
