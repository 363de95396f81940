// convert_T. A float becomes an integer by truncation, saturating, with 0 for a NaN, in every form; a suffix of
// rounding rounds it first.
#ifndef TF_OPENCL_CONVERT_H
#define TF_OPENCL_CONVERT_H
#include "memory.h"

#define TF_CL_FROM_EACH(X, T)                                                                                          \
  X(T, char) X(T, short) X(T, int) X(T, long) X(T, uchar) X(T, ushort) X(T, uint) X(T, ulong) X(T, float) X(T, half)
#if defined(cl_khr_fp64)
#define TF_CL_FROM_DOUBLE(X, T) X(T, double)
#else
#define TF_CL_FROM_DOUBLE(X, T)
#endif
#define TF_CL_EACH_WIDTH(X, T, S) X(T, S, 2) X(T, S, 3) X(T, S, 4) X(T, S, 8) X(T, S, 16)

#define TF_CL_CONVERT(T, S)                                                                                            \
  TF_CL T convert_##T(S v) { return (T)v; }                                                                            \
  TF_CL_EACH_WIDTH(TF_CL_CONVERT_VECTOR, T, S)
#define TF_CL_CONVERT_VECTOR(T, S, N)                                                                                  \
  TF_CL T##N convert_##T##N(S##N v) {                                                                                  \
    T##N r;                                                                                                            \
    for (int i = 0; i < N; i++) r[i] = (T)v[i];                                                                        \
    return r;                                                                                                          \
  }
#define TF_CL_CONVERT_TO(T) TF_CL_FROM_EACH(TF_CL_CONVERT, T) TF_CL_FROM_DOUBLE(TF_CL_CONVERT, T)
TF_CL_SCALARS(TF_CL_CONVERT_TO)

// The nearest value of an integer type; `least` and `most` are the type's.
#define TF_CL_SATURATE(T, S, least, most)                                                                              \
  TF_CL T convert_##T##_sat(S v) { return v < (S)(least) ? (T)(least) : v > (most) ? (T)(most) : (T)v; }               \
  TF_CL_SATURATE_VECTOR(T, S, 2) TF_CL_SATURATE_VECTOR(T, S, 3) TF_CL_SATURATE_VECTOR(T, S, 4)                         \
  TF_CL_SATURATE_VECTOR(T, S, 8) TF_CL_SATURATE_VECTOR(T, S, 16)
#define TF_CL_SATURATE_FLOAT(T)                                                                                        \
  TF_CL T convert_##T##_sat(float v) { return (T)v; }                                                                  \
  TF_CL_SATURATE_VECTOR(T, float, 2) TF_CL_SATURATE_VECTOR(T, float, 3) TF_CL_SATURATE_VECTOR(T, float, 4)             \
  TF_CL_SATURATE_VECTOR(T, float, 8) TF_CL_SATURATE_VECTOR(T, float, 16)
#define TF_CL_SATURATE_VECTOR(T, S, N)                                                                                 \
  TF_CL T##N convert_##T##N##_sat(S##N v) {                                                                            \
    T##N r;                                                                                                            \
    for (int i = 0; i < N; i++) r[i] = convert_##T##_sat((S)v[i]);                                                     \
    return r;                                                                                                          \
  }
#define TF_CL_SATURATE_NARROW(T, least, most)                                                                          \
  TF_CL_SATURATE(T, short, least, most) TF_CL_SATURATE(T, int, least, most) TF_CL_SATURATE(T, long, least, most)       \
  TF_CL_SATURATE(T, ushort, 0, most) TF_CL_SATURATE(T, uint, 0, most) TF_CL_SATURATE(T, ulong, 0, most)                \
  TF_CL_SATURATE_FLOAT(T)
TF_CL_SATURATE_NARROW(char, -128, 127)
TF_CL_SATURATE_NARROW(uchar, 0, 255)
TF_CL_SATURATE_NARROW(short, -32768, 32767)
TF_CL_SATURATE_NARROW(ushort, 0, 65535)
TF_CL_SATURATE(int, long, INT_MIN, INT_MAX) TF_CL_SATURATE(int, uint, 0, INT_MAX) TF_CL_SATURATE(int, ulong, 0, INT_MAX)
TF_CL_SATURATE(uint, int, 0, INT_MAX) TF_CL_SATURATE(uint, long, 0, UINT_MAX) TF_CL_SATURATE(uint, ulong, 0, UINT_MAX)
TF_CL_SATURATE_FLOAT(int) TF_CL_SATURATE_FLOAT(uint)

#define TF_CL_ROUNDED(T, suffix, f)                                                                                    \
  TF_CL T convert_##T##suffix(float v) { return (T)f(v); }                                                             \
  TF_CL T convert_##T##_sat##suffix(float v) { return (T)f(v); }                                                       \
  TF_CL_ROUNDED_VECTOR(T, suffix, 2) TF_CL_ROUNDED_VECTOR(T, suffix, 3) TF_CL_ROUNDED_VECTOR(T, suffix, 4)             \
  TF_CL_ROUNDED_VECTOR(T, suffix, 8) TF_CL_ROUNDED_VECTOR(T, suffix, 16)
#define TF_CL_ROUNDED_VECTOR(T, suffix, N)                                                                             \
  TF_CL T##N convert_##T##N##suffix(float##N v) {                                                                      \
    T##N r;                                                                                                            \
    for (int i = 0; i < N; i++) r[i] = convert_##T##suffix((float)v[i]);                                               \
    return r;                                                                                                          \
  }                                                                                                                    \
  TF_CL T##N convert_##T##N##_sat##suffix(float##N v) { return convert_##T##N##suffix(v); }
#define TF_CL_ROUNDED_TO(T)                                                                                            \
  TF_CL_ROUNDED(T, _rte, __builtin_rintf) TF_CL_ROUNDED(T, _rtz, __builtin_truncf)                                     \
  TF_CL_ROUNDED(T, _rtp, __builtin_ceilf) TF_CL_ROUNDED(T, _rtn, __builtin_floorf)
TF_CL_INTEGERS(TF_CL_ROUNDED_TO)

TF_CL half convert_half_rte(float v) { return as_half(tf_cl_half_bits(v)); }
TF_CL float convert_float_rte(half v) { return (float)v; }
TF_CL_ALL(TF_CL_VECTOR1, convert_half_rte, half, float)
#define convert_half2_rte(v) convert_half_rte(v)
#define convert_half3_rte(v) convert_half_rte(v)
#define convert_half4_rte(v) convert_half_rte(v)
#define convert_half8_rte(v) convert_half_rte(v)
#define convert_half16_rte(v) convert_half_rte(v)

#endif
