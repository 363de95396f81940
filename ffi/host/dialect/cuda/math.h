// The mathematical functions under CUDA's names. Approximate intrinsics are exact but in images of the kind `ulps`
// (ulps.h), where every function may be off by what its maker documents.
#ifndef TF_CUDA_MATH_H
#define TF_CUDA_MATH_H
#include "half.h"

#undef INFINITY
#undef NAN
#define INFINITY (__builtin_inff())
#define NAN (__builtin_nanf(""))
#define HUGE_VALF (__builtin_inff())
#define CUDART_INF_F (__builtin_inff())
#define CUDART_NAN_F (__builtin_nanf(""))
#define FLT_MAX __FLT_MAX__
#define FLT_MIN __FLT_MIN__
#define FLT_EPSILON __FLT_EPSILON__
#define DBL_MAX __DBL_MAX__
#define INT_MAX __INT_MAX__
#define INT_MIN (-__INT_MAX__ - 1)
#define UINT_MAX (__INT_MAX__ * 2u + 1u)
#define M_PI 3.14159265358979323846
#define M_LOG2E 1.4426950408889634074
#define M_LN2 0.69314718055994530942
#define M_SQRT1_2 0.70710678118654752440
#define M_2_SQRTPI 1.12837916709551257390

// name##f(float) and name(float).
#define TF_FLOAT1(name, function)                                                                                     \
  TF_INLINE float name##f(float x) { return function(x); }                                                            \
  TF_INLINE float name(float x) { return function(x); }
#define TF_FLOAT2(name, function)                                                                                     \
  TF_INLINE float name##f(float x, float y) { return function(x, y); }                                                \
  TF_INLINE float name(float x, float y) { return function(x, y); }
// Those whose error the table of libraries states; TF_UNIT1 stays in [-1, 1].
#define TF_LOOSE1(name, function)                                                                                     \
  TF_INLINE float name##f(float x) { return TF_LOOSE(name##f, function(x), x); }                                      \
  TF_INLINE float name(float x) { return name##f(x); }
#define TF_UNIT1(name, function)                                                                                      \
  TF_INLINE float name##f(float x) { return TF_LOOSE_UNIT(name##f, function(x), x); }                                 \
  TF_INLINE float name(float x) { return name##f(x); }
#define TF_LOOSE2(name, function)                                                                                     \
  TF_INLINE float name##f(float x, float y) { return TF_LOOSE(name##f, function(x, y), x, y); }                       \
  TF_INLINE float name(float x, float y) { return name##f(x, y); }
TF_LOOSE1(exp, tf_exp) TF_LOOSE1(exp2, tf_exp2) TF_LOOSE1(exp10, tf_exp10) TF_LOOSE1(expm1, tf_expm1)
TF_LOOSE1(log, tf_log) TF_LOOSE1(log2, tf_log2) TF_LOOSE1(log10, tf_log10) TF_LOOSE1(log1p, tf_log1p)
TF_UNIT1(sin, tf_sin) TF_UNIT1(cos, tf_cos) TF_LOOSE1(tan, tf_tan)
TF_UNIT1(sinpi, tf_sinpi) TF_UNIT1(cospi, tf_cospi)
TF_LOOSE1(asin, tf_asin) TF_LOOSE1(acos, tf_acos) TF_LOOSE1(atan, tf_atan) TF_LOOSE2(atan2, tf_atan2)
TF_LOOSE1(sinh, tf_sinh) TF_LOOSE1(cosh, tf_cosh) TF_UNIT1(tanh, tf_tanh)
TF_LOOSE1(asinh, tf_asinh) TF_LOOSE1(acosh, tf_acosh) TF_LOOSE1(atanh, tf_atanh)
TF_UNIT1(erf, tf_erf) TF_LOOSE1(erfc, tf_erfc) TF_LOOSE1(cbrt, tf_cbrt)
TF_LOOSE2(pow, tf_pow) TF_LOOSE2(hypot, tf_hypot)
TF_LOOSE1(sqrt, tf_sqrt) TF_LOOSE1(rsqrt, tf_rsqrt)
TF_FLOAT1(fabs, tf_fabs) TF_FLOAT2(copysign, tf_copysign)
TF_FLOAT1(floor, tf_floor) TF_FLOAT1(ceil, tf_ceil) TF_FLOAT1(trunc, tf_trunc) TF_FLOAT1(round, tf_round)
TF_FLOAT1(rint, tf_rint) TF_FLOAT1(nearbyint, tf_rint) TF_FLOAT2(fmod, tf_fmod) TF_FLOAT2(remainder, tf_remainder)
TF_FLOAT2(fmax, tf_fmax) TF_FLOAT2(fmin, tf_fmin) TF_FLOAT2(nextafter, tf_nextafter)
#undef TF_FLOAT1
#undef TF_FLOAT2
#undef TF_LOOSE1
#undef TF_UNIT1
#undef TF_LOOSE2
TF_INLINE float fdimf(float x, float y) { return x > y ? x - y : tf_isnan(x) || tf_isnan(y) ? TF_NAN : 0.0f; }
TF_INLINE float fmaf(float a, float b, float c) { return tf_fma(a, b, c); }
TF_INLINE float fma(float a, float b, float c) { return tf_fma(a, b, c); }
TF_INLINE float ldexpf(float x, int n) { return tf_ldexp(x, n); }
TF_INLINE float scalbnf(float x, int n) { return tf_ldexp(x, n); }
TF_INLINE float frexpf(float x, int* n) { return tf_frexp(x, n); }
TF_INLINE long lrintf(float x) { return tf_saturate<long>(tf_rint(x)); }
TF_INLINE long lroundf(float x) { return tf_saturate<long>(tf_round(x)); }
TF_INLINE void sincosf(float x, float* s, float* c) { *s = sinf(x), *c = cosf(x); }
TF_INLINE float normcdff(float x) {
  return TF_LOOSE(normcdff, (float)(0.5 * (double)tf_erfc(-x * 0.70710678f)), x);
}

TF_INLINE double exp(double x) { return tf_exp_double(x); }
TF_INLINE double exp2(double x) { return tf_exp2_double(x); }
TF_INLINE double log(double x) { return tf_log_double(x); }
TF_INLINE double log2(double x) { return tf_log2_double(x); }
TF_INLINE double log1p(double x) { return tf_log1p_double(x); }
TF_INLINE double sqrt(double x) { return __builtin_sqrt(x); }
TF_INLINE double rsqrt(double x) { return 1.0 / __builtin_sqrt(x); }
TF_INLINE double fabs(double x) { return __builtin_fabs(x); }
TF_INLINE double floor(double x) { return __builtin_floor(x); }
TF_INLINE double ceil(double x) { return __builtin_ceil(x); }
TF_INLINE double trunc(double x) { return __builtin_trunc(x); }
TF_INLINE double rint(double x) { return __builtin_rint(x); }
TF_INLINE double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
TF_INLINE double fmax(double a, double b) { return a > b || b != b ? a : b; }
TF_INLINE double fmin(double a, double b) { return a < b || b != b ? a : b; }

TF_INLINE bool isnan(float x) { return tf_isnan(x); }
TF_INLINE bool isinf(float x) { return tf_isinf(x); }
TF_INLINE bool isfinite(float x) { return tf_isfinite(x); }
TF_INLINE bool signbit(float x) { return tf_signbit(x); }
TF_INLINE bool isnan(double x) { return x != x; }
TF_INLINE bool isinf(double x) { return x - x != 0 && x == x; }
TF_INLINE bool isfinite(double x) { return x - x == 0; }

TF_INLINE int abs(int x) { return x < 0 ? (int)-(unsigned)x : x; }
TF_INLINE long abs(long x) { return x < 0 ? (long)-(unsigned long)x : x; }
TF_INLINE long long abs(long long x) { return x < 0 ? (long long)-(unsigned long long)x : x; }
TF_INLINE float abs(float x) { return tf_fabs(x); }
TF_INLINE double abs(double x) { return __builtin_fabs(x); }

#define TF_MIN_MAX(T)                                                                                                 \
  TF_INLINE T min(T a, T b) { return b < a ? b : a; }                                                                 \
  TF_INLINE T max(T a, T b) { return b > a ? b : a; }
TF_MIN_MAX(int) TF_MIN_MAX(unsigned) TF_MIN_MAX(long) TF_MIN_MAX(unsigned long) TF_MIN_MAX(long long)
TF_MIN_MAX(unsigned long long)
#undef TF_MIN_MAX
TF_INLINE unsigned min(unsigned a, int b) { return min(a, (unsigned)b); }
TF_INLINE unsigned min(int a, unsigned b) { return min((unsigned)a, b); }
TF_INLINE unsigned max(unsigned a, int b) { return max(a, (unsigned)b); }
TF_INLINE unsigned max(int a, unsigned b) { return max((unsigned)a, b); }
TF_INLINE float min(float a, float b) { return tf_fmin(a, b); }
TF_INLINE float max(float a, float b) { return tf_fmax(a, b); }
TF_INLINE double min(double a, double b) { return fmin(a, b); }
TF_INLINE double max(double a, double b) { return fmax(a, b); }

TF_INLINE float __expf(float x) { return TF_LOOSE(__expf, tf_exp(x), x); }
TF_INLINE float __exp10f(float x) { return TF_LOOSE(__exp10f, tf_exp10(x), x); }
TF_INLINE float __logf(float x) { return TF_LOOSE(__logf, tf_log(x), x); }
TF_INLINE float __log2f(float x) { return TF_LOOSE(__log2f, tf_log2(x), x); }
TF_INLINE float __log10f(float x) { return TF_LOOSE(__log10f, tf_log10(x), x); }
TF_INLINE float __sinf(float x) { return TF_LOOSE_UNIT(__sinf, tf_sin(x), x); }
TF_INLINE float __cosf(float x) { return TF_LOOSE_UNIT(__cosf, tf_cos(x), x); }
TF_INLINE float __tanf(float x) { return TF_LOOSE(__tanf, tf_tan(x), x); }
TF_INLINE void __sincosf(float x, float* s, float* c) { *s = __sinf(x), *c = __cosf(x); }
TF_INLINE float __powf(float x, float y) { return TF_LOOSE(__powf, tf_pow(x, y), x, y); }
TF_INLINE float __fdividef(float x, float y) { return TF_LOOSE(__fdividef, x / y, x, y); }
TF_INLINE float __saturatef(float x) { return x >= 1 ? 1.0f : x > 0 ? x : 0.0f; }
TF_INLINE float __fadd_rn(float a, float b) { return a + b; }
TF_INLINE float __fsub_rn(float a, float b) { return a - b; }
TF_INLINE float __fmul_rn(float a, float b) { return a * b; }
TF_INLINE float __fdiv_rn(float a, float b) { return TF_LOOSE(__fdiv_rn, a / b, a, b); }
TF_INLINE float __fmaf_rn(float a, float b, float c) { return tf_fma(a, b, c); }
TF_INLINE float __fsqrt_rn(float x) { return TF_LOOSE(__fsqrt_rn, tf_sqrt(x), x); }
TF_INLINE float __frcp_rn(float x) { return TF_LOOSE(__frcp_rn, 1.0f / x, x); }
TF_INLINE float __frsqrt_rn(float x) { return TF_LOOSE(__frsqrt_rn, tf_rsqrt(x), x); }

TF_INLINE int __float2int_rn(float x) { return tf_saturate<int>(tf_rint(x)); }
TF_INLINE int __float2int_rz(float x) { return tf_saturate<int>(x); }
TF_INLINE int __float2int_rd(float x) { return tf_saturate<int>(tf_floor(x)); }
TF_INLINE int __float2int_ru(float x) { return tf_saturate<int>(tf_ceil(x)); }
TF_INLINE unsigned __float2uint_rn(float x) { return tf_saturate<unsigned>(tf_rint(x)); }
TF_INLINE unsigned __float2uint_rz(float x) { return tf_saturate<unsigned>(x); }
TF_INLINE long long __float2ll_rn(float x) { return tf_saturate<long long>(tf_rint(x)); }
TF_INLINE float __int2float_rn(int x) { return (float)x; }
TF_INLINE float __uint2float_rn(unsigned x) { return (float)x; }
TF_INLINE float __ll2float_rn(long long x) { return (float)x; }

#endif
