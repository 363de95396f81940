// metal_math, metal_common, metal_geometric. metal::, precise:: and fast:: are one set of functions, correctly rounded
// but in images of the kind `ulps` (ulps.h). Functions of half and bfloat compute in fp32 and
// round once more; fma is exact in every type.
#ifndef TF_METAL_MATH_H
#define TF_METAL_MATH_H
#include "make.h"

namespace tf_metal {

// f over fp32, of components of any floating type, rounded to the arguments' own; integers are taken as fp32.
template <class T> struct Rounded { typedef float type; };
template <> struct Rounded<half> { typedef half type; };
template <> struct Rounded<bfloat> { typedef bfloat type; };
template <class F, class... A> TF_INLINE auto map_float(F f, A... a) {
  typedef typename Rounded<typename TfVector<typename Common<A...>::type>::Element>::type E;
  return map([f](auto... v) __attribute__((always_inline)) { return convert<E>(f((float)v...)); }, a...);
}

template <class T> TF_INLINE T fma_of(T a, T b, T c) {
  if constexpr (is_narrow<T>) return convert<T>(tf_fma16_odd((float)a, (float)b, (float)c));
  else return tf_fma((float)a, (float)b, (float)c);
}
template <class T> TF_INLINE T quotient(T a, T b) { return a / b; }
template <class T> TF_INLINE T larger(T a, T b) {
  if constexpr (is_float<T>) return convert<T>(tf_fmax((float)a, (float)b));
  else return a < b ? b : a;
}
template <class T> TF_INLINE T smaller(T a, T b) {
  if constexpr (is_float<T>) return convert<T>(tf_fmin((float)a, (float)b));
  else return b < a ? b : a;
}
template <class T> TF_INLINE T size_of(T a) {
  if constexpr (is_float<T>) return convert<T>(tf_fabs((float)a));
  else if constexpr (__is_unsigned(T)) return a;
  else return a < 0 ? (T)(0 - (__make_unsigned(T))a) : a;
}

// A function of fp32 results alone: those of other types are not moved.
template <class T, class F> TF_INLINE T loose(T exact, F moved) {
  if constexpr (__is_same(T, float)) return moved(exact);
  else return exact;
}

TF_INLINE float fract_of(float x) {
  if (tf_isnan(x)) return x;
  return tf_isinf(x) ? 0.0f : tf_fmin(x - tf_floor(x), 0x1.fffffep-1f);
}
TF_INLINE float sign_of(float x) { return x > 0 ? 1.0f : x < 0 ? -1.0f : tf_isnan(x) ? 0.0f : x; }
TF_INLINE float difference(float x, float y) { return x > y ? x - y : tf_isnan(x) || tf_isnan(y) ? TF_NAN : 0.0f; }
TF_INLINE float tanpi_of(float x) { return tf_sinpi(x) / tf_cospi(x); }
TF_INLINE float median(float a, float b, float c) { return tf_fmax(tf_fmin(a, b), tf_fmin(tf_fmax(a, b), c)); }
TF_INLINE float steps(float low, float high, float x) {
  float t = tf_fmin(tf_fmax((x - low) / (high - low), 0.0f), 1.0f);
  return t * t * (3.0f - 2.0f * t);
}

} // namespace tf_metal

#define TF_MAP1(name, how, f)                                                                                          \
  template <class T> TF_INLINE auto name(T x) {                                                                        \
    return tf_metal::how([](auto v) __attribute__((always_inline)) { return f(v); }, x);                               \
  }
#define TF_MAP2(name, how, f)                                                                                          \
  template <class A, class B> TF_INLINE auto name(A x, B y) {                                                          \
    return tf_metal::how([](auto v, auto w) __attribute__((always_inline)) { return f(v, w); }, x, y);                 \
  }
#define TF_MAP3(name, how, f)                                                                                          \
  template <class A, class B, class C> TF_INLINE auto name(A x, B y, C z) {                                            \
    return tf_metal::how([](auto u, auto v, auto w) __attribute__((always_inline)) { return f(u, v, w); }, x, y, z);   \
  }
#define TF_FLOAT1(name) TF_MAP1(name, map_float, tf_##name)
#define TF_FLOAT2(name) TF_MAP2(name, map_float, tf_##name)
// Those whose error the table of libraries states, under the name of the namespace that TF_FAMILY is.
#define TF_MAP1_OF(family, name, f) TF_MAP1_LOOSE(family, name, f)
#define TF_MAP1_LOOSE(family, name, f)                                                                                 \
  template <class T> TF_INLINE auto name(T x) {                                                                        \
    return tf_metal::map_float(                                                                                        \
      [](float v) __attribute__((always_inline)) { return TF_LOOSE(family##name, f(v), v); }, x);                      \
  }
#define TF_MAP2_OF(family, name, how, f) TF_MAP2_LOOSE(family, name, how, f)
#define TF_MAP2_LOOSE(family, name, how, f)                                                                            \
  template <class A, class B> TF_INLINE auto name(A x, B y) {                                                          \
    return tf_metal::how(                                                                                              \
      [](auto v, auto w) __attribute__((always_inline)) { return tf_metal::loose(                                      \
        f(v, w), [=](float exact) __attribute__((always_inline)) {                                                     \
          return TF_LOOSE(family##name, exact, (float)v, (float)w); }); }, x, y);                                      \
  }
#define TF_LOOSE1(name) TF_MAP1_OF(TF_FAMILY, name, tf_##name)
#define TF_LOOSE2(name, f) TF_MAP2_OF(TF_FAMILY, name, map_float, f)

// Those that precise:: and fast:: have too.
#define TF_METAL_MATH                                                                                                  \
  TF_LOOSE1(exp) TF_LOOSE1(exp2) TF_LOOSE1(exp10) TF_LOOSE1(log) TF_LOOSE1(log2) TF_LOOSE1(log10)                      \
  TF_LOOSE1(sin) TF_LOOSE1(cos) TF_LOOSE1(tan)                                                                         \
  TF_LOOSE1(sinpi) TF_LOOSE1(cospi) TF_MAP1_OF(TF_FAMILY, tanpi, tf_metal::tanpi_of)                                   \
  TF_LOOSE1(asin) TF_LOOSE1(acos) TF_LOOSE1(atan) TF_LOOSE2(atan2, tf_atan2)                                           \
  TF_LOOSE1(sinh) TF_LOOSE1(cosh) TF_LOOSE1(tanh) TF_LOOSE1(asinh) TF_LOOSE1(acosh) TF_LOOSE1(atanh)                   \
  TF_LOOSE2(pow, tf_pow) TF_LOOSE2(powr, tf_pow) TF_LOOSE1(sqrt) TF_LOOSE1(rsqrt)                                      \
  TF_FLOAT1(floor) TF_FLOAT1(ceil) TF_FLOAT1(trunc) TF_FLOAT1(round) TF_FLOAT1(rint)                                   \
  TF_FLOAT2(fmax) TF_FLOAT2(fmin) TF_FLOAT2(fmod) TF_FLOAT1(fabs) TF_MAP1(fract, map_float, tf_metal::fract_of)        \
  TF_MAP2(fdim, map_float, tf_metal::difference) TF_MAP2_OF(TF_FAMILY, divide, map, tf_metal::quotient)                \
  TF_MAP3(fma, map, tf_metal::fma_of) TF_MAP3(fmedian3, map_float, tf_metal::median)                                   \
  template <class A, class B, class C> TF_INLINE auto fmax3(A a, B b, C c) { return fmax(fmax(a, b), c); }             \
  template <class A, class B, class C> TF_INLINE auto fmin3(A a, B b, C c) { return fmin(fmin(a, b), c); }             \
  template <class T> TF_INLINE T sincos(T x, T& cosine) {                                                              \
    cosine = cos(x);                                                                                                   \
    return sin(x);                                                                                                     \
  }

namespace metal {
#define TF_FAMILY
TF_METAL_MATH
#undef TF_FAMILY
namespace precise {
#define TF_FAMILY precise_
TF_METAL_MATH
#undef TF_FAMILY
}
namespace fast {
#define TF_FAMILY fast_
TF_METAL_MATH
#undef TF_FAMILY
}

TF_FLOAT2(copysign)
TF_FLOAT2(nextafter)
TF_MAP1(abs, map, tf_metal::size_of)
TF_MAP2(max, map, tf_metal::larger)
TF_MAP2(min, map, tf_metal::smaller)
TF_MAP1(sign, map_float, tf_metal::sign_of)
TF_MAP3(smoothstep, map_float, tf_metal::steps)
template <class A, class B, class C> TF_INLINE auto max3(A a, B b, C c) { return max(max(a, b), c); }
template <class A, class B, class C> TF_INLINE auto min3(A a, B b, C c) { return min(min(a, b), c); }
template <class A, class B, class C> TF_INLINE auto median3(A a, B b, C c) { return max(min(a, b), min(max(a, b), c)); }
template <class T, class A, class B> TF_INLINE auto clamp(T x, A least, B most) { return min(max(x, least), most); }
template <class T> TF_INLINE T saturate(T x) { return clamp(x, tf_metal::make<T>(0), tf_metal::make<T>(1)); }
template <class A, class B, class C> TF_INLINE auto mix(A x, B y, C a) { return x + (y - x) * a; }
template <class A, class T> TF_INLINE T step(A edge, T x) {
  typedef typename TfVector<T>::Element E;
  return tf_metal::map([](E e, E v) __attribute__((always_inline)) { return v < e ? (E)0 : (E)1; }, edge, x);
}

template <class T, class I> TF_INLINE T ldexp(T x, I n) {
  T r;
  if constexpr (TfVector<T>::size == 1) r = tf_metal::convert<T>(tf_ldexp((float)x, (int)n));
  else
    for (int i = 0; i < TfVector<T>::size; i++) r[i] = ldexp(x[i], tf_metal::component(n, i));
  return r;
}
template <class T> TF_INLINE T frexp(T x, int& n) { return tf_metal::convert<T>(tf_frexp((float)x, &n)); }
template <class T> TF_INLINE T modf(T x, T& whole) {
  whole = trunc(x);
  return copysign(x == whole ? T(0) : T(x - whole), x);
}

template <class T> TF_INLINE auto dot(T a, T b) {
  typename TfVector<T>::Element sum = a[0] * b[0];
  for (int i = 1; i < TfVector<T>::size; i++) sum = sum + a[i] * b[i];
  return sum;
}
template <class T> TF_INLINE auto length_squared(T a) { return dot(a, a); }
template <class T> TF_INLINE auto length(T a) { return sqrt(dot(a, a)); }
template <class T> TF_INLINE auto distance(T a, T b) { return length(a - b); }
template <class T> TF_INLINE T normalize(T a) { return a * rsqrt(dot(a, a)); }
template <class T> TF_INLINE T cross(T a, T b) { return a.yzx * b.zxy - a.zxy * b.yzx; }

} // namespace metal

#undef TF_METAL_MATH
#undef TF_LOOSE1
#undef TF_LOOSE2
#undef TF_FLOAT1
#undef TF_FLOAT2

#endif
