// Integer functions.
#ifndef TF_OPENCL_INTEGER_H
#define TF_OPENCL_INTEGER_H
#include "base.h"

// T, its unsigned type, its bits, a type that holds any product, the least and the largest value.
#define TF_CL_INTEGER(T, U, bits, Wide, least, most)                                                                   \
  TF_CL U abs(T v) { return v < 0 ? (U)(0 - (U)v) : (U)v; }                                                            \
  TF_CL U abs_diff(T a, T b) { return a < b ? (U)((U)b - (U)a) : (U)((U)a - (U)b); }                                   \
  TF_CL T add_sat(T a, T b) {                                                                                          \
    T r;                                                                                                               \
    return !__builtin_add_overflow(a, b, &r) ? r : a < 0 ? (T)least : (T)most;                                         \
  }                                                                                                                    \
  TF_CL T sub_sat(T a, T b) {                                                                                          \
    T r;                                                                                                               \
    return !__builtin_sub_overflow(a, b, &r) ? r : least == 0 || a < 0 ? (T)least : (T)most;                           \
  }                                                                                                                    \
  TF_CL T hadd(T a, T b) { return (T)(((Wide)a + (Wide)b) >> 1); }                                                     \
  TF_CL T rhadd(T a, T b) { return (T)(((Wide)a + (Wide)b + 1) >> 1); }                                                \
  TF_CL T mul_hi(T a, T b) { return (T)(((Wide)a * (Wide)b) >> bits); }                                                \
  TF_CL T mad_hi(T a, T b, T c) { return (T)(mul_hi(a, b) + c); }                                                      \
  TF_CL T rotate(T v, T by) {                                                                                          \
    const uint left = (uint)by % bits, right = (bits - left) % bits;                                                   \
    return (T)((U)v << left | (U)v >> right);                                                                          \
  }                                                                                                                    \
  TF_CL T clz(T v) { return v ? (T)(__builtin_clzl((ulong)(U)v) - (64 - bits)) : (T)bits; }                            \
  TF_CL T ctz(T v) { return v ? (T)__builtin_ctzl((ulong)(U)v) : (T)bits; }                                            \
  TF_CL T popcount(T v) { return (T)__builtin_popcountl((ulong)(U)v); }                                                \
  TF_CL_ALL(TF_CL_VECTOR1, abs, U, T) TF_CL_ALL(TF_CL_VECTOR2, abs_diff, U, T)                                         \
  TF_CL_ALL(TF_CL_VECTOR2, add_sat, T, T) TF_CL_ALL(TF_CL_VECTOR2, sub_sat, T, T)                                      \
  TF_CL_ALL(TF_CL_VECTOR2, hadd, T, T) TF_CL_ALL(TF_CL_VECTOR2, rhadd, T, T)                                           \
  TF_CL_ALL(TF_CL_VECTOR2, mul_hi, T, T) TF_CL_ALL(TF_CL_VECTOR3, mad_hi, T, T)                                        \
  TF_CL_ALL(TF_CL_VECTOR2, rotate, T, T) TF_CL_ALL(TF_CL_VECTOR1, clz, T, T)                                           \
  TF_CL_ALL(TF_CL_VECTOR1, ctz, T, T) TF_CL_ALL(TF_CL_VECTOR1, popcount, T, T)
TF_CL_INTEGER(char, uchar, 8, int, -128, 127)
TF_CL_INTEGER(uchar, uchar, 8, uint, 0, 255)
TF_CL_INTEGER(short, ushort, 16, int, -32768, 32767)
TF_CL_INTEGER(ushort, ushort, 16, uint, 0, 65535)
TF_CL_INTEGER(int, uint, 32, long, INT_MIN, INT_MAX)
TF_CL_INTEGER(uint, uint, 32, ulong, 0, UINT_MAX)
TF_CL_INTEGER(long, ulong, 64, __int128, LONG_MIN, LONG_MAX)
TF_CL_INTEGER(ulong, ulong, 64, unsigned __int128, 0, ULONG_MAX)

TF_CL short upsample(char high, uchar low) { return (short)((ushort)(uchar)high << 8 | low); }
TF_CL ushort upsample(uchar high, uchar low) { return (ushort)(high << 8 | low); }
TF_CL int upsample(short high, ushort low) { return (int)((uint)(ushort)high << 16 | low); }
TF_CL uint upsample(ushort high, ushort low) { return (uint)high << 16 | low; }
TF_CL long upsample(int high, uint low) { return (long)((ulong)(uint)high << 32 | low); }
TF_CL ulong upsample(uint high, uint low) { return (ulong)high << 32 | low; }

// Operands of more than 24 bits are the kernel's own risk; here they are multiplied whole.
TF_CL int mul24(int a, int b) { return a * b; }
TF_CL uint mul24(uint a, uint b) { return a * b; }
TF_CL int mad24(int a, int b, int c) { return a * b + c; }
TF_CL uint mad24(uint a, uint b, uint c) { return a * b + c; }
TF_CL_ALL(TF_CL_VECTOR2, mul24, int, int) TF_CL_ALL(TF_CL_VECTOR2, mul24, uint, uint)
TF_CL_ALL(TF_CL_VECTOR3, mad24, int, int) TF_CL_ALL(TF_CL_VECTOR3, mad24, uint, uint)

// cl_khr_integer_dot_product, of four bytes in a word.
#define TF_CL_DOT4(name, A, B, R)                                                                                      \
  TF_CL R name(uint a, uint b) {                                                                                       \
    const A##4 x = as_##A##4(a);                                                                                       \
    const B##4 y = as_##B##4(b);                                                                                       \
    return (R)x.x * (R)y.x + (R)x.y * (R)y.y + (R)x.z * (R)y.z + (R)x.w * (R)y.w;                                      \
  }
TF_CL_DOT4(dot_4x8packed_uu_uint, uchar, uchar, uint)
TF_CL_DOT4(dot_4x8packed_ss_int, char, char, int)
TF_CL_DOT4(dot_4x8packed_us_int, uchar, char, int)
TF_CL_DOT4(dot_4x8packed_su_int, char, uchar, int)

#endif
