/** The values of a contract that types cannot hold, checked when it is loaded: sizes, names, and what refers to what. */
import * as v from 'valibot';
import { FILL_NAMES } from '../families/fills/ordinary.ts';
import type { MapName } from '../families/formula/functions.ts';
import { DIALECTS, MAPS } from '../families/formula/functions.ts';
import { DTYPES } from '../numerics/dtype.ts';
import { CHECKED, FINDING_CLASSES, GATES, NEEDS } from './contract.ts';
import { MODES } from './modes.ts';
import { WIDTHS } from './warps.ts';
import { hasControls } from './controls.ts';
import { fields, oneOf } from './wording.ts';

const size = v.pipe(v.number(), v.integer('a size is a whole number'), v.minValue(1, 'a size is at least 1'));
const least = v.pipe(v.number(), v.integer('a size is a whole number'), v.minValue(0, 'a size is at least 0'));
const warp = v.picklist(WIDTHS, `a warp has ${WIDTHS.join(', ')} lanes`);
const name = v.pipe(
  v.string(),
  v.regex(/^[a-z][a-z0-9_]{0,63}$/, 'a name is at most 64 lower-case letters, digits and _, and starts with a letter'),
);

/** A text that is printed. */
const text = v.pipe(
  v.string(),
  v.check((given) => !hasControls(given), 'a text has no control characters but tabs and line ends'),
);
/** A name of C, which compilers are given as well. */
const identifier = v.pipe(v.string(), v.regex(/^[A-Za-z_]\w*$/, 'a name in the source is letters, digits and _'));

const dim = v.pipe(
  fields({ tile: v.optional(size), step: v.optional(size), least: v.optional(least) }),
  v.check(({ tile, least }) => tile === undefined || least === undefined || least <= tile, 'least is at most the tile'),
  v.check(
    ({ tile, step }) => tile === undefined || step === undefined || tile % step === 0,
    'a tile is a whole number of steps',
  ),
);

const tensor = fields({
  dtype: oneOf(DTYPES),
  dims: v.array(v.string()),
  bits: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(16))),
  group: v.optional(size),
});

// Not a union, whose problem would not say what is wrong with the width that is meant.
const warps = v.lazy((value) => (Array.isArray(value) ? v.array(warp) : warp));

const launch = fields({
  symbol: identifier,
  source: v.optional(
    v.pipe(
      text,
      v.check(
        (path) => path !== '' && !path.startsWith('/') && !path.split('/').includes('..'),
        'a source lies in the folder of its contract, or below it',
      ),
    ),
  ),
  when: v.optional(v.function()),
  threads: v.union([size, v.array(size)]),
  warp: v.optional(v.record(oneOf(DIALECTS), warps)),
  grid: v.function(),
  depth: v.function(),
  localBytes: v.optional(v.function()),
  cluster: v.optional(size),
  optIn: v.optional(v.boolean()),
  ops: v.optional(v.record(oneOf(Object.keys(MAPS) as MapName[]), v.union([v.string(), v.array(v.string())]))),
  defines: v.optional(v.record(identifier, v.union([v.number(), text]))),
});
// Not a union, whose problem would not say what is wrong with the launch that is meant.
const launches = v.lazy((value) => (Array.isArray(value) ? v.array(launch) : launch));

const textEdit = v.pipe(
  fields({ from: v.pipe(v.string(), v.minLength(1, 'an edit replaces some text')), to: v.string() }),
  v.check(({ from, to }) => from !== to, 'the edit changes nothing: from and to are the same text'),
);

export const controlSchema = v.pipe(
  fields({
    fault: v.pipe(text, v.minLength(1, 'a control says what fault it plants')),
    reddens: oneOf(GATES),
    finding: oneOf(FINDING_CLASSES),
    edit: v.optional(
      v.pipe(
        v.record(oneOf(DIALECTS), textEdit),
        v.check((edits) => Object.keys(edits).length > 0, 'an edit names the dialects whose source it changes'),
      ),
    ),
    formula: v.optional(textEdit),
    launch: v.optional(v.function()),
    drops: v.optional(text),
    mode: v.optional(oneOf(MODES.filter((mode) => mode !== 'plain'))),
    warp: v.optional(warp),
    green: v.optional(v.function()),
    needs: v.optional(oneOf(NEEDS)),
  }),
  v.check(
    ({ edit, formula, launch: planted }) => [edit, formula, planted].filter((part) => part !== undefined).length === 1,
    'a control plants one thing: an edit, a formula or a launch',
  ),
  v.check(
    ({ mode, warp: width }) => mode === undefined || width === undefined,
    'a control shows in a mode or at a width, not in both',
  ),
  v.check(
    ({ needs, mode, finding }) => needs === undefined || (mode === undefined && !CHECKED.includes(finding)),
    'a control of a mode or of a check image is run on no GPU anyway: leave `needs` out',
  ),
);

const link = v.pipe(
  text,
  v.regex(/^(https?:\/\/|docs\/)\S+$/, 'a known finding or a quarantine links to where it is tracked'),
);
const said = v.pipe(text, v.minLength(1, 'a reason is not empty'));

const quarantine = fields({
  chips: v.pipe(v.array(said), v.minLength(1, 'a quarantine names its chips, as their driver does: sm_120, gfx1100')),
  why: said,
  link,
});

const known = v.pipe(
  fields({
    gate: oneOf(GATES),
    finding: oneOf(FINDING_CLASSES),
    what: text,
    link,
    on: v.optional(
      v.pipe(
        v.array(oneOf(DIALECTS)),
        v.minLength(1, 'a known finding is of some dialect: name it, or leave `on` out'),
      ),
    ),
    chips: v.optional(
      v.pipe(v.array(said), v.minLength(1, 'a known finding names its chips, as their driver does: sm_120, gfx1100')),
    ),
    within: v.optional(v.pipe(v.number(), v.finite('a multiple of the bound is a finite number'), v.minValue(1))),
  }),
  v.check(
    ({ finding, within }) => (finding === 'value') === (within !== undefined),
    'a known value, and nothing else, says within which multiple of the bound its worst element stays: within: 4',
  ),
);

/** Far more than an engine calls a kernel at; a list of sizes counts as each of them, times those of the other lists. */
const MOST_SHAPES = 4096;
const shapeCount = (served: readonly Readonly<Record<string, number | readonly number[]>>[]): number =>
  served.reduce(
    (sum, entry) => sum + Object.values(entry).reduce<number>((product, sizes) => product * [sizes].flat().length, 1),
    0,
  );

export const contractSchema = fields({
  name,
  dims: v.record(name, dim),
  served: v.pipe(
    v.array(v.record(v.string(), v.union([size, v.array(size)]))),
    v.minLength(1, 'a contract serves at least one shape'),
    v.check((served) => shapeCount(served) <= MOST_SHAPES, `a contract serves at most ${MOST_SHAPES} shapes`),
  ),
  inputs: v.record(name, tensor),
  outputs: v.record(name, tensor),
  scalars: v.optional(v.record(name, v.number())),
  args: v.array(text),
  formula: v.looseObject({
    family: oneOf(['rows', 'dense', 'affine', 'rule']),
    over: v.string(),
    text: v.pipe(text, v.maxLength(4000, 'a formula has at most 4,000 characters')),
  }),
  nan: oneOf(['propagate', 'rule']),
  accumulator: oneOf(['f32', 'none']),
  unproven: v.optional(fields({ accumulators: v.array(oneOf(['f16', 'bf16'])), because: text })),
  denormals: v.optional(oneOf(['keep', 'flush'])),
  inPlace: v.optional(v.record(v.string(), v.union([v.string(), v.array(v.string())]))),
  rowIndependent: v.optional(v.string()),
  replaces: v.optional(text),
  fills: v.optional(v.record(v.string(), oneOf(FILL_NAMES))),
  launch: v.record(oneOf([...DIALECTS, 'everywhere']), launches),
  controls: v.array(controlSchema),
  known: v.optional(v.array(known)),
  regressions: v.optional(
    v.array(
      v.pipe(
        v.string(),
        v.regex(/^[\w-]{1,64}\.json$/, 'a regression is the name of a fixture beside the contract: relu2-nan.json'),
      ),
    ),
  ),
  quarantine: v.optional(v.array(quarantine)),
});
