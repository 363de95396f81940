// The little of the standard library that kernels use: limits, type traits, min and max, assert.
#ifndef TF_CUDA_STD_H
#define TF_CUDA_STD_H
#include "math.h"

namespace std {
template <class T> struct numeric_limits;
template <> struct numeric_limits<float> {
  static constexpr float infinity() { return __builtin_inff(); }
  static constexpr float quiet_NaN() { return __builtin_nanf(""); }
  static constexpr float max() { return __FLT_MAX__; }
  static constexpr float lowest() { return -__FLT_MAX__; }
  static constexpr float min() { return __FLT_MIN__; }
  static constexpr float epsilon() { return __FLT_EPSILON__; }
  static constexpr float denorm_min() { return __FLT_DENORM_MIN__; }
};
template <> struct numeric_limits<double> {
  static constexpr double infinity() { return __builtin_inf(); }
  static constexpr double quiet_NaN() { return __builtin_nan(""); }
  static constexpr double max() { return __DBL_MAX__; }
  static constexpr double lowest() { return -__DBL_MAX__; }
  static constexpr double min() { return __DBL_MIN__; }
  static constexpr double epsilon() { return __DBL_EPSILON__; }
};
#define TF_LIMITS(T)                                                                                                  \
  template <> struct numeric_limits<T> {                                                                              \
    static constexpr bool is_signed = (T)-1 < (T)0;                                                                   \
    static constexpr T max() { return (T)(~0ull >> (64 - 8 * sizeof(T) + is_signed)); }                               \
    static constexpr T min() { return is_signed ? (T)(-max() - 1) : (T)0; }                                           \
    static constexpr T lowest() { return min(); }                                                                     \
  };
TF_LIMITS(signed char) TF_LIMITS(unsigned char) TF_LIMITS(short) TF_LIMITS(unsigned short)
TF_LIMITS(int) TF_LIMITS(unsigned) TF_LIMITS(long) TF_LIMITS(unsigned long) TF_LIMITS(long long)
TF_LIMITS(unsigned long long)
#undef TF_LIMITS

template <class T, T V> struct integral_constant {
  static constexpr T value = V;
  constexpr operator T() const { return V; }
};
typedef integral_constant<bool, true> true_type;
typedef integral_constant<bool, false> false_type;
template <class A, class B> struct is_same : integral_constant<bool, __is_same(A, B)> {};
template <class A, class B> constexpr bool is_same_v = __is_same(A, B);
template <bool C, class T = void> struct enable_if {};
template <class T> struct enable_if<true, T> { typedef T type; };
template <bool C, class T = void> using enable_if_t = typename enable_if<C, T>::type;
template <bool C, class A, class B> struct conditional { typedef A type; };
template <class A, class B> struct conditional<false, A, B> { typedef B type; };
template <bool C, class A, class B> using conditional_t = typename conditional<C, A, B>::type;
template <class T> struct is_integral : integral_constant<bool, __is_integral(T)> {};
template <class T> constexpr bool is_integral_v = __is_integral(T);
template <class T> struct is_floating_point : integral_constant<bool, __is_floating_point(T)> {};
template <class T> constexpr bool is_floating_point_v = __is_floating_point(T);
template <class T> constexpr const T& min(const T& a, const T& b) { return b < a ? b : a; }
template <class T> constexpr const T& max(const T& a, const T& b) { return a < b ? b : a; }
using ::size_t;
using ::int8_t; using ::int16_t; using ::int32_t; using ::int64_t;
using ::uint8_t; using ::uint16_t; using ::uint32_t; using ::uint64_t;
using ::exp; using ::exp2; using ::log; using ::log2; using ::sqrt; using ::tanh; using ::sin; using ::cos; using ::pow;
using ::abs; using ::fabs; using ::floor; using ::ceil; using ::fma; using ::fmax; using ::fmin;
using ::isnan; using ::isinf; using ::isfinite; using ::round; using ::trunc; using ::rint;
} // namespace std
namespace cuda { namespace std { using namespace ::std; } }

#define assert(condition) ((condition) ? (void)0 : tf_fault("assertion failed: " #condition, tf_here()))

#endif
