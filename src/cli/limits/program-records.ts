/** The records that a command works with. */
import { ownRecords } from './audit-data.ts';
import type { AllRecords } from '../../audit/recorded.ts';
import { readRecords, recordsRoot } from '../offline/records.ts';

/** The records of the folder that is named, or else those that go with the program. */
export const programRecords = async (): Promise<AllRecords> =>
  recordsRoot() === undefined ? ownRecords() : readRecords(recordsRoot());
