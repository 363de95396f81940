/**
 * Puts modules with every launch and record in the place of src/cli/limits/audit-data.ts and audit-sieve.ts: gate 5 of the executable
 * reads no contract.
 */
import type { BunPlugin } from 'bun';
import { ownRecords, readLaunches, readRecorded } from '../../src/cli/limits/audit-data.ts';
import { readProblems, readSieve } from '../../src/cli/limits/audit-sieve.ts';
import { bakedModule } from './baked.ts';

/** What each function of a module gives, as plain data. */
export type BakedFunctions = Readonly<Record<string, unknown>>;

/** Each value is a text until it is asked for. */
export function bakedFunctions(data: BakedFunctions): string {
  const functions = Object.entries(data).map(([name, value]) => {
    const text = JSON.stringify(JSON.stringify(value));
    return `export const ${name} = () => Promise.resolve(JSON.parse(${text}));`;
  });
  return functions.join('\n');
}

export async function bakedAuditData(): Promise<BunPlugin[]> {
  const data = {
    readLaunches: await readLaunches(),
    ownRecords: await ownRecords(),
    readRecorded: await readRecorded(),
  };
  const sieve = { readSieve: await readSieve(), readProblems: await readProblems() };
  return [
    bakedModule('baked audit data', /\/src\/cli\/limits\/audit-data\.ts$/, () => bakedFunctions(data)),
    bakedModule('baked audit sieve', /\/src\/cli\/limits\/audit-sieve\.ts$/, () => bakedFunctions(sieve)),
  ];
}
