/**
 * A fixture: a small input of a kernel and what a gate says of it, as a file that runs again elsewhere. Inputs are exact: each element
 * that is not zero by its place, its bits and, for a reader, its value. Files come from anywhere: they are read within bounds.
 */
import * as v from 'valibot';
import { DIALECTS } from '../families/formula/functions.ts';
import { DTYPES } from '../numerics/dtype.ts';

import { CAUSES, CAUSE_CODES } from './cause.ts';
import { GATES } from './contract.ts';
import { MODES } from './modes.ts';
import { WIDTHS } from './warps.ts';
import { fields, oneOf, problemsOf } from './wording.ts';
import { messageOf } from './message-of.ts';

export const FIXTURE_VERSION = 2;

/** The longest file that is read, in characters, and the most elements that are not zero. */
const MOST_TEXT = 2 ** 20;
const MOST_CELLS = 4096;
const MOST_SIZE = 2 ** 31 - 1;
const MOST_DIMS = 8;

const word = v.pipe(
  v.string(),
  v.regex(/^[a-z][a-z0-9_]{0,63}$/, 'a name is at most 64 lower-case letters, digits and _'),
);
const line = v.pipe(v.string(), v.maxLength(4000, 'a text has at most 4,000 characters'));
const whole = v.pipe(v.number(), v.integer('a whole number'), v.minValue(0), v.maxValue(MOST_SIZE));
const size = v.pipe(v.number(), v.integer('a size is a whole number'), v.minValue(1), v.maxValue(MOST_SIZE));

const cell = fields({
  at: v.pipe(v.array(whole), v.maxLength(MOST_DIMS)),
  bits: v.pipe(v.string(), v.regex(/^0x[0-9a-f]{1,8}$/, 'bits read 0x3f80')),
  value: v.pipe(v.string(), v.maxLength(40)),
});

const few = <const T extends v.GenericSchema>(of: T, most: number) =>
  v.pipe(
    v.record(word, of),
    v.check((given) => Object.keys(given).length <= most, `at most ${most} of them`),
  );

export const fixtureSchema = fields({
  fixture: v.literal(FIXTURE_VERSION, `this program reads fixtures of version ${FIXTURE_VERSION}`),
  kernel: word,
  dialect: oneOf(DIALECTS),
  gate: oneOf(GATES),
  mode: oneOf(MODES),
  /** Lanes of a warp, where they are not the launch's first. */
  warp: v.optional(v.picklist(WIDTHS, `a warp has ${WIDTHS.join(', ')} lanes`)),
  /** The control that was planted. */
  control: v.optional(v.pipe(v.string(), v.regex(/^[a-z]{0,16}\d{1,4}$/, 'a control reads 1, claim1 or standing1'))),
  /** The case, or the control, that it was found at: what `--only` takes. */
  address: line,
  device: line,
  seed: v.pipe(v.string(), v.regex(/^\d{1,15}$/, 'a seed is a whole number of at most 15 digits')),
  /** The hash of the sources that were run. */
  sources: v.pipe(v.string(), v.regex(/^[0-9a-f]{16}$/, 'a hash has 16 digits')),
  shape: few(size, MOST_DIMS),
  /** By input, the elements that are not zero, row-major. */
  inputs: few(
    fields({
      dtype: oneOf(DTYPES),
      cells: v.pipe(v.array(cell), v.maxLength(MOST_CELLS, `at most ${MOST_CELLS} elements`)),
    }),
    32,
  ),
  /** The order in which it runs; of gate 2 the orders in which it repeats, the first held against the others. */
  schedules: v.optional(v.pipe(v.array(whole), v.minLength(1), v.maxLength(64))),
  expect: v.variant('verdict', [
    fields({ verdict: v.literal('pass') }),
    fields({
      verdict: v.literal('fail'),
      /** Why it fails; no input shows weak data. */
      cause: fields({
        code: v.pipe(
          oneOf(CAUSE_CODES),
          v.check((code) => CAUSES[code] !== 'weak', 'no input shows weak data'),
        ),
        of: v.optional(line),
        lines: v.optional(v.pipe(v.array(line), v.maxLength(64))),
      }),
      /** What was found, for a reader. */
      what: line,
      worst: v.optional(line),
    }),
  ]),
});

export type Fixture = v.InferOutput<typeof fixtureSchema>;
export type Expected = Fixture['expect'];

/** A file that is no fixture, or none of this kernel: what is wrong, a line each. */
export class FixtureError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'FixtureError';
  }
}

/** Reads a fixture's text; throws a FixtureError for whatever else it is. */
export function readFixture(text: string): Fixture {
  if (text.length > MOST_TEXT)
    throw new FixtureError([`it has ${text.length} characters, and a fixture has at most ${MOST_TEXT}`]);
  const value = parsed(text);
  if (isReport(value))
    throw new FixtureError(['it is a report: --repro takes it, and writes fixtures of what its run found']);
  const problems = problemsOf(fixtureSchema, value).slice(0, 20);
  if (problems.length > 0)
    throw new FixtureError(problems.map((problem) => problem.replace(/^the contract:/, 'the fixture:')));
  return v.parse(fixtureSchema, value);
}

/** The file that is most often named in a fixture's place. */
const isReport = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'registrations' in value && 'schema' in value;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new FixtureError([`it is no JSON: ${messageOf(error)}`]);
  }
}

/** The file's text: a line for each element, so that a difference of two shows what changed. */
export function fixtureText(fixture: Fixture): string {
  const marks = new Map<string, string>();
  const marked = JSON.stringify(
    fixture,
    (key, value: unknown) => {
      if (key !== 'cells' && key !== 'shape' && key !== 'schedules') return value;
      const mark = `#${marks.size}#`;
      marks.set(mark, key === 'cells' ? linesOf(value as readonly unknown[]) : oneLine(value));
      return mark;
    },
    2,
  );
  return `${marked.replaceAll(/"(#\d+#)"/g, (_, mark: string) => marks.get(mark) ?? '')}\n`;
}

const oneLine = (value: unknown): string => JSON.stringify(value, undefined, 1).replaceAll(/\n\s*/g, ' ');
const linesOf = (cells: readonly unknown[]): string =>
  cells.length === 0 ? '[]' : `[\n        ${cells.map(oneLine).join(',\n        ')}\n      ]`;
