// __half, __nv_bfloat16 and their pairs.
#ifndef TF_CUDA_HALF_H
#define TF_CUDA_HALF_H
#include "../math.h"
#include "vector.h"

typedef tf_f16 __half;
typedef tf_f16 half;
typedef tf_bf16 __nv_bfloat16;
typedef tf_bf16 nv_bfloat16;

template <class T> struct __attribute__((aligned(4))) TfPair16 {
  T x, y;
  TF_CHECKED_MEMBER
  TfPair16() = default;
  TF_MEMBER TfPair16(T x, T y) : x(x), y(y) {}
#define TF_PAIR(op)                                                                                                   \
  friend TF_MEMBER TfPair16 operator op(TfPair16 a, TfPair16 b) { return { a.x op b.x, a.y op b.y }; }                \
  TF_MEMBER TfPair16& operator op##=(TfPair16 b) { return *this = *this op b; }
  TF_PAIR(+)
  TF_PAIR(-)
  TF_PAIR(*)
  TF_PAIR(/)
#undef TF_PAIR
  TF_MEMBER TfPair16 operator-() const { return { -x, -y }; }
};
typedef TfPair16<__half> __half2;
typedef __half2 half2;
typedef TfPair16<__nv_bfloat16> __nv_bfloat162;
typedef __nv_bfloat162 nv_bfloat162;

TF_INLINE float __half2float(__half v) { return (float)v; }
TF_INLINE __half __float2half(float v) { return __half(v); }
TF_INLINE __half __float2half_rn(float v) { return __half(v); }
TF_INLINE __half __double2half(double v) { return __half(v); }
TF_INLINE __half __int2half_rn(int v) { return __half(v); }
TF_INLINE __half __ushort_as_half(unsigned short v) { return __half::raw(v); }
TF_INLINE __half __short_as_half(short v) { return __half::raw((tf_u16)v); }
TF_INLINE unsigned short __half_as_ushort(__half v) { return v.bits; }
TF_INLINE short __half_as_short(__half v) { return (short)v.bits; }
TF_INLINE __half2 __halves2half2(__half a, __half b) { return { a, b }; }
TF_INLINE __half2 make_half2(__half a, __half b) { return { a, b }; }
TF_INLINE __half2 __half2half2(__half v) { return { v, v }; }
TF_INLINE __half2 __float2half2_rn(float v) { return { __half(v), __half(v) }; }
TF_INLINE __half2 __floats2half2_rn(float a, float b) { return { __half(a), __half(b) }; }
TF_INLINE __half2 __float22half2_rn(float2 v) { return { __half(v.x), __half(v.y) }; }
TF_INLINE float2 __half22float2(__half2 v) { return { (float)v.x, (float)v.y }; }
TF_INLINE float __low2float(__half2 v) { return (float)v.x; }
TF_INLINE float __high2float(__half2 v) { return (float)v.y; }
TF_INLINE __half __low2half(__half2 v) { return v.x; }
TF_INLINE __half __high2half(__half2 v) { return v.y; }

TF_INLINE float __bfloat162float(__nv_bfloat16 v) { return (float)v; }
TF_INLINE __nv_bfloat16 __float2bfloat16(float v) { return __nv_bfloat16(v); }
TF_INLINE __nv_bfloat16 __float2bfloat16_rn(float v) { return __nv_bfloat16(v); }
TF_INLINE __nv_bfloat16 __double2bfloat16(double v) { return __nv_bfloat16(v); }
TF_INLINE __nv_bfloat16 __ushort_as_bfloat16(unsigned short v) { return __nv_bfloat16::raw(v); }
TF_INLINE __nv_bfloat16 __short_as_bfloat16(short v) { return __nv_bfloat16::raw((tf_u16)v); }
TF_INLINE unsigned short __bfloat16_as_ushort(__nv_bfloat16 v) { return v.bits; }
TF_INLINE short __bfloat16_as_short(__nv_bfloat16 v) { return (short)v.bits; }
TF_INLINE __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return { a, b }; }
TF_INLINE __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return { a, b }; }
TF_INLINE __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 v) { return { v, v }; }
TF_INLINE __nv_bfloat162 __float2bfloat162_rn(float v) { return { __nv_bfloat16(v), __nv_bfloat16(v) }; }
TF_INLINE __nv_bfloat162 __floats2bfloat162_rn(float a, float b) { return { __nv_bfloat16(a), __nv_bfloat16(b) }; }
TF_INLINE __nv_bfloat162 __float22bfloat162_rn(float2 v) { return { __nv_bfloat16(v.x), __nv_bfloat16(v.y) }; }
TF_INLINE float2 __bfloat1622float2(__nv_bfloat162 v) { return { (float)v.x, (float)v.y }; }
TF_INLINE float __low2float(__nv_bfloat162 v) { return (float)v.x; }
TF_INLINE float __high2float(__nv_bfloat162 v) { return (float)v.y; }
TF_INLINE __nv_bfloat16 __low2bfloat16(__nv_bfloat162 v) { return v.x; }
TF_INLINE __nv_bfloat16 __high2bfloat16(__nv_bfloat162 v) { return v.y; }

// The same operations for both types, one value or two: `f` is one value's expression.
#define TF_HALF1(name, f)                                                                                             \
  template <class C> TF_INLINE TfFloat16<C> name(TfFloat16<C> a) { return f; }                                        \
  template <class T> TF_INLINE TfPair16<T> name##2(TfPair16<T> v) { return { name(v.x), name(v.y) }; }
// hexp of one value, h2exp of two.
#define TF_HALF_MATH(name, f)                                                                                         \
  template <class C> TF_INLINE TfFloat16<C> h##name(TfFloat16<C> a) { return f; }                                     \
  template <class T> TF_INLINE TfPair16<T> h2##name(TfPair16<T> v) { return { h##name(v.x), h##name(v.y) }; }
#define TF_HALF2(name, f)                                                                                             \
  template <class C> TF_INLINE TfFloat16<C> name(TfFloat16<C> a, TfFloat16<C> b) { return f; }                        \
  template <class T> TF_INLINE TfPair16<T> name##2(TfPair16<T> a, TfPair16<T> b) {                                    \
    return { name(a.x, b.x), name(a.y, b.y) };                                                                        \
  }
TF_HALF2(__hadd, a + b)
TF_HALF2(__hsub, a - b)
TF_HALF2(__hmul, a * b)
TF_HALF2(__hadd_rn, a + b)
TF_HALF2(__hmul_rn, a * b)
TF_HALF2(__hdiv, a / b)
TF_HALF2(__hmax, TfFloat16<C>(tf_fmax((float)a, (float)b)))
TF_HALF2(__hmin, TfFloat16<C>(tf_fmin((float)a, (float)b)))
TF_HALF1(__hneg, -a)
TF_HALF1(__habs, TfFloat16<C>::raw(a.bits & 0x7fff))
TF_HALF_MATH(sqrt, TfFloat16<C>(tf_sqrt((float)a)))
TF_HALF_MATH(rsqrt, TfFloat16<C>(1.0 / __builtin_sqrt((double)(float)a)))
TF_HALF_MATH(rcp, TfFloat16<C>(1.0 / (double)(float)a))
TF_HALF_MATH(exp, TfFloat16<C>(tf_exp_double((double)(float)a)))
TF_HALF_MATH(exp2, TfFloat16<C>(tf_exp2_double((double)(float)a)))
TF_HALF_MATH(log, TfFloat16<C>(tf_log_double((double)(float)a)))
TF_HALF_MATH(log2, TfFloat16<C>(tf_log2_double((double)(float)a)))
TF_HALF_MATH(floor, TfFloat16<C>(tf_floor((float)a)))
TF_HALF_MATH(ceil, TfFloat16<C>(tf_ceil((float)a)))
TF_HALF_MATH(rint, TfFloat16<C>(tf_rint((float)a)))
TF_HALF_MATH(trunc, TfFloat16<C>(tf_trunc((float)a)))
#undef TF_HALF1
#undef TF_HALF2
#undef TF_HALF_MATH

template <class C> TF_INLINE TfFloat16<C> __hfma(TfFloat16<C> a, TfFloat16<C> b, TfFloat16<C> c) {
  return tf_fma16(a, b, c);
}
template <class T> TF_INLINE TfPair16<T> __hfma2(TfPair16<T> a, TfPair16<T> b, TfPair16<T> c) {
  return { __hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y) };
}
// A NaN beside a number gives a NaN.
template <class C> TF_INLINE TfFloat16<C> __hmax_nan(TfFloat16<C> a, TfFloat16<C> b) {
  return tf_isnan((float)a) || tf_isnan((float)b) ? TfFloat16<C>::raw(TF_NAN16) : __hmax(a, b);
}
template <class C> TF_INLINE TfFloat16<C> __hmin_nan(TfFloat16<C> a, TfFloat16<C> b) {
  return tf_isnan((float)a) || tf_isnan((float)b) ? TfFloat16<C>::raw(TF_NAN16) : __hmin(a, b);
}
template <class C> TF_INLINE bool __hisnan(TfFloat16<C> a) { return tf_isnan((float)a); }
template <class C> TF_INLINE int __hisinf(TfFloat16<C> a) {
  return tf_isinf((float)a) ? (tf_signbit((float)a) ? -1 : 1) : 0;
}
#define TF_HALF_COMPARE(name, op)                                                                                     \
  template <class C> TF_INLINE bool name(TfFloat16<C> a, TfFloat16<C> b) { return a op b; }
TF_HALF_COMPARE(__heq, ==)
TF_HALF_COMPARE(__hne, !=)
TF_HALF_COMPARE(__hlt, <)
TF_HALF_COMPARE(__hle, <=)
TF_HALF_COMPARE(__hgt, >)
TF_HALF_COMPARE(__hge, >=)
#undef TF_HALF_COMPARE

#endif
