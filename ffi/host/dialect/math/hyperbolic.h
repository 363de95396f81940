// Hyperbolic functions and their inverses, as math/exponential.h computes.
#ifndef TF_MATH_HYPERBOLIC_H
#define TF_MATH_HYPERBOLIC_H
#include "exponential.h"

TF_INLINE float tf_tanh(float x) {
  double e = tf_expm1_double(2.0 * tf_clamp_exponent((double)x, 20.0));
  return tf_copysign((float)(e / (e + 2.0)), x);
}
TF_INLINE float tf_sinh(float x) {
  double e = tf_expm1_double((double)tf_fabs(x));
  return tf_copysign((float)(0.5 * (e + e / (e + 1.0))), x);
}
TF_INLINE float tf_cosh(float x) {
  double e = tf_exp_double((double)tf_fabs(x));
  return (float)(0.5 * (e + 1.0 / e));
}
TF_INLINE float tf_asinh(float x) {
  double a = (double)tf_fabs(x);
  if (tf_isinf(x)) return x;
  return tf_copysign((float)tf_log1p_double(a + a * (a / (1.0 + __builtin_sqrt(a * a + 1.0)))), x);
}
TF_INLINE float tf_acosh(float x) {
  double t = (double)x - 1.0;
  return x < 1 ? TF_NAN : (float)tf_log1p_double(t + __builtin_sqrt(t * (2.0 + t)));
}
TF_INLINE float tf_atanh(float x) {
  double a = (double)tf_fabs(x);
  return tf_copysign((float)(0.5 * tf_log1p_double(2.0 * a / (1.0 - a))), x);
}

#endif
