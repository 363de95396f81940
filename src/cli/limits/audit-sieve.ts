/**
 * What a run that leaves nothing out needs of gate 5, where all is as promised: little, and by itself, so that it is read at once.
 * The build puts a module of the same functions in this one's place, with the data in it.
 */
import { SERVED_CHIPS } from '../../audit/chips/all.ts';
import type { Sieve } from '../../audit/sieve.ts';
import { sieveOf } from '../../audit/sieve.ts';
import { readRecorded } from './audit-data.ts';

export const readSieve = async (): Promise<Sieve> => sieveOf(await readRecorded(), SERVED_CHIPS);

/** What is wrong with the records themselves. */
export const readProblems = async (): Promise<readonly string[]> => (await readRecorded()).problems;
