/** The functions of the formula language. How far each dialect's own may stray is in `libraries/`. */

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
