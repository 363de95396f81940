import type { Library, LibraryFunction, Limit } from './limit.ts';

const precise: readonly (readonly [name: string, ulps: number, map?: LibraryFunction['map'], base2?: true])[] = [
  ['exp', 4, 'exp'],
  ['exp2', 4, 'exp', true],
  ['exp10', 4],
  ['log', 4, 'log'],
  ['log2', 4],
  ['log10', 4],
  ['sin', 4],
  ['cos', 4],
  ['tan', 6],
  ['sinpi', 4],
  ['cospi', 4],
  ['tanpi', 6],
  ['asin', 4],
  ['acos', 4],
  ['atan', 5],
  ['atan2', 6],
  ['sinh', 4],
  ['cosh', 4],
  ['tanh', 5, 'tanh'],
  ['asinh', 4],
  ['acosh', 4],
  ['atanh', 5],
  ['pow', 16],
  ['powr', 16],
  ['sqrt', 0.5, 'sqrt'],
  ['rsqrt', 0.5, 'rsqrt'],
  ['divide', 0.5, 'div'],
];

const within = (error: number, from: number, to: number, ulps = 0.5): Limit => ({
  ulps,
  absolute: { error, from, to },
});

/** What is stated as a composition of other functions has no number of its own, and is not moved. */
const COMPOSED = 'stated as a composition of other functions, without a number';
const fast: readonly Omit<LibraryFunction, 'base2'>[] = [
  { name: 'exp', limit: { ulps: 3, slope: 2 }, map: 'exp' },
  { name: 'exp10', limit: { ulps: 0.5 }, uncertain: COMPOSED },
  { name: 'log', limit: within(2 ** -21, 0.5, 2, 3), map: 'log' },
  { name: 'log2', limit: within(2 ** -22, 0.5, 2, 2) },
  { name: 'log10', limit: { ulps: 0.5 }, uncertain: COMPOSED },
  { name: 'sin', limit: within(2 ** -13, -Math.PI, Math.PI), uncertain: 'no limit is stated outside [-π, π]' },
  { name: 'cos', limit: within(2 ** -13, -Math.PI, Math.PI), uncertain: 'no limit is stated outside [-π, π]' },
  { name: 'sinpi', limit: within(2 ** -13, -1, 1), uncertain: 'no limit is stated outside [-1, 1]' },
  { name: 'cospi', limit: within(2 ** -13, -1, 1), uncertain: 'no limit is stated outside [-1, 1]' },
  { name: 'asin', limit: { ulps: 5 } },
  { name: 'acos', limit: { ulps: 5 } },
  { name: 'atan', limit: { ulps: 5 } },
  { name: 'rsqrt', limit: { ulps: 2 }, map: 'rsqrt' },
  { name: 'divide', limit: { ulps: 2.5 }, map: 'div' },
  ...['tan', 'tanpi', 'atan2', 'sinh', 'cosh', 'tanh', 'asinh', 'acosh', 'atanh', 'pow', 'powr', 'sqrt'].map(
    (name) => ({
      name,
      limit: { ulps: 0.5 },
      uncertain: COMPOSED,
    }),
  ),
];
const FAST: readonly LibraryFunction[] = [
  ...fast,
  { name: 'exp2', limit: { ulps: 3, slope: 2 }, map: 'exp', base2: true },
];

/**
 * `/` is IEEE's under math_mode(safe), which kernels here ask for. A function without a namespace is the fast one, since
 * sources are compiled without -fno-fast-math.
 */
export const METAL: Library = {
  source:
    'Metal Shading Language Specification 4, 8.4: tables 8.1 (precise) and 8.2 (fast math), accuracy of single-precision operations and functions',
  against: 'exact',
  functions: [
    { name: '/', limit: { ulps: 0.5 }, map: 'div', uncertain: '2.5 ulps under fast math' },
    ...precise.map(([name, ulps, map, base2]) => ({
      name: `precise::${name}`,
      limit: { ulps },
      ...(map && { map }),
      ...(base2 && { base2 }),
    })),
    ...FAST.map((one) => ({ ...one, name: `fast::${one.name}` })),
    ...FAST,
  ],
};
