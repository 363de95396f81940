import type { Library, LibraryFunction } from './limit.ts';

const full: readonly (readonly [name: string, ulps: number, map?: LibraryFunction['map'], base2?: true])[] = [
  ['/', 2.5, 'div'],
  ['exp', 3, 'exp'],
  ['exp2', 3, 'exp', true],
  ['exp10', 3],
  ['expm1', 3],
  ['log', 3, 'log'],
  ['log2', 3],
  ['log10', 3],
  ['log1p', 2],
  ['sin', 4],
  ['cos', 4],
  ['tan', 5],
  ['sinpi', 4],
  ['cospi', 4],
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
  ['erf', 16],
  ['erfc', 16],
  ['cbrt', 2],
  ['sqrt', 3, 'sqrt'],
  ['rsqrt', 2, 'rsqrt'],
  ['pow', 16],
  ['powr', 16],
  ['hypot', 4],
];

const APPROXIMATE: readonly (readonly [name: string, map?: LibraryFunction['map'], base2?: true])[] = [
  ['exp', 'exp'],
  ['exp2', 'exp', true],
  ['exp10'],
  ['log', 'log'],
  ['log2'],
  ['log10'],
  ['sin'],
  ['cos'],
  ['tan'],
  ['sqrt', 'sqrt'],
  ['rsqrt', 'rsqrt'],
  ['recip', 'rcp'],
  ['divide', 'div'],
  ['powr'],
];
const approximate = (prefix: string, uncertain?: string): LibraryFunction[] =>
  APPROXIMATE.map(([name, map, base2]) => ({
    name: `${prefix}_${name}`,
    limit: { ulps: 8192 },
    ...(map && { map }),
    ...(base2 && { base2 }),
    ...(uncertain !== undefined && { uncertain }),
  }));

/** Full profile, without -cl-fp32-correctly-rounded-divide-sqrt, which makes `/` and sqrt IEEE's. */
export const XPU: Library = {
  source: 'OpenCL C 3.0 Specification, "Relative error as ULPs": single precision, full profile',
  against: 'exact',
  functions: [
    ...full.map(([name, ulps, map, base2]) => ({
      name,
      limit: { ulps },
      ...(map && { map }),
      ...(base2 && { base2 }),
    })),
    ...approximate('half'),
    ...approximate('native', "implementation-defined: half_'s 8192 is taken"),
  ],
};
