/** Gate 5 as JSON rows, the same in a run's report and in that of `limits DIR`. */
import * as v from 'valibot';
import { DIALECTS } from '../families/formula/functions.ts';

const text = v.string();
const problem = v.strictObject({ limit: text, what: text, at: v.optional(text), do: v.optional(text) });

/** One launch on one chip. */
export const verdictEntries = {
  kernel: text,
  dialect: v.picklist(DIALECTS),
  symbol: text,
  defines: v.optional(text),
  chip: text,
  status: v.picklist(['fits', 'tight', 'does not fit', 'stale', 'pending']),
  /** The rules that do not hold, each with its sum and the shape. */
  problems: v.array(problem),
  near: v.optional(v.strictObject({ limit: text, used: v.number(), what: text, at: v.optional(text) })),
  /** Groups that a multiprocessor holds at once, at the shape that holds fewest. */
  groups: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0))),
  /** The set of records that was used, by its compiler: `nvcc-13.0`. */
  set: v.optional(text),
};

export const limitControlRow = v.strictObject({
  id: text,
  fault: text,
  dialect: v.picklist(DIALECTS),
  status: v.picklist(['red', 'missed', 'broken']),
  reason: text,
});
