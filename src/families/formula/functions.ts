/** The functions of the formula language, and how far each dialect's own version may stray from the exact result. */

export type Dialect = 'cuda' | 'hip' | 'metal' | 'xpu';
export const DIALECTS: readonly Dialect[] = ['cuda', 'hip', 'metal', 'xpu'];

/** Elementwise functions by arity. `neg`, `abs`, `max`, `min` and `relu` are exact. */
export const MAPS = {
  add: 2,
  sub: 2,
  mul: 2,
  div: 2,
  neg: 1,
  abs: 1,
  max: 2,
  min: 2,
  relu: 1,
  sqrt: 1,
  rsqrt: 1,
  rcp: 1,
  exp: 1,
  log: 1,
  tanh: 1,
  sigmoid: 1,
} as const;
export type MapName = keyof typeof MAPS;

/** Reductions over the family's dimension. */
export const REDUCTIONS = ['sum', 'mean', 'max', 'min'] as const;
export type ReductionName = (typeof REDUCTIONS)[number];

/** Rounding points: the value is rounded once, to nearest even, to the named type. */
export const POINTS = ['bf16', 'f16', 'f32'] as const;
export type PointName = (typeof POINTS)[number];

/** Maps that add no rounding of their own. */
export const EXACT_MAPS: ReadonlySet<MapName> = new Set<MapName>(['neg', 'abs', 'max', 'min', 'relu']);

/**
 * Largest error of fp32 functions in ulps, by dialect. Half an ulp is correct rounding.
 * cuda: CUDA C++ Programming Guide, "Mathematical Functions", single precision, without fast math.
 * hip: HIP "Math API", single precision. metal: Metal Shading Language Specification 8.x, "Precise math" table.
 * xpu: OpenCL C 3.0 Specification, "Relative error as ULPs", full profile.
 */
const ULPS: Readonly<
  Record<'div' | 'sqrt' | 'rsqrt' | 'rcp' | 'exp' | 'log' | 'tanh', Readonly<Record<Dialect, number>>>
> = {
  div: { cuda: 0.5, hip: 0.5, metal: 0.5, xpu: 2.5 },
  sqrt: { cuda: 0.5, hip: 0.5, metal: 0.5, xpu: 3 },
  rsqrt: { cuda: 2, hip: 1, metal: 2, xpu: 2 },
  rcp: { cuda: 0.5, hip: 0.5, metal: 0.5, xpu: 2.5 },
  exp: { cuda: 2, hip: 1, metal: 4, xpu: 3 },
  log: { cuda: 1, hip: 2, metal: 4, xpu: 3 },
  tanh: { cuda: 2, hip: 2, metal: 5, xpu: 5 },
};

/** The largest error of a map in fp32, in ulps. */
export function ulpsOf(name: MapName, dialect: Dialect): number {
  if (name === 'sigmoid') return sigmoidUlps(dialect);
  if (EXACT_MAPS.has(name)) return 0;
  return Object.hasOwn(ULPS, name) ? ULPS[name as keyof typeof ULPS][dialect] : 0.5;
}

/**
 * `sigmoid` is no library function: it is 1 / (1 + exp(-x)), or exp(x) / (1 + exp(x)). The errors of the exponential, of the
 * addition and of the division add up, each relative; the last half covers their products.
 */
const sigmoidUlps = (dialect: Dialect): number => ULPS.exp[dialect] + 0.5 + ULPS.div[dialect] + 0.5;
