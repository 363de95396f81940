import type { Library } from './limit.ts';

/** Stated by one document, which nothing else confirms. */
const ALONE = 'no second source confirms it';

/** Without -use_fast_math: the compiler's defaults are IEEE division and square roots. */
export const CUDA: Library = {
  source:
    'CUDA C++ Programming Guide 13, "Mathematical Functions": single-precision standard library functions and intrinsics with error bounds; ptx_: PTX ISA 8, approximate instructions',
  against: 'rounded',
  functions: [
    { name: '/', limit: { ulps: 0 }, map: 'div' },
    { name: 'sqrtf', limit: { ulps: 0 }, map: 'sqrt' },
    { name: 'rsqrtf', limit: { ulps: 2 }, map: 'rsqrt' },
    { name: 'expf', limit: { ulps: 2 }, map: 'exp' },
    { name: 'exp2f', limit: { ulps: 2 }, map: 'exp', base2: true },
    { name: 'exp10f', limit: { ulps: 2 } },
    { name: 'expm1f', limit: { ulps: 1 } },
    { name: 'logf', limit: { ulps: 1 }, map: 'log' },
    { name: 'log2f', limit: { ulps: 1 } },
    { name: 'log10f', limit: { ulps: 2 } },
    { name: 'log1pf', limit: { ulps: 1 } },
    { name: 'sinf', limit: { ulps: 2 } },
    { name: 'cosf', limit: { ulps: 2 } },
    { name: 'tanf', limit: { ulps: 4 } },
    { name: 'sinpif', limit: { ulps: 1 } },
    { name: 'cospif', limit: { ulps: 1 } },
    { name: 'asinf', limit: { ulps: 2 } },
    { name: 'acosf', limit: { ulps: 2 } },
    { name: 'atanf', limit: { ulps: 2 } },
    { name: 'atan2f', limit: { ulps: 3 } },
    { name: 'sinhf', limit: { ulps: 3 } },
    { name: 'coshf', limit: { ulps: 2 } },
    { name: 'tanhf', limit: { ulps: 2 }, map: 'tanh' },
    { name: 'asinhf', limit: { ulps: 3 } },
    { name: 'acoshf', limit: { ulps: 4 } },
    { name: 'atanhf', limit: { ulps: 3 } },
    { name: 'erff', limit: { ulps: 2 } },
    { name: 'erfcf', limit: { ulps: 4 } },
    { name: 'cbrtf', limit: { ulps: 1 } },
    { name: 'powf', limit: { ulps: 4 } },
    { name: 'hypotf', limit: { ulps: 3 } },
    { name: 'normcdff', limit: { ulps: 5 } },
    { name: '__fsqrt_rn', limit: { ulps: 0 }, map: 'sqrt' },
    { name: '__frsqrt_rn', limit: { ulps: 0 }, map: 'rsqrt' },
    { name: '__frcp_rn', limit: { ulps: 0 }, map: 'rcp' },
    { name: '__fdiv_rn', limit: { ulps: 0 }, map: 'div' },
    { name: '__fdividef', limit: { ulps: 2 }, map: 'div' },
    { name: '__expf', limit: { ulps: 2, slope: 1.173 }, map: 'exp' },
    { name: '__exp10f', limit: { ulps: 2, slope: 2.97 } },
    { name: '__logf', limit: { ulps: 3, absolute: { error: 2 ** -21.41, from: 0.5, to: 2 } }, map: 'log' },
    { name: '__log2f', limit: { ulps: 2, absolute: { error: 2 ** -22, from: 0.5, to: 2 } } },
    { name: '__log10f', limit: { ulps: 3, absolute: { error: 2 ** -24, from: 0.5, to: 2 } } },
    { name: '__sinf', limit: SINE(2 ** -21.41), uncertain: 'no limit is stated outside [-π, π]' },
    { name: '__cosf', limit: SINE(2 ** -21.19), uncertain: 'no limit is stated outside [-π, π]' },
    { name: '__tanf', limit: { ulps: 0 }, uncertain: 'stated as __sinf(x) * (1 / __cosf(x)), without a number' },
    { name: '__powf', limit: { ulps: 0 }, uncertain: 'stated as exp2f(y * __log2f(x)), without a number' },
    { name: 'ptx_ex2_approx', limit: { ulps: 2 }, map: 'exp', base2: true, uncertain: ALONE },
    { name: 'ptx_lg2_approx', limit: { ulps: 2, absolute: { error: 2 ** -22, from: 0.5, to: 2 } }, uncertain: ALONE },
    { name: 'ptx_rsqrt_approx', limit: { ulps: 2 }, map: 'rsqrt', uncertain: ALONE },
    { name: 'ptx_sqrt_approx', limit: { ulps: 3 }, map: 'sqrt', uncertain: 'relative error 2^-23 and its rounding' },
    { name: 'ptx_sqrt_rn', limit: { ulps: 0 }, map: 'sqrt' },
    { name: 'ptx_rcp_approx', limit: { ulps: 1 }, map: 'rcp', uncertain: ALONE },
    { name: 'ptx_rcp_rn', limit: { ulps: 0 }, map: 'rcp' },
    { name: 'ptx_sin_approx', limit: SINE(2 ** -20.9), uncertain: 'no limit is stated outside [-π, π]' },
    { name: 'ptx_cos_approx', limit: SINE(2 ** -20.9), uncertain: 'no limit is stated outside [-π, π]' },
    { name: 'ptx_tanh_approx', limit: { ulps: 2 ** 13 }, map: 'tanh', uncertain: 'relative error 2^-11, as ulps' },
  ],
};

/** An absolute error between -π and π; outside, nothing is stated, so nothing is moved. */
function SINE(error: number): { ulps: number; absolute: { error: number; from: number; to: number } } {
  return { ulps: 0, absolute: { error, from: -Math.PI, to: Math.PI } };
}
