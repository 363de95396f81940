/** The records that a command works with. */
import { readAuditData } from './audit-data.ts';
import type { RecordsFolder } from './offline-records.ts';
import { readRecords, RECORDS } from './offline-records.ts';

/** The records of the folder that is named, or else those that go with the program. */
export async function programRecords(): Promise<RecordsFolder> {
  return RECORDS === undefined ? (await readAuditData()).records : readRecords(RECORDS);
}
