// The error function, in double and rounded once.
#ifndef TF_MATH_ERROR_H
#define TF_MATH_ERROR_H
#include "exponential.h"

static constexpr double TF_TWO_OVER_ROOT_PI = 0x1.20dd750429b6dp0;

// For 0 <= x <= 4: 2/sqrt(pi) e^(-x^2) sum of 2^k x^(2k+1) / (2k+1)!!, all of whose terms are positive.
static inline double tf_erf_series(double x) {
  double term = x, sum = x;
  for (int k = 1; term > sum * 0x1p-56; k++) {
    term *= 2.0 * x * x / (double)(2 * k + 1);
    sum += term;
  }
  return TF_TWO_OVER_ROOT_PI * tf_exp_double(-x * x) * sum;
}
// For x >= 2: e^(-x^2) / (x sqrt(pi)) by the continued fraction, from the inside out.
static inline double tf_erfc_fraction(double x) {
  double f = x;
  for (int k = 60; k > 0; k--) f = x + 0.5 * (double)k / f;
  return 0.5 * TF_TWO_OVER_ROOT_PI * tf_exp_double(-x * x) / f;
}

static inline float tf_erf(float x) {
  double a = (double)tf_fabs(x);
  if (tf_isnan(x)) return x;
  return tf_copysign(a > 4.0 ? 1.0f : (float)tf_erf_series(a), x);
}
static inline float tf_erfc(float x) {
  double a = (double)tf_fabs(x);
  if (tf_isnan(x)) return x;
  double tail = a < 2.0 ? 1.0 - tf_erf_series(a) : a > 12.0 ? 0.0 : tf_erfc_fraction(a);
  return (float)(x < 0 ? 2.0 - tail : tail);
}

#endif
