/** Writes docs/report.schema.json: what a report of `--json` is, for programs that read one. A test holds it to the program's own. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toJsonSchema } from '@valibot/to-json-schema';
import { reportSchema } from '../src/report/schema.ts';

export const SCHEMA_FILE = join(import.meta.dir, '../docs/report.schema.json');

/** JSON Schema says nothing of whether a map has the cells of its rows and columns; the program checks that too. */
export function reportSchemaText(): string {
  const schema = toJsonSchema(reportSchema, { ignoreActions: ['check'] });
  return `${JSON.stringify({ title: 'A report of tf-kernel-contract', ...schema }, undefined, 2)}\n`;
}

if (import.meta.main) writeFileSync(SCHEMA_FILE, reportSchemaText());
