/** Puts a module with every launch and record in the place of src/cli/audit-data.ts: gate 5 of the executable reads no contract. */
import type { BunPlugin } from 'bun';
import type { AuditData } from '../../src/cli/audit-data.ts';
import { bakedModule } from './baked.ts';

export function auditDataModule(data: AuditData): string {
  return [
    `const text = ${JSON.stringify(JSON.stringify(data))};`,
    'export const readAuditData = () => Promise.resolve(JSON.parse(text));',
  ].join('\n');
}

export const bakedAuditData = (data: AuditData): BunPlugin =>
  bakedModule('baked audit data', /\/src\/cli\/audit-data\.ts$/, () => auditDataModule(data));
