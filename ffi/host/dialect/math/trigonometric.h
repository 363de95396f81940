// Trigonometric functions and their inverses, in double and rounded once; every finite argument is reduced exactly
// enough.
#ifndef TF_MATH_TRIGONOMETRIC_H
#define TF_MATH_TRIGONOMETRIC_H
#include "basic.h"

static constexpr double TF_PI = 0x1.921fb54442d18p1, TF_HALF_PI = 0x1.921fb54442d18p0;
static constexpr double TF_HALF_PI_LOW = 0x1.1a62633145c07p-54;
static constexpr double TF_TWO_OVER_PI = 0x1.45f306dc9c883p-1;
static constexpr double TF_NAN_DOUBLE = __builtin_nan("");

// An angle less a multiple of a right angle: within an eighth of a turn of zero.
struct TfAngle {
  double rest;
  tf_u32 quadrant;
};

// The product with as many bits of 2/pi as the last bit of a large argument reaches; only the fraction of a turn is
// kept.
static inline TfAngle tf_reduce_large(float x) {
  static constexpr tf_u32 BITS[] = { 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab,
    0xdebbc561, 0xb7246e3a };
  tf_u32 bits = tf_float_bits(x), significand = (bits & 0x7fffff) | 0x800000;
  tf_u32 shift = (bits >> 23 & 255) - 150 - 2; // of 2/pi, in quarters of a quarter turn; at least 0 from 2^25 on
  unsigned __int128 window = 0;
  for (tf_u32 i = 0; i < 4; i++) window = window << 32 | BITS[shift / 32 + i];
  if (shift % 32) window = window << shift % 32 | BITS[shift / 32 + 4] >> (32 - shift % 32);
  unsigned __int128 turns = window * significand; // a turn is 2^128
  tf_u32 quadrant = (tf_u32)((turns + ((unsigned __int128)1 << 125)) >> 126);
  __int128 rest = (__int128)(turns - ((unsigned __int128)quadrant << 126));
  double r = ((double)(long long)(rest >> 64) * 0x1p64 + (double)(tf_u64)rest) * 0x1p-126 * TF_HALF_PI;
  return bits >> 31 ? TfAngle{ -r, 0u - quadrant } : TfAngle{ r, quadrant };
}
TF_INLINE TfAngle tf_reduce_angle(float x) {
  if (!tf_isfinite(x)) return { TF_NAN_DOUBLE, 0 };
  if (tf_fabs(x) >= 0x1p25f) return tf_reduce_large(x);
  double n = __builtin_rint((double)x * TF_TWO_OVER_PI);
  double rest = __builtin_fma(-n, TF_HALF_PI_LOW, __builtin_fma(-n, TF_HALF_PI, (double)x));
  return { rest, (tf_u32)(long long)n };
}

TF_INLINE double tf_sin_series(double r) {
  double z = r * r, p = 1.0 / 355687428096000.0;
  p = __builtin_fma(p, z, -1.0 / 1307674368000.0);
  p = __builtin_fma(p, z, 1.0 / 6227020800.0);
  p = __builtin_fma(p, z, -1.0 / 39916800.0);
  p = __builtin_fma(p, z, 1.0 / 362880.0);
  p = __builtin_fma(p, z, -1.0 / 5040.0);
  p = __builtin_fma(p, z, 1.0 / 120.0);
  p = __builtin_fma(p, z, -1.0 / 6.0);
  return __builtin_fma(p * z, r, r);
}
TF_INLINE double tf_cos_series(double r) {
  double z = r * r, p = 1.0 / 20922789888000.0;
  p = __builtin_fma(p, z, -1.0 / 87178291200.0);
  p = __builtin_fma(p, z, 1.0 / 479001600.0);
  p = __builtin_fma(p, z, -1.0 / 3628800.0);
  p = __builtin_fma(p, z, 1.0 / 40320.0);
  p = __builtin_fma(p, z, -1.0 / 720.0);
  p = __builtin_fma(p, z, 1.0 / 24.0);
  p = __builtin_fma(p, z, -0.5);
  return __builtin_fma(p, z, 1.0);
}
TF_INLINE double tf_sin_angle(TfAngle a) {
  double size = a.quadrant & 1 ? tf_cos_series(a.rest) : tf_sin_series(a.rest);
  return a.quadrant & 2 ? -size : size;
}
TF_INLINE double tf_cos_angle(TfAngle a) { return tf_sin_angle({ a.rest, a.quadrant + 1 }); }

TF_INLINE float tf_sin(float x) { return x == 0 ? x : (float)tf_sin_angle(tf_reduce_angle(x)); }
TF_INLINE float tf_cos(float x) { return (float)tf_cos_angle(tf_reduce_angle(x)); }
TF_INLINE float tf_tan(float x) {
  TfAngle a = tf_reduce_angle(x);
  return x == 0 ? x : (float)(tf_sin_angle(a) / tf_cos_angle(a));
}
// Of pi x: the reduction is exact.
TF_INLINE TfAngle tf_reduce_half_turns(float x) {
  if (!tf_isfinite(x)) return { TF_NAN_DOUBLE, 0 };
  double within = (double)tf_fmod(x, 2.0f), n = __builtin_rint(2.0 * within);
  return { (within - 0.5 * n) * TF_PI, (tf_u32)(long long)n };
}
TF_INLINE float tf_sinpi(float x) {
  return tf_trunc(x) == x ? tf_copysign(0.0f, x) : (float)tf_sin_angle(tf_reduce_half_turns(x));
}
TF_INLINE float tf_cospi(float x) { return (float)tf_cos_angle(tf_reduce_half_turns(x)); }

// Two halvings of the angle, then the series: x^2 is below 0.04.
TF_INLINE double tf_atan_unit(double x) {
  x = x / (1.0 + __builtin_sqrt(1.0 + x * x));
  x = x / (1.0 + __builtin_sqrt(1.0 + x * x));
  double z = x * x, p = 1.0 / 25.0;
  p = __builtin_fma(p, z, -1.0 / 23.0);
  p = __builtin_fma(p, z, 1.0 / 21.0);
  p = __builtin_fma(p, z, -1.0 / 19.0);
  p = __builtin_fma(p, z, 1.0 / 17.0);
  p = __builtin_fma(p, z, -1.0 / 15.0);
  p = __builtin_fma(p, z, 1.0 / 13.0);
  p = __builtin_fma(p, z, -1.0 / 11.0);
  p = __builtin_fma(p, z, 1.0 / 9.0);
  p = __builtin_fma(p, z, -1.0 / 7.0);
  p = __builtin_fma(p, z, 1.0 / 5.0);
  p = __builtin_fma(p, z, -1.0 / 3.0);
  return 4.0 * __builtin_fma(p * z, x, x);
}
TF_INLINE double tf_atan_double(double x) {
  double a = x < 0 ? -x : x;
  double angle = a > 1.0 ? TF_HALF_PI - tf_atan_unit(1.0 / a) : tf_atan_unit(a);
  return tf_copysign_double(angle, x);
}
TF_INLINE float tf_atan(float x) { return (float)tf_atan_double((double)x); }
TF_INLINE float tf_asin(float x) {
  double d = (double)x;
  return (float)tf_atan_double(d / __builtin_sqrt((1.0 - d) * (1.0 + d)));
}
TF_INLINE float tf_acos(float x) {
  double d = (double)x;
  return (float)(2.0 * tf_atan_double(__builtin_sqrt((1.0 - d) / (1.0 + d))));
}
static inline float tf_atan2(float y, float x) {
  if (tf_isnan(x) || tf_isnan(y)) return TF_NAN;
  double a = (double)tf_fabs(y), b = (double)tf_fabs(x), angle;
  if (tf_isinf(x) && tf_isinf(y)) angle = TF_HALF_PI * 0.5;
  else if (a == 0) angle = 0.0;
  else angle = tf_atan_double(a / b);
  if (tf_signbit(x)) angle = TF_PI - angle;
  return tf_copysign((float)angle, y);
}

#endif
