// metal_integer and metal_relational.
#ifndef TF_METAL_INTEGER_H
#define TF_METAL_INTEGER_H
#include "math.h"

namespace tf_metal {

template <class T> using Unsigned = __make_unsigned(T);
template <class T> constexpr int bits_of = sizeof(T) * 8;

template <class T> TF_INLINE T popcount_of(T v) { return (T)__builtin_popcountll((Unsigned<T>)v); }
template <class T> TF_INLINE T clz_of(T v) {
  return v ? (T)(__builtin_clzll((Unsigned<T>)v) - (64 - bits_of<T>)) : (T)bits_of<T>;
}
template <class T> TF_INLINE T ctz_of(T v) { return v ? (T)__builtin_ctzll((Unsigned<T>)v) : (T)bits_of<T>; }
template <class T> TF_INLINE T reverse_of(T v) {
  return (T)(__builtin_bitreverse64((Unsigned<T>)v) >> (64 - bits_of<T>));
}
template <class T> TF_INLINE T high_of(T a, T b) {
  if constexpr (__is_signed(T)) return (T)(((__int128)a * b) >> bits_of<T>);
  else return (T)(((unsigned __int128)a * b) >> bits_of<T>);
}
template <class T> TF_INLINE T rotate_of(T v, T by) {
  unsigned left = (unsigned)by % bits_of<T>, right = (bits_of<T> - left) % bits_of<T>;
  return (T)((Unsigned<T>)v << left | (Unsigned<T>)v >> right);
}
template <class T> TF_INLINE T add_clamped(T a, T b) {
  T sum;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a < 0 ? (T)((T)1 << (bits_of<T> - 1)) : (T)((Unsigned<T>)~(Unsigned<T>)0 >> __is_signed(T));
}
template <class T> TF_INLINE T subtract_clamped(T a, T b) {
  T rest;
  if (!__builtin_sub_overflow(a, b, &rest)) return rest;
  if constexpr (!__is_signed(T)) return 0;
  else return a < 0 ? (T)((T)1 << (bits_of<T> - 1)) : (T)((Unsigned<T>)~(Unsigned<T>)0 >> 1);
}
template <class T> TF_INLINE Unsigned<T> distance_of(T a, T b) {
  return a < b ? (Unsigned<T>)((Unsigned<T>)b - (Unsigned<T>)a) : (Unsigned<T>)((Unsigned<T>)a - (Unsigned<T>)b);
}
template <class T> TF_INLINE T half_sum(T a, T b) { return (T)(((__int128)a + b) >> 1); }
template <class T> TF_INLINE T rounded_half_sum(T a, T b) { return (T)(((__int128)a + b + 1) >> 1); }
TF_INLINE int times24(int a, int b) { return a * b; }
template <class T> TF_INLINE bool is_normal(T v) { return tf_isfinite((float)v) && tf_fabs((float)v) >= 0x1p-126f; }

} // namespace tf_metal

namespace metal {

TF_MAP1(popcount, map, tf_metal::popcount_of)
TF_MAP1(clz, map, tf_metal::clz_of)
TF_MAP1(ctz, map, tf_metal::ctz_of)
TF_MAP1(reverse_bits, map, tf_metal::reverse_of)
TF_MAP2(mulhi, map, tf_metal::high_of)
TF_MAP2(rotate, map, tf_metal::rotate_of)
TF_MAP2(addsat, map, tf_metal::add_clamped)
TF_MAP2(subsat, map, tf_metal::subtract_clamped)
TF_MAP2(absdiff, map, tf_metal::distance_of)
TF_MAP2(hadd, map, tf_metal::half_sum)
TF_MAP2(rhadd, map, tf_metal::rounded_half_sum)
TF_MAP2(mul24, map, tf_metal::times24)
template <class A, class B, class C> TF_INLINE auto mad24(A a, B b, C c) { return mul24(a, b) + c; }
template <class A, class B, class C> TF_INLINE auto madhi(A a, B b, C c) { return mulhi(a, b) + c; }

// `bits` bits from `offset` on; sign-extended where T is signed.
template <class T> TF_INLINE T extract_bits(T v, uint offset, uint bits) {
  constexpr uint width = sizeof(typename TfVector<T>::Element) * 8;
  if (bits == 0) return tf_metal::make<T>(0);
  return (v << (width - bits - offset)) >> (width - bits);
}
template <class T> TF_INLINE T insert_bits(T base, T v, uint offset, uint bits) {
  typedef typename TfVector<T>::Element E;
  E mask = (E)((bits >= sizeof(E) * 8 ? ~0ull : (1ull << bits) - 1) << offset);
  return (base & (E)~mask) | ((v << offset) & mask);
}

#define TF_TEST(name, f)                                                                                               \
  template <class T> TF_INLINE auto name(T x) {                                                                        \
    return tf_metal::map([](auto v) __attribute__((always_inline)) { return (bool)f((float)v); }, x);                  \
  }
TF_TEST(isnan, tf_isnan)
TF_TEST(isinf, tf_isinf)
TF_TEST(isfinite, tf_isfinite)
TF_TEST(isnormal, tf_metal::is_normal)
TF_TEST(signbit, tf_signbit)
#undef TF_TEST
template <class A, class B> TF_INLINE auto isunordered(A x, B y) {
  return tf_metal::map([](auto v, auto w) __attribute__((always_inline)) { return v != v || w != w; }, x, y);
}
template <class A, class B> TF_INLINE auto isordered(A x, B y) {
  return tf_metal::map([](auto v, auto w) __attribute__((always_inline)) { return v == v && w == w; }, x, y);
}

template <class M> TF_INLINE bool any(M mask) {
  bool some = false;
  for (int i = 0; i < TfVector<M>::size; i++) some = some || tf_metal::component(mask, i) != 0;
  return some;
}
template <class M> TF_INLINE bool all(M mask) {
  bool every = true;
  for (int i = 0; i < TfVector<M>::size; i++) every = every && tf_metal::component(mask, i) != 0;
  return every;
}

// b where the mask holds, a elsewhere.
template <class A, class B, class M> TF_INLINE typename tf_metal::Common<A, B>::type select(A a, B b, M mask) {
  typedef typename tf_metal::Common<A, B>::type T;
  T x = tf_metal::make<T>(a), y = tf_metal::make<T>(b);
  if constexpr (TfVector<T>::size == 1) return mask ? y : x;
  else
    for (int i = 0; i < TfVector<T>::size; i++) x[i] = tf_metal::component(mask, i) != 0 ? y[i] : x[i];
  return x;
}

} // namespace metal

#endif
