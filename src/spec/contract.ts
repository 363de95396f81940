/** All that a contract file imports: what a kernel promises, in types that catch an author's mistakes at the keyboard. */
import type { DType } from '../numerics/dtype.ts';
import type { FillName } from '../families/fills/ordinary.ts';
import type { Dialect } from '../families/formula/functions.ts';
import type { FormulaText } from '../families/problem.ts';
import type { Tensor } from '../families/tensor.ts';
import type { Ops } from '../families/libraries/library.ts';
import type { AddedMode } from './modes.ts';

export type { Dialect, FillName, Tensor };

export type GateName = 'nonfinite' | 'repeat' | 'shapes' | 'sums';
export const GATES: readonly GateName[] = ['nonfinite', 'repeat', 'shapes', 'sums'];

/**
 * What a gate may find. class: an output's class differs from the reference's. value: outside its range. bits: not the bytes
 * of the kernel it replaces. rule: against the contract's stated rule. different: bytes differ between runs. unwritten:
 * still the poison of two runs. input: an input changed. guard: bytes around a buffer changed. over-read: an output depends on
 * the bytes around an input. row: a row depends on its neighbours or on their number. alias: wrong in place. depth: the declared
 * chain of a sum is not the kernel's. vacuous: an output that an input must move stays. ops: a library function whose error the
 * bound does not count. fault: the launch failed. Of check images: race: two threads take one place in memory, one of them writes,
 * and nothing orders them. uninitialised: local memory or an output is read before it is written. bounds: an access past the end
 * of a buffer or of a variable in local memory. misaligned: at an address that its type does not allow.
 */
export const FINDING_CLASSES = [
  'class',
  'value',
  'bits',
  'rule',
  'different',
  'unwritten',
  'input',
  'guard',
  'over-read',
  'row',
  'alias',
  'depth',
  'vacuous',
  'fault',
  'ops',
  'race',
  'uninitialised',
  'bounds',
  'misaligned',
] as const;
export type FindingClass = (typeof FINDING_CLASSES)[number];
/** What only a check image finds. */
export const CHECKED: readonly FindingClass[] = ['race', 'uninitialised', 'bounds', 'misaligned'];

/** How a dimension is cut: whole tiles, the step a valid size moves by, the least valid size. */
export interface Dim {
  readonly tile?: number;
  readonly step?: number;
  readonly least?: number;
}

export type ShapeOf<D extends string> = Readonly<Record<D, number>>;
/** A shape, and the lanes of a warp: 32, or another of the widths that a launch runs at. */
export type LaunchShape<D extends string> = ShapeOf<D | 'warp'>;
/** Sizes the engine calls the kernel at; an array stands for each of its sizes. */
export type Served<D extends string> = Readonly<Record<D, number | readonly number[]>>;

/** One way to launch a kernel in one dialect. */
export interface Launch<D extends string = string> {
  readonly symbol: string;
  /** The source file, where it is not the dialect's own `<folder>.<ext>`. */
  readonly source?: string;
  /** The shapes this route takes; the first launch that takes a shape is used. */
  readonly when?: (shape: ShapeOf<D>) => boolean;
  /** Threads a group: x, or [x, y, z]. */
  readonly threads: number | readonly number[];
  /**
   * Lanes of a warp that the launch runs at, by dialect, and the gates run it at each: `{ hip: 64 }`. Where a dialect is not named, all
   * that its served chips have: 32, of HIP also 64, of OpenCL C also 16 and 8. A kernel of OpenCL C that requires a sub-group size
   * states it here as well: `{ xpu: 32 }`; one that is launched at some sizes alone has to require its own.
   */
  readonly warp?: Partial<Readonly<Record<Dialect, number | readonly number[]>>>;
  /** Groups, in x, y and z. */
  readonly grid: (shape: LaunchShape<D>) => readonly number[];
  /** fp32 roundings on the longest chain of a sum, at a shape and a width. 0 where nothing is summed. */
  readonly depth: (shape: LaunchShape<D>) => number;
  /** Dynamic local memory, in bytes. */
  readonly localBytes?: (shape: LaunchShape<D>) => number;
  /** Groups a cluster. */
  readonly cluster?: number;
  /** Whether the launcher asks the driver for more local memory than its default allows; no where this is not said. */
  readonly optIn?: boolean;
  /**
   * The functions, by the dialect's names, that compute a map of the formula where it is not the standard one: `{ exp: '__expf' }`,
   * or several whose errors add up: `{ rsqrt: ['sqrtf', '/'] }`.
   */
  readonly ops?: Ops;
  /** Passed to the compiler as -D. */
  readonly defines?: Readonly<Record<string, number | string>>;
}

/** A planted change of text that must match exactly once. */
export interface Edit {
  readonly from: string;
  readonly to: string;
}
export const edit = (from: string, to: string): Edit => ({ from, to });

/** One planted fault, the gate it must turn red, and what that gate must find. */
export interface Control<D extends string = string> {
  readonly fault: string;
  readonly reddens: GateName;
  readonly finding: FindingClass;
  /** The source, changed in one place of each named dialect. */
  readonly edit?: Partial<Readonly<Record<Dialect, Edit>>>;
  /** The claim, changed in one place: the unchanged kernel must break it. */
  readonly formula?: Edit;
  /** The launch, changed. */
  readonly launch?: (launch: Launch<D>) => Launch<D>;
  /** The rounding point that the edit drops: the name that the formula assigns it to, else its text. */
  readonly drops?: string;
  /** The mode that shows it: the gate must stay green in plain arithmetic on the same data. */
  readonly mode?: AddedMode;
  /** The lanes of a warp that show it: the gate must stay green at the launch's first width on the same data. */
  readonly warp?: number;
  /** Shapes at which the gate must stay green, so that the control proves where the fault shows. */
  readonly green?: (shape: ShapeOf<D>) => boolean;
  /** What shows the fault with certainty and a GPU has not, where it shows only then: such a control is not run on a GPU. */
  readonly needs?: Need;
}

/** schedules: the host device's orders of threads and groups, and what it puts into local memory before a group. */
export const NEEDS = ['schedules'] as const;
export type Need = (typeof NEEDS)[number];

/** A failure of a shipped kernel: that gate must keep failing until the fix lands, and then this entry goes. */
export interface KnownFinding {
  readonly gate: GateName;
  readonly finding: FindingClass;
  readonly what: string;
  /** Where it is tracked. */
  readonly link: string;
  readonly on?: readonly Dialect[];
  /** The GPUs' chips that it is of, as their driver names them: it says nothing of others, nor of the host device. */
  readonly chips?: readonly string[];
  /** Of a `value` finding: the multiple of the bound that its worst element stays within. What is past it is no longer known. */
  readonly within?: number;
}

/** Chips on which a kernel is never launched, since its launch takes the machine down: reviewed, and counted as not run. */
export interface Quarantine {
  /** As drivers name them: `gfx1100`, `sm_120`. */
  readonly chips: readonly string[];
  readonly why: string;
  /** Where it is tracked. */
  readonly link: string;
}

/** A formula over rows: sums, norms, softmax, maxima, elementwise steps. */
export const rows = (over: string, text: string): FormulaText => ({ family: 'rows', over, text });
/** A projection `sum(A * B)` over K, and a formula over its sums. */
export const dense = (over: string, text: string): FormulaText => ({ family: 'dense', over, text });
/** A projection over affine-quantized weights; `factored` where the kernel sums codes and scales a group's sum. */
export const affine = (over: string, text: string, options: { readonly factored: boolean }): FormulaText => ({
  family: 'affine',
  over,
  text,
  factored: options.factored,
});

/** What a rule gives for a case: the exact code of every output element, read from the inputs' values. */
export type RuleOutputs = Readonly<Record<string, Uint32Array>>;

/** Kernels that no family holds: exact outputs by a stated rule. */
export interface Rule {
  readonly family: 'rule';
  readonly over: string;
  /** The rule in words, for output. */
  readonly text: string;
  /** The codes of every output, from the inputs' exact values (row-major) and the shape. */
  readonly outputs: (
    inputs: Readonly<Record<string, Float64Array>>,
    shape: Readonly<Record<string, number>>,
  ) => RuleOutputs;
}
export const rule = (over: string, text: string, outputs: Rule['outputs']): Rule => ({
  family: 'rule',
  over,
  text,
  outputs,
});

export interface Contract<
  D extends string = string,
  I extends string = string,
  O extends string = string,
  S extends string = string,
> {
  readonly name: string;
  readonly dims: Readonly<Record<D, Dim>>;
  readonly served: readonly Served<NoInfer<D>>[];
  readonly inputs: Readonly<Record<I, Tensor<NoInfer<D>>>>;
  readonly outputs: Readonly<Record<O, Tensor<NoInfer<D>>>>;
  readonly scalars?: Readonly<Record<S, number>>;
  /** The kernel's arguments in order: buffers as pointers, dimensions as u32, scalars as f32. */
  readonly args: readonly (NoInfer<D> | NoInfer<I> | NoInfer<O> | NoInfer<S>)[];
  readonly formula: FormulaText | Rule;
  /** What NaN does: as float64 arithmetic on the formula does, or as the rule states. */
  readonly nan: 'propagate' | 'rule';
  /** What sums are held in; `none` where the formula sums nothing. */
  readonly accumulator: 'f32' | 'none';
  /** Sums that gate 4's data cannot prove, and why; the run prints the margin instead. */
  readonly unproven?: { readonly accumulators: readonly ('f16' | 'bf16')[]; readonly because: string };
  /** Whether subnormals may become zero; they are kept where this is not said. */
  readonly denormals?: 'keep' | 'flush';
  /** Outputs that may lie on an input's buffer, or on any one of several, by output name. */
  readonly inPlace?: Partial<Readonly<Record<NoInfer<O>, NoInfer<I> | readonly NoInfer<I>[]>>>;
  /** The dimension whose rows depend neither on their number nor on each other. */
  readonly rowIndependent?: NoInfer<D>;
  /** The kernel whose bits this one must equal. */
  readonly replaces?: string;
  /** Ordinary data of each input; `signed` where not said. */
  readonly fills?: Partial<Readonly<Record<NoInfer<I>, FillName>>>;
  /** The launches of each dialect, or those of `everywhere` for a dialect that is not named. */
  readonly launch: Partial<
    Readonly<Record<Dialect | 'everywhere', Launch<NoInfer<D>> | readonly Launch<NoInfer<D>>[]>>
  >;
  readonly controls: readonly Control<NoInfer<D>>[];
  readonly known?: readonly KnownFinding[];
  /** Fixtures beside the contract, each run as a case of its gate in every dialect: inputs that failed once, and must not again. */
  readonly regressions?: readonly string[];
  readonly quarantine?: readonly Quarantine[];
}

/** States a contract. */
export const kernel = <
  const D extends string,
  const I extends string,
  const O extends string,
  const S extends string = never,
>(
  contract: Contract<D, I, O, S>,
): Contract<D, I, O, S> => contract;

/** The standing controls of a gate: planted faults of a kernel that is registered elsewhere. */
export interface StandingControls {
  readonly of: string;
  readonly controls: readonly Control[];
}
export const standing = (of: string, controls: readonly Control[]): StandingControls => ({ of, controls });

const tensor =
  (dtype: DType) =>
  <const D extends readonly string[]>(...dims: D): Tensor<D[number]> => ({ dtype, dims });
export const f32 = tensor('f32');
export const f16 = tensor('f16');
export const bf16 = tensor('bf16');
export const u32 = tensor('u32');
export const i32 = tensor('i32');
/** Codes of `bits` bits along the last dimension, one little-endian bit stream a row. */
export const codes = <const D extends readonly string[]>(bits: number, ...dims: D): Tensor<D[number]> => ({
  dtype: 'u32',
  dims,
  bits,
});
/** One element for each `group` neighbours of the last dimension. */
export const grouped = <const D extends string>(of: Tensor<D>, group: number): Tensor<D> => ({ ...of, group });
