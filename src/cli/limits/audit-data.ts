/**
 * What gate 5 needs of the program's own kernels. In development it is made from the project's folders; the build puts a module of
 * the same functions in this one's place, with the data in it, so that the executable audits without loading a contract.
 */
export { madeLaunches as readLaunches, madeRecorded as readRecorded, madeRecords as ownRecords } from './audit-made.ts';
