/**
 * What gate 5 needs: every launch at its shapes, with the hash of its source, and the records. In development they are read from
 * the project's folders; the build puts a module of the same shape in this one's place, with the data in it, so that the
 * executable audits without loading a contract.
 */
import type { HashedLaunch } from '../audit/records-source.ts';
import { hashedLaunches } from '../audit/records-source.ts';
import { readListing } from '../spec/listing.ts';
import { loadKernels } from '../spec/load.ts';
import type { RecordsFolder } from './offline-records.ts';
import { readRecords, RECORDS } from './offline-records.ts';

export interface AuditData {
  readonly launches: readonly HashedLaunch[];
  readonly records: RecordsFolder;
}

export async function readAuditData(): Promise<AuditData> {
  const listing = await readListing();
  return { launches: hashedLaunches(loadKernels(listing), listing.sources), records: readRecords(RECORDS) };
}
