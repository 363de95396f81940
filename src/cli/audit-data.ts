/**
 * What gate 5 needs: every launch at its shapes, with the hash of its source, and what the records say of it. In development it
 * is read from the project's folders; the build puts a module of the same functions in this one's place, with the data in it, so
 * that the executable audits without loading a contract.
 */
import { SERVED_CHIPS } from '../audit/chips/all.ts';
import type { Recorded } from '../audit/recorded.ts';
import { recordedLaunches } from '../audit/recorded.ts';
import type { HashedLaunch } from '../audit/records-source.ts';
import { hashedLaunches } from '../audit/records-source.ts';
import { readListing } from '../spec/listing.ts';
import { loadKernels } from '../spec/load.ts';
import type { AllRecords } from '../audit/recorded.ts';
import { readRecords, RECORDS } from './offline-records.ts';

/** Every launch of every kernel. */
export async function readLaunches(): Promise<readonly HashedLaunch[]> {
  const listing = await readListing();
  return hashedLaunches(loadKernels(listing), listing.sources);
}

/** The records that go with the program. */
export const ownRecords = (): Promise<AllRecords> => Promise.resolve(readRecords(RECORDS));

/** Every launch with its records on the served chips. */
export async function readRecorded(): Promise<Recorded> {
  return recordedLaunches(await readLaunches(), await ownRecords(), SERVED_CHIPS);
}
