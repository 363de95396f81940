/** What gate 5 needs, made from contracts and records: every launch at its shapes, and what the records say of it. */
import { SERVED_CHIPS } from '../../audit/chips/all.ts';
import type { Recorded } from '../../audit/recorded.ts';
import { recordedLaunches } from '../../audit/recorded.ts';
import type { HashedLaunch } from '../../audit/records-source.ts';
import { hashedLaunches } from '../../audit/records-source.ts';
import { readListing } from '../../spec/listing.ts';
import { loadKernels } from '../../spec/load.ts';
import type { AllRecords } from '../../audit/recorded.ts';
import { readRecords, recordsRoot } from '../offline/records.ts';

/** Every launch of every kernel. */
export async function madeLaunches(): Promise<readonly HashedLaunch[]> {
  const listing = await readListing();
  return hashedLaunches(loadKernels(listing), listing.sources);
}

/** The records of the folder that there is. */
export const madeRecords = (): Promise<AllRecords> => Promise.resolve(readRecords(recordsRoot()));

/** Every launch with its records on the served chips. */
export async function madeRecorded(): Promise<Recorded> {
  return recordedLaunches(await madeLaunches(), await madeRecords(), SERVED_CHIPS);
}
