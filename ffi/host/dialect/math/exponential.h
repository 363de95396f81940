// Exponentials and logarithms of fp32: computed in double to about 2^-51 and rounded once, so that the result is the
// correctly rounded one but for about one argument in 2^26, and the same bits on every host.
#ifndef TF_MATH_EXPONENTIAL_H
#define TF_MATH_EXPONENTIAL_H
#include "basic.h"

static constexpr double TF_LOG2E = 0x1.71547652b82fep0, TF_LN2 = 0x1.62e42fefa39efp-1;
static constexpr double TF_LN2_LOW = 0x1.abc9e3b39803fp-56;
static constexpr double TF_LOG2_10 = 0x1.a934f0979a371p1, TF_LOG10_2 = 0x1.34413509f79ffp-2;
static constexpr double TF_LOG10_E = 0x1.bcb7b1526e50ep-2;

// e^t - 1 for |t| <= ln(2) / 2, by its series: the first term left out is below 2^-57 of the result. T: one or four.
template <class T> TF_INLINE T tf_expm1_series(T t) {
  constexpr double TERMS[] = { 1.0 / 479001600.0, 1.0 / 39916800.0, 1.0 / 3628800.0, 1.0 / 362880.0, 1.0 / 40320.0,
    1.0 / 5040.0, 1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5 };
  T p = tf_all<T>(1.0 / 6227020800.0);
  for (double term : TERMS) p = tf_fma_each(p, t, tf_all<T>(term));
  return tf_fma_each(p * t, t, t);
}

// x = n ln 2 + t, with 2^n beside it. |x| <= 700; a NaN stays one in t.
template <class T> struct TfExpParts {
  T t, scale;
};
TF_INLINE double tf_power_of_two(double shifted) { return tf_bits_double((tf_double_bits(shifted) + 1023) << 52); }
TF_INLINE TfDouble4 tf_power_of_two(TfDouble4 shifted) {
  return __builtin_bit_cast(TfDouble4, (__builtin_bit_cast(TfLong4, shifted) + 1023) << 52);
}
template <class T> TF_INLINE TfExpParts<T> tf_exp_reduce(T x) {
  constexpr double SHIFT = 0x1.8p52; // adding it leaves n in the low bits
  T shifted = tf_fma_each(x, tf_all<T>(TF_LOG2E), tf_all<T>(SHIFT)), n = shifted - SHIFT;
  T t = tf_fma_each(-n, tf_all<T>(TF_LN2_LOW), tf_fma_each(-n, tf_all<T>(TF_LN2), x));
  return { t, tf_power_of_two(shifted) };
}
template <class T> TF_INLINE T tf_clamp_exponent(T x, double most) {
  T high = tf_all<T>(most), low = tf_all<T>(-most);
  return x > high ? high : x < low ? low : x;
}

template <class T> TF_INLINE T tf_exp_each(T x) {
  TfExpParts<T> e = tf_exp_reduce(tf_clamp_exponent(x, 700.0));
  return tf_fma_each(tf_expm1_series(e.t), e.scale, e.scale);
}
TF_INLINE double tf_exp_double(double x) { return tf_exp_each(x); }
TF_INLINE double tf_expm1_double(double x) {
  TfExpParts<double> e = tf_exp_reduce(tf_clamp_exponent(x, 700.0));
  return __builtin_fma(tf_expm1_series(e.t), e.scale, e.scale - 1.0);
}
TF_INLINE double tf_exp2_double(double x) {
  constexpr double SHIFT = 0x1.8p52;
  double bounded = tf_clamp_exponent(x, 1000.0), shifted = bounded + SHIFT;
  double scale = tf_bits_double((tf_double_bits(shifted) + 1023) << 52);
  return __builtin_fma(tf_expm1_series((bounded - (shifted - SHIFT)) * TF_LN2), scale, scale);
}

TF_EACH(exp, tf_exp_each)
TF_INLINE float tf_exp(float x) { return tf_each_exp(x); }
TF_INLINE float tf_exp2(float x) { return (float)tf_exp2_double((double)x); }
TF_INLINE float tf_exp10(float x) { return (float)tf_exp2_double((double)x * TF_LOG2_10); }
TF_INLINE float tf_expm1(float x) { return tf_copysign((float)tf_expm1_double((double)x), x); }

// 2 atanh(s) = log((1 + s) / (1 - s)) for |s| <= 0.1716.
TF_INLINE double tf_atanh_series(double s) {
  double z = s * s, p = 1.0 / 23.0;
  p = __builtin_fma(p, z, 1.0 / 21.0);
  p = __builtin_fma(p, z, 1.0 / 19.0);
  p = __builtin_fma(p, z, 1.0 / 17.0);
  p = __builtin_fma(p, z, 1.0 / 15.0);
  p = __builtin_fma(p, z, 1.0 / 13.0);
  p = __builtin_fma(p, z, 1.0 / 11.0);
  p = __builtin_fma(p, z, 1.0 / 9.0);
  p = __builtin_fma(p, z, 1.0 / 7.0);
  p = __builtin_fma(p, z, 1.0 / 5.0);
  p = __builtin_fma(p, z, 1.0 / 3.0);
  return 2.0 * __builtin_fma(p * z, s, s);
}

// x = 2^e m with m between the root of one half and the root of two. For a normal positive x.
struct TfLogParts {
  double e, log_m;
};
TF_INLINE TfLogParts tf_log_reduce(double x) {
  tf_u64 bits = tf_double_bits(x) + (0x3ff0000000000000ull - 0x3fe6a09e667f3bcdull);
  double e = (double)((int)(bits >> 52) - 1023);
  double m = tf_bits_double((bits & 0xfffffffffffffull) + 0x3fe6a09e667f3bcdull);
  return { e, tf_atanh_series((m - 1.0) / (m + 1.0)) };
}
// What a logarithm gives where there is nothing to compute; `value` elsewhere.
TF_INLINE double tf_log_domain(double x, double value) {
  if (x > 0 && x < (double)TF_INFINITY) return value;
  return x == 0 ? -(double)TF_INFINITY : x > 0 ? x : (double)TF_NAN;
}
TF_INLINE double tf_log_double(double x) {
  TfLogParts l = tf_log_reduce(x);
  return tf_log_domain(x, __builtin_fma(l.e, TF_LN2, __builtin_fma(l.e, TF_LN2_LOW, l.log_m)));
}
TF_INLINE double tf_log2_double(double x) {
  TfLogParts l = tf_log_reduce(x);
  return tf_log_domain(x, __builtin_fma(l.log_m, TF_LOG2E, l.e));
}
TF_INLINE double tf_log1p_double(double x) {
  double near = tf_atanh_series(x / (2.0 + x)), far = tf_log_double(1.0 + x);
  return x > -0.25 && x < 0.25 ? near : far;
}

TF_INLINE float tf_log(float x) { return (float)tf_log_double((double)x); }
TF_INLINE float tf_log2(float x) { return (float)tf_log2_double((double)x); }
TF_INLINE float tf_log10(float x) {
  TfLogParts l = tf_log_reduce((double)x);
  return (float)tf_log_domain((double)x, __builtin_fma(l.log_m, TF_LOG10_E, l.e * TF_LOG10_2));
}
TF_INLINE float tf_log1p(float x) { return (float)tf_log1p_double((double)x); }

// Squares and roots exactly; else through the logarithm, to about 2^-44 before the rounding.
static inline float tf_pow(float x, float y) {
  if (y == 0 || x == 1) return 1.0f;
  if (tf_isnan(x) || tf_isnan(y)) return TF_NAN;
  float a = tf_fabs(x);
  bool whole = tf_trunc(y) == y, odd = whole && (tf_fabs(y) < 0x1p24f) && ((long long)y & 1);
  if (tf_isinf(y)) return a == 1 ? 1.0f : (a > 1) == (y > 0) ? TF_INFINITY : 0.0f;
  if (x < 0 && !whole && !tf_isinf(x)) return TF_NAN;
  double size = y == 2 ? (double)a * (double)a : y == 0.5f ? __builtin_sqrt((double)a)
    : a == 0 ? (y > 0 ? 0.0 : (double)TF_INFINITY) : tf_isinf(a) ? (y > 0 ? (double)TF_INFINITY : 0.0)
    : tf_exp2_double((double)y * tf_log2_double((double)a));
  return odd && tf_signbit(x) ? -(float)size : (float)size;
}
static inline float tf_cbrt(float x) {
  if (x == 0 || !tf_isfinite(x)) return x;
  double a = (double)tf_fabs(x), r = tf_exp2_double(tf_log2_double(a) * (1.0 / 3.0));
  r -= (r * r * r - a) / (3.0 * r * r);
  return tf_copysign((float)r, x);
}

#endif
