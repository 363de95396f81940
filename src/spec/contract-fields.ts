/**
 * What the fields of a contract are, a line each, for `help contract`. The types hold the tables: a field that is added, dropped or
 * becomes optional is told here, or nothing compiles.
 */
import type { Contract, Control, Dim, KnownFinding, Launch, Quarantine } from './contract.ts';

type Needed<T> = { [F in keyof T]-?: object extends Pick<T, F> ? never : F }[keyof T];

/** The fields that must be there, and those that may be; a text has 61 columns at most. */
export interface FieldTexts<T> {
  readonly needed: Readonly<Record<Needed<T> & string, string>>;
  readonly optional: Readonly<Record<Exclude<keyof T, Needed<T>> & string, string>>;
}

const CONTRACT: FieldTexts<Contract> = {
  needed: {
    name: "the kernel's name: lower-case letters, digits and _",
    dims: 'the dimensions by name, each with how its sizes are cut',
    served: 'the sizes you call it at; a list stands for each of them',
    inputs: "x: f32('rows', 'width'); f16, bf16, u32, i32, codes, grouped",
    outputs: 'the same of what it writes',
    args: 'arguments in their order: inputs, outputs, sizes, scalars',
    formula: "rows('width', 'y = x / sum(x)'), dense, affine, or rule",
    nan: "'propagate', as float64 does; 'rule', as the rule states",
    accumulator: "'f32', or 'none' where the formula sums nothing",
    launch: 'by dialect, cuda hip metal xpu or everywhere: one or several',
    controls: 'faults to plant, two at least: each must turn its gate red',
  },
  optional: {
    scalars: 'numbers that the kernel is given as fp32, by name',
    unproven: "accumulators that gate 4's data cannot tell apart, and why",
    denormals: "'flush' where subnormals may become zero, else 'keep'",
    inPlace: 'outputs that may lie on an input: { y: "x" }',
    rowIndependent: 'the dimension whose rows do not depend on each other',
    replaces: 'the kernel whose bits it must equal',
    fills: 'the kind of ordinary data of an input: signed, logits, ...',
    known: 'failures that ship: they must keep failing until mended',
    regressions: 'fixtures beside the contract, run as cases of their gates',
    quarantine: 'chips that it is never launched on',
  },
};

const DIM: FieldTexts<Dim> = {
  needed: {},
  optional: {
    tile: 'elements that the kernel takes at a time: edges come of it',
    step: 'what a valid size moves by; 1 where not said',
    least: 'the least valid size; a step where not said',
  },
};

const LAUNCH: FieldTexts<Launch> = {
  needed: {
    symbol: "the kernel's name in the source",
    threads: 'threads of a group: x, or [x, y, z]',
    grid: 'groups at a shape: ({ rows }) => [rows]',
    depth: 'fp32 additions on the longest chain of a sum; 0 for no sum',
  },
  optional: {
    source: "its file, where that has not the folder's name: 'other.cu'",
    when: 'the shapes that it takes; the first such launch is used',
    warp: 'lanes of a warp, where not all served ones: { hip: 64 }',
    localBytes: 'dynamic local memory at a shape, in bytes',
    cluster: 'groups of a cluster',
    optIn: 'whether it asks for more local memory than the default',
    ops: 'library functions that compute a map: { exp: "__expf" }',
    defines: 'what the compiler is given as -D',
  },
};

const CONTROL: FieldTexts<Control> = {
  needed: {
    fault: 'what is planted, in words',
    reddens: 'the gate that must find it: nonfinite repeat shapes sums',
    finding: 'as what: value, class, race, unwritten, ...',
  },
  optional: {
    edit: "of the source, by dialect: { cuda: edit('from', 'to') }",
    formula: 'of the claim, which the kernel as it is must break',
    launch: 'of the launch: (launch) => ({ ...launch, grid: ... })',
    drops: 'the rounding point that the edit drops',
    mode: 'the arithmetic that shows it; in plain it stays green',
    warp: 'lanes of a warp that show it; at the first it stays green',
    green: 'shapes at which it must stay green',
    needs: "'schedules': shown for certain on the host device alone",
  },
};

const KNOWN: FieldTexts<KnownFinding> = {
  needed: {
    gate: 'the gate that fails',
    finding: 'the class of finding that it fails by',
    what: 'what is wrong, in words',
    link: 'where it is tracked',
  },
  optional: {
    on: 'dialects that it is of; all where not said',
    chips: "GPUs' chips that it is of, and not the host device",
    within: 'of a value: how many bounds it may be off by',
  },
};

const QUARANTINE: FieldTexts<Quarantine> = {
  needed: {
    chips: 'as drivers name them: gfx1100, sm_120',
    why: 'what its launch does there',
    link: 'where it is tracked',
  },
  optional: {},
};

/** The tables by their headings, in the order of a page. */
export const FIELD_TABLES: readonly (readonly [heading: string, texts: FieldTexts<object>])[] = [
  ['kernel({ ... })', CONTRACT],
  ['A dimension', DIM],
  ['A launch', LAUNCH],
  ['A control', CONTROL],
  ['A known finding', KNOWN],
  ['A quarantine', QUARANTINE],
];
