/** Every contract and kernel source that this process works with: those that were named, else the program's own. */
import type { Listing } from './folder.ts';
import { outside } from './outside.ts';

export type { ContractFile, Listing } from './folder.ts';

export async function readListing(): Promise<Listing> {
  const named = outside();
  if (named) return (await import('./outside-listing.ts')).outsideListing(named);
  return (await import('./own-listing.ts')).ownListing();
}
