/** `--faults` as one JSON document. Its version goes up with any change that breaks a reader. */
import * as v from 'valibot';
import { DIALECTS } from '../families/formula/functions.ts';
import type { DeadAnchor } from '../faults/matrix.ts';
import type { Explained } from '../faults/equivalents.ts';
import { KILLING_GATES } from '../faults/result.ts';
import type { FaultRow } from './faults.ts';

export const FAULTS_SCHEMA_VERSION = 1;

const text = v.string();
const time = v.pipe(v.number(), v.minValue(0));

const schema = v.strictObject({
  schema: v.literal(FAULTS_SCHEMA_VERSION),
  program: v.strictObject({ version: text, commit: text, platform: text }),
  seed: text,
  elapsedMs: time,
  faults: v.array(
    v.strictObject({
      address: text,
      kernel: text,
      dialect: v.picklist(DIALECTS),
      rule: text,
      place: text,
      from: text,
      to: text,
      status: v.picklist(['killed', 'survives', 'same code', 'broken']),
      gate: v.optional(v.picklist(KILLING_GATES)),
      finding: v.optional(text),
      reason: text,
      /** The argument of a survivor that is equivalent. */
      because: v.optional(text),
      elapsedMs: time,
    }),
  ),
  deadAnchors: v.array(v.strictObject({ kernel: text, dialect: v.picklist(DIALECTS), rule: text, what: text })),
  problems: v.array(text),
  summary: text,
  exitCode: v.picklist([0, 1]),
});

export type FaultsReport = v.InferOutput<typeof schema>;
export type FaultsHead = Pick<FaultsReport, 'program' | 'seed' | 'elapsedMs' | 'summary' | 'exitCode'>;

/** The report, checked against its own schema. */
export function faultsReport(
  head: FaultsHead,
  rows: readonly FaultRow[],
  dead: readonly DeadAnchor[],
  { because, problems }: Explained,
): FaultsReport {
  const faults = rows.map(({ fault: { plant: _plant, ...fault }, result: { address, ...result } }) => {
    const argument = result.status === 'survives' ? because.get(address) : undefined;
    return { ...fault, ...result, ...(argument !== undefined && { because: argument }) };
  });
  return v.parse(schema, { schema: FAULTS_SCHEMA_VERSION, ...head, faults, deadAnchors: dead, problems });
}
