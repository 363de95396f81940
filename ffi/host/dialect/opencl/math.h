// Mathematical, common and geometric functions, of float and of half. native_ and half_ ones are the same functions,
// correctly rounded but in images of the kind `ulps` (../ulps.h). Those of half compute in fp32 and round once more; fma is
// exact in both types. mad is fma.
#ifndef TF_OPENCL_MATH_H
#define TF_OPENCL_MATH_H
#include "functions.h"
#include "memory.h"

#define TF_CL_DECLARE1(name) float tf_cl_##name(float x);
#define TF_CL_DECLARE2(name) float tf_cl_##name(float x, float y);
TF_CL_FUNCTIONS1(TF_CL_DECLARE1)
TF_CL_FUNCTIONS2(TF_CL_DECLARE2)
float tf_cl_ldexp(float x, int n);
float tf_cl_frexp(float x, __private int* n);
float tf_cl_fma_odd(float a, float b, float c);

#define TF_CL_NARROW(v) as_half(tf_cl_half_bits(v))
// name(x) by the fp32 function f.
#define TF_CL_MATH1(name, f) TF_CL_MATH1_AS(name, f, TF_CL_SAME)
#define TF_CL_MATH2(name, f) TF_CL_MATH2_AS(name, f, TF_CL_SAME)
#define TF_CL_LOOSE1(name, f) TF_CL_MATH1_AS(name, f, TF_CL_LOOSE)
#define TF_CL_LOOSE2(name, f) TF_CL_MATH2_AS(name, f, TF_CL_LOOSE)
#define TF_CL_SAME(name, exact, x, y) (exact)
// Only fp32 results are moved: the errors of half's functions are others.
#if defined(TF_ULPS)
float tf_cl_loose(
    float exact, float x, float y, uint id, double steps, double slope, double error, double from, double to);
#define TF_CL_LOOSE(name, exact, x, y) tf_cl_loose(exact, x, y, TF_LIMIT_##name)
#else
#define TF_CL_LOOSE(name, exact, x, y) (exact)
#endif
#define TF_CL_MATH1_AS(name, f, as)                                                                                    \
  TF_CL float name(float x) { return as(name, f(x), x, 0.0f); }                                                        \
  TF_CL half name(half x) { return TF_CL_NARROW(f((float)x)); }                                                        \
  TF_CL_ALL(TF_CL_VECTOR1, name, float, float)                                                                         \
  TF_CL_ALL(TF_CL_VECTOR1, name, half, half)
#define TF_CL_MATH2_AS(name, f, as)                                                                                    \
  TF_CL float name(float x, float y) { return as(name, f(x, y), x, y); }                                               \
  TF_CL half name(half x, half y) { return TF_CL_NARROW(f((float)x, (float)y)); }                                      \
  TF_CL_ALL(TF_CL_VECTOR2, name, float, float)                                                                         \
  TF_CL_ALL(TF_CL_VECTOR2, name, half, half)
#define TF_CL_MATH1_OWN(name) TF_CL_MATH1(name, tf_cl_##name)
#define TF_CL_MATH2_OWN(name) TF_CL_MATH2(name, tf_cl_##name)
#define TF_CL_LOOSE1_OWN(name) TF_CL_LOOSE1(name, tf_cl_##name)
#define TF_CL_LOOSE2_OWN(name) TF_CL_LOOSE2(name, tf_cl_##name)
TF_CL_LOOSE_FUNCTIONS1(TF_CL_LOOSE1_OWN)
TF_CL_LOOSE_FUNCTIONS2(TF_CL_LOOSE2_OWN)
TF_CL_EXACT_FUNCTIONS1(TF_CL_MATH1_OWN)
TF_CL_EXACT_FUNCTIONS2(TF_CL_MATH2_OWN)

// Of double: to about 2^-51, the roots and roundings exactly.
#if defined(cl_khr_fp64)
#define TF_CL_MATH1_DOUBLE(name, f)                                                                                    \
  TF_CL double name(double x) { return f(x); }                                                                         \
  TF_CL_ALL(TF_CL_VECTOR1, name, double, double)
#define TF_CL_MATH2_DOUBLE(name, f)                                                                                    \
  TF_CL double name(double x, double y) { return f(x, y); }                                                            \
  TF_CL_ALL(TF_CL_VECTOR2, name, double, double)
#define TF_CL_DECLARE_DOUBLE(name)                                                                                     \
  double tf_cl_double_##name(double x);                                                                                \
  TF_CL_MATH1_DOUBLE(name, tf_cl_double_##name)
TF_CL_FUNCTIONS_DOUBLE(TF_CL_DECLARE_DOUBLE)
TF_CL_MATH1_DOUBLE(sqrt, __builtin_sqrt) TF_CL_MATH1_DOUBLE(rsqrt, 1.0 / __builtin_sqrt)
TF_CL_MATH1_DOUBLE(fabs, __builtin_fabs) TF_CL_MATH1_DOUBLE(floor, __builtin_floor)
TF_CL_MATH1_DOUBLE(ceil, __builtin_ceil) TF_CL_MATH1_DOUBLE(trunc, __builtin_trunc)
TF_CL_MATH1_DOUBLE(rint, __builtin_rint)
TF_CL double tf_cl_larger(double x, double y) { return x > y || y != y ? x : y; }
TF_CL double tf_cl_smaller(double x, double y) { return x < y || y != y ? x : y; }
TF_CL_MATH2_DOUBLE(fmax, tf_cl_larger)
TF_CL_MATH2_DOUBLE(fmin, tf_cl_smaller)
TF_CL double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
TF_CL_ALL(TF_CL_VECTOR3, fma, double, double)
#endif

#define TF_CL_APPROXIMATE(prefix)                                                                                      \
  TF_CL_LOOSE1(prefix##_exp, tf_cl_exp) TF_CL_LOOSE1(prefix##_exp2, tf_cl_exp2) TF_CL_LOOSE1(prefix##_exp10, tf_cl_exp10) \
  TF_CL_LOOSE1(prefix##_log, tf_cl_log) TF_CL_LOOSE1(prefix##_log2, tf_cl_log2) TF_CL_LOOSE1(prefix##_log10, tf_cl_log10) \
  TF_CL_LOOSE1(prefix##_sin, tf_cl_sin) TF_CL_LOOSE1(prefix##_cos, tf_cl_cos) TF_CL_LOOSE1(prefix##_tan, tf_cl_tan)       \
  TF_CL_LOOSE1(prefix##_sqrt, tf_cl_sqrt) TF_CL_LOOSE1(prefix##_rsqrt, tf_cl_rsqrt) TF_CL_LOOSE1(prefix##_recip, 1.0f /)  \
  TF_CL_LOOSE2(prefix##_divide, tf_cl_quotient) TF_CL_LOOSE2(prefix##_powr, tf_cl_pow)
TF_CL float tf_cl_quotient(float x, float y) { return x / y; }
TF_CL_APPROXIMATE(native)
TF_CL_APPROXIMATE(half)
TF_CL_LOOSE2(powr, tf_cl_pow)
TF_CL float tf_cl_difference(float x, float y) { return x > y ? x - y : x == x && y == y ? 0.0f : NAN; }
TF_CL_MATH2(fdim, tf_cl_difference)

TF_CL float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
TF_CL half fma(half a, half b, half c) { return TF_CL_NARROW(tf_cl_fma_odd((float)a, (float)b, (float)c)); }
TF_CL_ALL(TF_CL_VECTOR3, fma, float, float)
TF_CL_ALL(TF_CL_VECTOR3, fma, half, half)
#define mad(a, b, c) fma(a, b, c)

// The common functions, which leave a NaN's place open: a comparison decides.
#define TF_CL_COMMON(T)                                                                                                \
  TF_CL T max(T a, T b) { return a < b ? b : a; }                                                                      \
  TF_CL T min(T a, T b) { return b < a ? b : a; }                                                                      \
  TF_CL T clamp(T v, T least, T most) { return min(max(v, least), most); }                                             \
  TF_CL_ALL(TF_CL_VECTOR2, max, T, T)                                                                                  \
  TF_CL_ALL(TF_CL_VECTOR2, min, T, T)                                                                                  \
  TF_CL_ALL(TF_CL_VECTOR3, clamp, T, T)                                                                                \
  TF_CL_WIDTHS(TF_CL_COMMON_SCALAR, T)
#define TF_CL_COMMON_SCALAR(T, N)                                                                                      \
  TF_CL T##N max(T##N a, T b) { return max(a, (T##N)b); }                                                              \
  TF_CL T##N min(T##N a, T b) { return min(a, (T##N)b); }                                                              \
  TF_CL T##N clamp(T##N v, T least, T most) { return clamp(v, (T##N)least, (T##N)most); }
TF_CL_SCALARS(TF_CL_COMMON)

#define TF_CL_MIX(T, N, S)                                                                                             \
  TF_CL T##N mix(T##N a, T##N b, T##N t) { return a + (b - a) * t; }                                                   \
  TF_CL T##N degrees(T##N v) { return (T##N)(180 / M_PI_F) * v; }                                                      \
  TF_CL T##N radians(T##N v) { return (T##N)(M_PI_F / 180) * v; }
#define TF_CL_MIX_SCALAR(T, N)                                                                                         \
  TF_CL_MIX(T, N, T)                                                                                                   \
  TF_CL T##N mix(T##N a, T##N b, T t) { return a + (b - a) * t; }                                                      \
  TF_CL T##N fmax(T##N a, T b) { return fmax(a, (T##N)b); }                                                            \
  TF_CL T##N fmin(T##N a, T b) { return fmin(a, (T##N)b); }
#define TF_CL_SHAPE(T)                                                                                                 \
  TF_CL_MIX(T, , T)                                                                                                    \
  TF_CL_WIDTHS(TF_CL_MIX_SCALAR, T)                                                                                    \
  TF_CL T sign(T v) { return v > 0 ? (T)1 : v < 0 ? (T)-1 : v == 0 ? v : (T)0; }                                       \
  TF_CL T step(T edge, T v) { return v < edge ? (T)0 : (T)1; }                                                         \
  TF_CL T smoothstep(T low, T high, T v) {                                                                             \
    T t = clamp((T)((v - low) / (high - low)), (T)0, (T)1);                                                            \
    return t * t * (3 - 2 * t);                                                                                        \
  }                                                                                                                    \
  TF_CL_ALL(TF_CL_VECTOR1, sign, T, T)                                                                                 \
  TF_CL_ALL(TF_CL_VECTOR2, step, T, T)                                                                                 \
  TF_CL_ALL(TF_CL_VECTOR3, smoothstep, T, T)
TF_CL_FLOATS(TF_CL_SHAPE)

#define TF_CL_POINTER_RESULT(T, Q)                                                                                     \
  TF_CL T fract(T x, Q T* whole) {                                                                                     \
    *whole = tf_cl_floor(x);                                                                                           \
    return x - x == 0 ? tf_cl_fmin(x - *whole, 0x1.fffffep-1f) : x == x ? tf_cl_copysign(0.0f, x) : x;                 \
  }                                                                                                                    \
  TF_CL T modf(T x, Q T* whole) {                                                                                      \
    *whole = tf_cl_trunc(x);                                                                                           \
    return tf_cl_copysign(x == *whole ? 0.0f : x - *whole, x);                                                         \
  }                                                                                                                    \
  TF_CL T sincos(T x, Q T* cosine) {                                                                                   \
    *cosine = tf_cl_cos(x);                                                                                            \
    return tf_cl_sin(x);                                                                                               \
  }                                                                                                                    \
  TF_CL T frexp(T x, Q int* exponent) {                                                                                \
    int n;                                                                                                             \
    const T r = tf_cl_frexp(x, &n);                                                                                    \
    *exponent = n;                                                                                                     \
    return r;                                                                                                          \
  }
TF_CL_SPACES(TF_CL_POINTER_RESULT, float)
TF_CL float ldexp(float x, int n) { return tf_cl_ldexp(x, n); }
TF_CL float pown(float x, int n) { return tf_cl_pow(x, (float)n); }

#define TF_CL_DOT(T, N)                                                                                                \
  TF_CL T dot(T##N a, T##N b) {                                                                                        \
    T sum = a[0] * b[0];                                                                                               \
    for (int i = 1; i < N; i++) sum = sum + a[i] * b[i];                                                               \
    return sum;                                                                                                        \
  }                                                                                                                    \
  TF_CL T length(T##N v) { return sqrt(dot(v, v)); }                                                                   \
  TF_CL T fast_length(T##N v) { return sqrt(dot(v, v)); }                                                              \
  TF_CL T distance(T##N a, T##N b) { return length(a - b); }                                                           \
  TF_CL T##N normalize(T##N v) { return v * rsqrt(dot(v, v)); }                                                        \
  TF_CL T##N fast_normalize(T##N v) { return v * rsqrt(dot(v, v)); }
#define TF_CL_GEOMETRY(T)                                                                                              \
  TF_CL T dot(T a, T b) { return a * b; }                                                                              \
  TF_CL_DOT(T, 2) TF_CL_DOT(T, 3) TF_CL_DOT(T, 4)                                                                      \
  TF_CL T##3 cross(T##3 a, T##3 b) { return a.yzx * b.zxy - a.zxy * b.yzx; }
TF_CL_FLOATS(TF_CL_GEOMETRY)

#endif
