// Rounding, comparison, roots: exact or rounded once.
#ifndef TF_MATH_BASIC_H
#define TF_MATH_BASIC_H
#include "../fp.h"

typedef float TfFloat4 __attribute__((vector_size(16)));
typedef double TfDouble4 __attribute__((vector_size(32)));
typedef long long TfLong4 __attribute__((vector_size(32)));

// Of one double or four.
TF_INLINE double tf_fma_each(double a, double b, double c) { return __builtin_fma(a, b, c); }
TF_INLINE TfDouble4 tf_fma_each(TfDouble4 a, TfDouble4 b, TfDouble4 c) {
#if __has_builtin(__builtin_elementwise_fma)
  return __builtin_elementwise_fma(a, b, c);
#else
  for (int i = 0; i < 4; i++) c[i] = __builtin_fma(a[i], b[i], c[i]);
  return c;
#endif
}
template <class T> TF_INLINE T tf_all(double value) { return T{} + value; }

// A function of fp32 by one of fp64. In a kernel that becomes steps it stays a call, and the lowering makes one call of
// four that stand together.
#if defined(TF_STEPPED)
#define TF_EACH_FORM __attribute__((visibility("hidden"), noinline, used, const, nothrow)) TF_NODEBUG TF_TRUSTED
#define TF_EACH(name, by)                                                                                             \
  extern "C" {                                                                                                        \
  TF_EACH_FORM float tf_each_##name(float x) { return (float)by((double)x); }                                         \
  TF_EACH_FORM TfFloat4 tf_each_##name##_x4(TfFloat4 x) {                                                             \
    return __builtin_convertvector(by(__builtin_convertvector(x, TfDouble4)), TfFloat4);                              \
  }                                                                                                                   \
  }
#else
#define TF_EACH(name, by)                                                                                             \
  TF_INLINE float tf_each_##name(float x) { return (float)by((double)x); }
#endif

static constexpr float TF_INFINITY = __builtin_inff();
static constexpr float TF_NAN = __builtin_nanf("");

TF_INLINE float tf_fabs(float x) { return tf_bits_float(tf_float_bits(x) & 0x7fffffff); }
TF_INLINE float tf_copysign(float x, float sign) {
  return tf_bits_float((tf_float_bits(x) & 0x7fffffff) | (tf_float_bits(sign) & 0x80000000));
}
TF_INLINE double tf_copysign_double(double x, double sign) { return __builtin_copysign(x, sign); }
TF_INLINE bool tf_isnan(float x) { return tf_bits_nan(tf_float_bits(x)); }
TF_INLINE bool tf_isinf(float x) { return (tf_float_bits(x) & 0x7fffffff) == 0x7f800000; }
TF_INLINE bool tf_isfinite(float x) { return (tf_float_bits(x) & 0x7fffffff) < 0x7f800000; }
TF_INLINE bool tf_signbit(float x) { return tf_float_bits(x) >> 31; }

// The larger one, the other one beside a NaN, +0 over -0.
// Without branches, which data would mispredict.
TF_INLINE float tf_fmax(float a, float b) {
  float same = tf_bits_float(tf_float_bits(a) & tf_float_bits(b)), larger = a > b ? a : b;
  larger = b != b ? a : larger;
  return a == b ? same : larger;
}
TF_INLINE float tf_fmin(float a, float b) {
  float same = tf_bits_float(tf_float_bits(a) | tf_float_bits(b)), smaller = a < b ? a : b;
  smaller = b != b ? a : smaller;
  return a == b ? same : smaller;
}

TF_INLINE float tf_fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
TF_INLINE float tf_sqrt(float x) { return __builtin_sqrtf(x); }
TF_INLINE float tf_rsqrt(float x) { return (float)(1.0 / __builtin_sqrt((double)x)); }
TF_INLINE float tf_floor(float x) { return __builtin_floorf(x); }
TF_INLINE float tf_ceil(float x) { return __builtin_ceilf(x); }
TF_INLINE float tf_trunc(float x) { return __builtin_truncf(x); }
TF_INLINE float tf_rint(float x) { return __builtin_rintf(x); }
// Halves away from zero.
TF_INLINE float tf_round(float x) {
  float whole = tf_trunc(x);
  return tf_fabs(x - whole) >= 0.5f ? tf_copysign(tf_fabs(whole) + 1.0f, x) : tf_copysign(whole, x);
}
TF_INLINE float tf_hypot(float x, float y) {
  if (tf_isinf(x) || tf_isinf(y)) return TF_INFINITY;
  return (float)__builtin_sqrt((double)x * (double)x + (double)y * (double)y);
}

// x * 2^n, rounded once.
TF_INLINE float tf_ldexp(float x, int n) {
  int bounded = n < -600 ? -600 : n > 600 ? 600 : n;
  return (float)((double)x * tf_bits_double((tf_u64)(bounded + 1023) << 52));
}
TF_INLINE float tf_frexp(float x, int* exponent) {
  *exponent = 0;
  if (x == 0 || !tf_isfinite(x)) return x;
  tf_u64 bits = tf_double_bits((double)x);
  *exponent = (int)(bits >> 52 & 2047) - 1022;
  return (float)tf_bits_double((bits & ~(2047ull << 52)) | 1022ull << 52);
}
TF_INLINE float tf_nextafter(float x, float to) {
  if (tf_isnan(x) || tf_isnan(to)) return TF_NAN;
  if (x == to) return to;
  if (x == 0) return tf_bits_float((tf_float_bits(to) & 0x80000000) | 1);
  return tf_bits_float(tf_float_bits(x) + ((x < to) == (x > 0) ? 1 : -1));
}

// The remainder of truncated division, exact: long division of the significands.
static inline float tf_fmod(float x, float y) {
  if (tf_isnan(x) || tf_isnan(y) || tf_isinf(x) || y == 0) return TF_NAN;
  double rest = (double)tf_fabs(x), divisor = (double)tf_fabs(y);
  while (rest >= divisor) {
    int shift = (int)(tf_double_bits(rest) >> 52) - (int)(tf_double_bits(divisor) >> 52);
    double part = divisor * tf_bits_double((tf_u64)(shift + 1023) << 52);
    rest -= part > rest ? part * 0.5 : part;
  }
  return tf_copysign((float)rest, x);
}
static inline float tf_remainder(float x, float y) {
  float rest = tf_fmod(x, y * 2.0f);
  if (tf_isinf(y) && tf_isfinite(x)) return x;
  double r = (double)rest, d = (double)tf_fabs(y);
  if (tf_isinf(y * 2.0f)) r = (double)tf_fabs(x), r = x < 0 ? -r : r;
  double a = r < 0 ? -r : r;
  if (a > d * 0.5 && !(a == d * 0.5)) a -= d;
  if (a > d * 0.5) a -= d;
  float result = (float)(r < 0 ? -a : a);
  return result == 0 ? tf_copysign(0.0f, x) : result;
}

// Conversions that saturate, with 0 for a NaN, as every GPU's do.
template <class I> TF_INLINE I tf_saturate(float x) {
  constexpr bool is_signed = (I)-1 < (I)0;
  constexpr int bits = sizeof(I) * 8 - is_signed;
  constexpr I largest = (I)(~(tf_u64)0 >> (64 - bits)), least = is_signed ? (I)(-largest - 1) : (I)0;
  constexpr float past = (float)(1ull << (bits - 1)) * 2.0f;
  if (x >= past) return largest;
  if (!(x > (is_signed ? -past : -1.0f))) return tf_isnan(x) ? (I)0 : least;
  return (I)x;
}

#endif
