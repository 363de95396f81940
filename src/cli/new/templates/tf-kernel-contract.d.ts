/** What a contract imports from tf-kernel-contract, for editors and type checkers. Made by it: `tf-kernel-contract new` writes it. */
declare module 'tf-kernel-contract' {
  export type DType = 'f32' | 'f16' | 'bf16' | 'e4m3' | 'e5m2' | 'e2m1' | 'e8m0' | 'u32' | 'i32' | 'u8';
  export type MapName =
    | 'add'
    | 'sub'
    | 'mul'
    | 'div'
    | 'neg'
    | 'abs'
    | 'max'
    | 'min'
    | 'relu'
    | 'sqrt'
    | 'rsqrt'
    | 'rcp'
    | 'exp'
    | 'log'
    | 'tanh'
    | 'sigmoid';
  export type FindingClass =
    | 'class'
    | 'value'
    | 'bits'
    | 'rule'
    | 'different'
    | 'unwritten'
    | 'input'
    | 'guard'
    | 'over-read'
    | 'row'
    | 'alias'
    | 'depth'
    | 'vacuous'
    | 'fault'
    | 'ops'
    | 'race'
    | 'uninitialised'
    | 'bounds'
    | 'misaligned';
  export type AddedMode = 'fused' | 'flushed' | 'ulps-up' | 'ulps-down' | 'ulps-mixed' | 'check';
  export type Need = 'schedules';
  export type Dialect = 'cuda' | 'hip' | 'metal' | 'xpu';
  /**
   * A row-major tensor, last dimension contiguous. `bits` packs integer codes of that many bits into one little-endian bit
   * stream a row of u32 words; `group` holds one element for each `group` neighbours along the last dimension.
   */
  export interface Tensor<D extends string = string> {
    readonly dtype: DType;
    readonly dims: readonly D[];
    readonly bits?: number;
    readonly group?: number;
  }
  export type FamilyName = 'rows' | 'dense' | 'affine';
  /** What a contract states of its arithmetic. */
  export interface FormulaText {
    readonly family: FamilyName;
    /** The dimension that rows run along and sums are taken over. */
    readonly over: string;
    readonly text: string;
    /**
     * Affine weights: the kernel sums `scale * Σ(q x) + bias * Σ x` a group instead of `x * (scale * q + bias)`, so its terms do
     * not cancel inside a weight and the magnitude is that of both parts.
     */
    readonly factored?: boolean;
  }
  /**
   * signed: uniform in [-1, 1). normal: mean 0, deviation 1. positive: uniform in (0, 1]. near-one: 1 + 0.1 · normal, as norm
   * weights are. binades: both signs, magnitudes spread over 2^0 to 2^18, so that sums depend on their order. logits: rows around +100 or -100, so that exp without its maximum overflows or vanishes. levels: the first 32 of a row so large that they swallow the
   * squares of any other warp, but not those of all, and in every 16th row two values of 2^30 and -2^30 among ones. log-levels: logarithms of such, for the sums
   * of their exponentials. zero: 0. ties: integers, the
   * largest of a row at no, one or a few places anywhere in it, and rows whose largest are zeros of both signs. tiny: magnitudes
   * around 1e-38, but for every fourth row, so that a shared scale underflows. small-positive: quantization scales, 2^-7 to 2^-6. codes: random bits.
   */
  export type FillName =
    | 'signed'
    | 'normal'
    | 'positive'
    | 'near-one'
    | 'binades'
    | 'logits'
    | 'levels'
    | 'log-levels'
    | 'zero'
    | 'ties'
    | 'tiny'
    | 'small-positive'
    | 'codes';
  /** The functions that compute a map, by the names of a dialect; their errors add up. Where none is stated, the standard one. */
  export type Ops = Partial<Readonly<Record<MapName, string | readonly string[]>>>;
  export type GateName = 'nonfinite' | 'repeat' | 'shapes' | 'sums';
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
  /** The standing controls of a gate: planted faults of a kernel that is registered elsewhere. */
  export interface StandingControls {
    readonly of: string;
    readonly controls: readonly Control[];
  }
  /** A projection over affine-quantized weights; `factored` where the kernel sums codes and scales a group's sum. */
  export function affine(over: string, text: string, options: { readonly factored: boolean }): FormulaText;
  export function bf16<const D extends readonly string[]>(...dims: D): Tensor<D[number]>;
  /** Codes of `bits` bits along the last dimension, one little-endian bit stream a row. */
  export function codes<const D extends readonly string[]>(bits: number, ...dims: D): Tensor<D[number]>;
  /** A projection `sum(A * B)` over K, and a formula over its sums. */
  export function dense(over: string, text: string): FormulaText;
  export function edit(from: string, to: string): Edit;
  export function f16<const D extends readonly string[]>(...dims: D): Tensor<D[number]>;
  export function f32<const D extends readonly string[]>(...dims: D): Tensor<D[number]>;
  /** One element for each `group` neighbours of the last dimension. */
  export function grouped<const D extends string>(of: Tensor<D>, group: number): Tensor<D>;
  export function i32<const D extends readonly string[]>(...dims: D): Tensor<D[number]>;
  /** States a contract. */
  export function kernel<
    const D extends string,
    const I extends string,
    const O extends string,
    const S extends string = never,
  >(contract: Contract<D, I, O, S>): Contract<D, I, O, S>;
  /** A formula over rows: sums, norms, softmax, maxima, elementwise steps. */
  export function rows(over: string, text: string): FormulaText;
  export function rule(over: string, text: string, outputs: Rule['outputs']): Rule;
  export function standing(of: string, controls: readonly Control[]): StandingControls;
  export function u32<const D extends readonly string[]>(...dims: D): Tensor<D[number]>;
}
