/** Puts a module with every launch and record in the place of src/cli/audit-data.ts: gate 5 of the executable reads no contract. */
import type { BunPlugin } from 'bun';
import type { AuditData } from '../../src/cli/audit-data.ts';

export function auditDataModule(data: AuditData): string {
  return [
    `const text = ${JSON.stringify(JSON.stringify(data))};`,
    'export const readAuditData = () => Promise.resolve(JSON.parse(text));',
  ].join('\n');
}

export function bakedAuditData(data: AuditData): BunPlugin {
  return {
    name: 'baked audit data',
    setup: (build) => {
      build.onLoad({ filter: /\/src\/cli\/audit-data\.ts$/ }, () => ({
        contents: auditDataModule(data),
        loader: 'ts',
      }));
    },
  };
}
