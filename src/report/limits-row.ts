/** Gate 5 as JSON rows, the same in a run's report and in that of `limits DIR`. */
import * as v from 'valibot';
import { LIMITS } from '../audit/problem.ts';
import { DIALECTS } from '../families/formula/functions.ts';

const text = v.string();
const limit = v.picklist(LIMITS);
const problem = v.strictObject({ limit, what: text, at: v.exactOptional(text), do: v.exactOptional(text) });

/** One launch on one chip. */
export const verdictEntries = {
  kernel: text,
  dialect: v.picklist(DIALECTS),
  symbol: text,
  defines: v.exactOptional(text),
  chip: text,
  status: v.picklist(['fits', 'tight', 'does not fit', 'stale', 'pending']),
  /** The rules that do not hold, each with its sum and the shape. */
  problems: v.array(problem),
  near: v.exactOptional(v.strictObject({ limit, used: v.number(), what: text, at: v.exactOptional(text) })),
  /** Groups that a multiprocessor holds at once, at the shape that holds fewest. */
  groups: v.exactOptional(v.pipe(v.number(), v.integer(), v.minValue(0))),
  /** The set of records that was used, by its compiler: `nvcc-13.0`. */
  set: v.exactOptional(text),
};

export const limitControlRow = v.strictObject({
  id: text,
  fault: text,
  dialect: v.picklist(DIALECTS),
  status: v.picklist(['red', 'missed', 'broken']),
  reason: text,
});
