/** The published schema is that of the program. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { reportSchemaText, SCHEMA_FILE } from '../../scripts/report-schema.ts';
import { SCHEMA_VERSION } from '../../src/report/schema.ts';
import { report } from './report-kit.ts';

const published = readFileSync(SCHEMA_FILE, 'utf8');

test('docs/report.schema.json is what bun scripts/report-schema.ts writes', () => {
  expect(published === reportSchemaText()).toBe(true);
});

test('it names every part of a report, and its version', () => {
  const { properties, required } = JSON.parse(published) as { properties: Record<string, unknown>; required: string[] };
  expect(Object.keys(report).filter((name) => !(name in properties))).toEqual([]);
  expect(required.filter((name) => !(name in report))).toEqual([]);
  expect(properties['schema']).toEqual({ const: SCHEMA_VERSION });
});
