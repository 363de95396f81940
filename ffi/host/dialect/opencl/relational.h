// Relational functions: 1 for a scalar, all bits set in a vector, where they hold.
#ifndef TF_OPENCL_RELATIONAL_H
#define TF_OPENCL_RELATIONAL_H
#include "base.h"

#define TF_CL_TEST(name, T, M, expression)                                                                             \
  TF_CL int name(T x) { return expression; }                                                                           \
  TF_CL_TEST_VECTOR(name, T, M, 2) TF_CL_TEST_VECTOR(name, T, M, 3) TF_CL_TEST_VECTOR(name, T, M, 4)                   \
  TF_CL_TEST_VECTOR(name, T, M, 8) TF_CL_TEST_VECTOR(name, T, M, 16)
#define TF_CL_TEST_VECTOR(name, T, M, N)                                                                               \
  TF_CL M##N name(T##N x) {                                                                                            \
    M##N r;                                                                                                            \
    for (int i = 0; i < N; i++) r[i] = (M)-name((T)x[i]);                                                              \
    return r;                                                                                                          \
  }
// By the bits less the sign; the bits of infinity and of the least normal value.
#define TF_CL_CLASS(T, M, unsigned_bits, infinity, normal)                                                             \
  TF_CL_TEST(isnan, T, M, (as_u##M(x) & unsigned_bits) > infinity)                                                     \
  TF_CL_TEST(isinf, T, M, (as_u##M(x) & unsigned_bits) == infinity)                                                    \
  TF_CL_TEST(isfinite, T, M, (as_u##M(x) & unsigned_bits) < infinity)                                                  \
  TF_CL_TEST(isnormal, T, M, isfinite(x) && (as_u##M(x) & unsigned_bits) >= normal)                                    \
  TF_CL_TEST(signbit, T, M, as_u##M(x) > unsigned_bits)
TF_CL_CLASS(float, int, 0x7fffffffu, 0x7f800000u, 0x00800000u)
TF_CL_CLASS(half, short, 0x7fffu, 0x7c00u, 0x0400u)

#define TF_CL_COMPARE(name, T, M, expression)                                                                          \
  TF_CL int name(T x, T y) { return expression; }                                                                      \
  TF_CL_COMPARE_VECTOR(name, T, M, 2) TF_CL_COMPARE_VECTOR(name, T, M, 3) TF_CL_COMPARE_VECTOR(name, T, M, 4)          \
  TF_CL_COMPARE_VECTOR(name, T, M, 8) TF_CL_COMPARE_VECTOR(name, T, M, 16)
#define TF_CL_COMPARE_VECTOR(name, T, M, N)                                                                            \
  TF_CL M##N name(T##N x, T##N y) {                                                                                    \
    M##N r;                                                                                                            \
    for (int i = 0; i < N; i++) r[i] = (M)-name((T)x[i], (T)y[i]);                                                     \
    return r;                                                                                                          \
  }
#define TF_CL_ORDER(T, M)                                                                                              \
  TF_CL_COMPARE(isequal, T, M, x == y)                                                                                 \
  TF_CL_COMPARE(isnotequal, T, M, x != y)                                                                              \
  TF_CL_COMPARE(isless, T, M, x < y)                                                                                   \
  TF_CL_COMPARE(islessequal, T, M, x <= y)                                                                             \
  TF_CL_COMPARE(isgreater, T, M, x > y)                                                                                \
  TF_CL_COMPARE(isgreaterequal, T, M, x >= y)                                                                          \
  TF_CL_COMPARE(islessgreater, T, M, x < y || x > y)                                                                   \
  TF_CL_COMPARE(isordered, T, M, x == x && y == y)                                                                     \
  TF_CL_COMPARE(isunordered, T, M, x != x || y != y)
TF_CL_ORDER(float, int)
TF_CL_ORDER(half, short)
#if defined(cl_khr_fp64)
TF_CL_CLASS(double, long, 0x7ffffffffffffffful, 0x7ff0000000000000ul, 0x0010000000000000ul)
TF_CL_ORDER(double, long)
#endif

// b where the mask holds, a elsewhere; a vector's mask holds where its sign bit is set.
#define TF_CL_SELECT(T, M)                                                                                             \
  TF_CL T select(T a, T b, M c) { return c ? b : a; }                                                                  \
  TF_CL T select(T a, T b, u##M c) { return c ? b : a; }                                                               \
  TF_CL_SELECT_VECTOR(T, M, 2) TF_CL_SELECT_VECTOR(T, M, 3) TF_CL_SELECT_VECTOR(T, M, 4) TF_CL_SELECT_VECTOR(T, M, 8)  \
  TF_CL_SELECT_VECTOR(T, M, 16)
#define TF_CL_SELECT_VECTOR(T, M, N)                                                                                   \
  TF_CL T##N select(T##N a, T##N b, M##N c) {                                                                          \
    for (int i = 0; i < N; i++) a[i] = c[i] < 0 ? b[i] : a[i];                                                         \
    return a;                                                                                                          \
  }                                                                                                                    \
  TF_CL T##N select(T##N a, T##N b, u##M##N c) { return select(a, b, as_##M##N(c)); }
TF_CL_SELECT(char, char) TF_CL_SELECT(uchar, char) TF_CL_SELECT(short, short) TF_CL_SELECT(ushort, short)
TF_CL_SELECT(int, int) TF_CL_SELECT(uint, int) TF_CL_SELECT(long, long) TF_CL_SELECT(ulong, long)
TF_CL_SELECT(float, int) TF_CL_SELECT(half, short)
#if defined(cl_khr_fp64)
TF_CL_SELECT(double, long)
#endif

#define TF_CL_ANY_ALL(T)                                                                                               \
  TF_CL int any(T v) { return v < 0; }                                                                                 \
  TF_CL int all(T v) { return v < 0; }                                                                                 \
  TF_CL_WIDTHS(TF_CL_ANY_ALL_VECTOR, T)
#define TF_CL_ANY_ALL_VECTOR(T, N)                                                                                     \
  TF_CL int any(T##N v) {                                                                                              \
    int some = 0;                                                                                                      \
    for (int i = 0; i < N; i++) some |= v[i] < 0;                                                                      \
    return some;                                                                                                       \
  }                                                                                                                    \
  TF_CL int all(T##N v) {                                                                                              \
    int every = 1;                                                                                                     \
    for (int i = 0; i < N; i++) every &= v[i] < 0;                                                                     \
    return every;                                                                                                      \
  }
TF_CL_SIGNED(TF_CL_ANY_ALL)

#endif
