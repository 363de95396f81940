/** Results that come from a file: the same shapes as in `result.ts`, checked. Numbers that JSON has none for are words. */
import * as v from 'valibot';
import { readAttributes } from '../device/gpu-info.ts';
import { DIALECTS } from '../families/formula/functions.ts';
import type { CauseCode } from '../spec/cause.ts';
import { CAUSES, CAUSE_CODES } from '../spec/cause.ts';
import { FINDING_CLASSES, GATES } from '../spec/contract.ts';
import type { ErrorMap } from './error-map.ts';
import { SIDE } from './error-map.ts';
import type { ControlResult, GateResult, Result } from './result.ts';

const text = v.string();
const NONFINITE = ['Infinity', '-Infinity', 'NaN'] as const;
const number = v.union([v.number(), v.pipe(v.picklist(NONFINITE), v.transform(Number))]);
const texts = v.array(text);
const whole = v.pipe(v.number(), v.integer(), v.minValue(0));

/** For JSON.stringify: numbers that it has no text for as words, as the schema reads them. */
export const withNonfinite = (_key: string, value: unknown): unknown =>
  typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;

const head = {
  kernel: text,
  dialect: v.picklist(DIALECTS),
  gate: v.picklist(GATES),
  elapsedMs: v.pipe(v.number(), v.minValue(0)),
};

/** A class of finding, and its cause, which is of that class. */
export const causeEntries = {
  class: v.picklist([...FINDING_CLASSES, 'weak']),
  cause: v.strictObject({
    code: v.picklist(CAUSE_CODES),
    /** The output, input, function or sum that it is of. */
    of: v.exactOptional(text),
    /** The source lines that the device names: `scores.cu:14`. */
    lines: v.exactOptional(texts),
  }),
};
/** To be checked of every object that has these entries. */
export const isOfClass = (given: { readonly class: string; readonly cause: { readonly code: CauseCode } }): boolean =>
  CAUSES[given.cause.code] === given.class;
export const OTHER_CLASS = 'the cause is of another class';

const finding = v.pipe(
  v.strictObject({
    ...causeEntries,
    what: text,
    worst: v.exactOptional(text),
    times: v.exactOptional(number),
    schedules: v.exactOptional(v.array(whole)),
    why: v.exactOptional(text),
    label: text,
  }),
  v.check((given) => isOfClass(given), OTHER_CLASS),
);

const limit = { bounds: number, ulps: number };
const detected = v.strictObject({
  outputs: v.array(
    v.strictObject({
      output: text,
      outputs: whole,
      least: v.strictObject(limit),
      median: v.strictObject(limit),
      worst: v.strictObject({ ...limit, where: text }),
      blind: whole,
    }),
  ),
  sums: v.array(v.strictObject({ sum: text, terms: whole, lost: v.exactOptional(number) })),
  label: text,
});

const chain = v.strictObject({
  sum: text,
  symbol: text,
  terms: whole,
  declared: number,
  longest: v.exactOptional(whole),
  longer: v.exactOptional(v.strictObject({ at: text, declared: number, least: whole })),
  why: v.exactOptional(text),
  label: text,
});

const most = v.pipe(v.number(), v.integer(), v.minValue(1));

/** The worst error of each cell of a grid over an output: error-map.ts says how. */
export const errorMap = v.pipe(
  v.strictObject({
    output: text,
    rows: whole,
    columns: whole,
    cell: v.strictTuple([most, most]),
    tile: v.strictTuple([v.nullable(most), v.nullable(most)]),
    cells: v.pipe(v.array(v.pipe(text, v.regex(/^[0-9a-zA-Z-]{0,32}$/))), v.maxLength(SIDE)),
  }),
  v.check((map) => isMap(map), 'the cells are not those of its rows and columns'),
);

function isMap({ rows, columns, cell, cells }: Pick<ErrorMap, 'rows' | 'columns' | 'cell' | 'cells'>): boolean {
  const across = Math.ceil(columns / cell[1]);
  return cells.length === Math.ceil(rows / cell[0]) && cells.every(({ length }) => length === across);
}

const error = v.strictObject({ label: text, share: number, maps: v.exactOptional(v.array(errorMap)) });

const loaded = v.strictObject({
  symbol: text,
  defines: v.record(text, v.union([v.number(), text])),
  attributes: v.pipe(v.unknown(), v.transform(readAttributes)),
  set: v.exactOptional(text),
});

const gate: v.GenericSchema<unknown, GateResult> = v.strictObject({
  ...head,
  kind: v.literal('gate'),
  status: v.picklist(['pass', 'fail', 'known', 'not run']),
  cases: whole,
  findings: v.array(finding),
  margin: v.exactOptional(v.strictObject({ share: number, where: text, label: text })),
  notes: texts,
  chains: v.exactOptional(v.array(chain)),
  sees: v.exactOptional(v.picklist(['class', 'repeat', 'bits', 'ranges'])),
  detected: v.exactOptional(v.array(detected)),
  errors: v.exactOptional(v.array(error)),
  loaded: v.exactOptional(v.array(loaded)),
  reason: v.exactOptional(text),
});

const control: v.GenericSchema<unknown, ControlResult> = v.strictObject({
  ...head,
  kind: v.literal('control'),
  id: text,
  fault: text,
  status: v.picklist(['red', 'missed', 'broken', 'not run']),
  reason: text,
  found: v.exactOptional(
    v.pipe(
      v.strictObject({ ...causeEntries, label: text }),
      v.check((given) => isOfClass(given), OTHER_CLASS),
    ),
  ),
});

// Not a union, whose problem would not say what is wrong with the result that is meant.
export const resultSchema: v.GenericSchema<unknown, Result> = v.lazy((value) =>
  v.is(v.looseObject({ kind: v.literal('control') }), value) ? control : gate,
);
