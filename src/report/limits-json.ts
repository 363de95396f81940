/** An audit of images as one JSON document. Its version goes up with any change that breaks a reader. */
import * as v from 'valibot';
import { DIALECTS } from '../families/formula/functions.ts';
import { limitControlRow, verdictEntries } from './limits-row.ts';

export const LIMITS_SCHEMA_VERSION = 1;

const text = v.string();
const whole = v.pipe(v.number(), v.integer(), v.minValue(0));
const extent = v.pipe(v.array(whole), v.length(3));
/** An image's facts, in its vendor's own words. */
const measured = v.looseObject({ dialect: v.picklist(DIALECTS), symbol: text, chip: text });

const verdict = v.strictObject({
  ...verdictEntries,
  file: text,
  /** Whether the set that the image was held to has a record of it. */
  recorded: v.boolean(),
});

export const limitsSchema = v.strictObject({
  schema: v.literal(LIMITS_SCHEMA_VERSION),
  program: v.strictObject({ version: text, commit: text, platform: text }),
  folder: text,
  verdicts: v.array(verdict),
  unregistered: v.array(
    v.strictObject({
      file: text,
      measured,
      /** The chips that load it; a group where one was found that fits. */
      runs: v.array(v.strictObject({ chip: text, group: v.optional(extent), why: v.optional(text) })),
    }),
  ),
  /** Images, or parts of them, that could not be read. */
  images: v.array(v.strictObject({ class: text, where: text, what: text })),
  /** What is wrong with the records themselves. */
  records: v.array(text),
  controls: v.array(limitControlRow),
  summary: text,
  exitCode: whole,
});

export type LimitsReport = v.InferOutput<typeof limitsSchema>;

/** Checked against its own schema. */
export const limitsText = (report: Omit<LimitsReport, 'schema'>): string =>
  `${JSON.stringify(v.parse(limitsSchema, { schema: LIMITS_SCHEMA_VERSION, ...report }), undefined, 2)}\n`;
