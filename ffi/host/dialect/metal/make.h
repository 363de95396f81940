// Conversions and vector constructors. `float4(a, b2, c)` joins its arguments' components; the lowering writes it as
// tf_metal::make<float4>(a, b2, c). A conversion rounds once, to nearest even. A NaN becomes the canonical one, but where
// the compiler's own conversion narrows to half: there it keeps its payload.
#ifndef TF_METAL_MAKE_H
#define TF_METAL_MAKE_H
#include "types.h"

namespace tf_metal {

template <class T> constexpr bool is_narrow = __is_same(T, half) || __is_same(T, bfloat);
template <class T> constexpr bool is_float = __is_same(T, float) || is_narrow<T>;

// The compiler must not see a choice of bfloats, which it would make of floats and narrow by a call.
TF_INLINE bfloat bfloat_of(tf_bf16 v) {
  tf_u16 code = v.bits;
  __asm__("" : "+r"(code));
  return __builtin_bit_cast(bfloat, code);
}

// A scalar of type E from a scalar of any other.
template <class E, class A> TF_INLINE constexpr E convert(A a) {
  if constexpr (__is_same(E, A)) return a;
  else if constexpr (is_narrow<A>) return convert<E>((float)a);
  else if constexpr (__is_same(A, bool)) return (E)(int)a;
  else if (__builtin_is_constant_evaluated()) return (E)a;
  else if constexpr (__is_same(E, bfloat)) return bfloat_of(tf_bf16(a));
  else if constexpr (__is_same(E, half)) return __builtin_bit_cast(half, tf_f16(a));
  else return (E)a;
}

// The i-th component; a scalar is its own at every place.
template <class V> TF_INLINE typename TfVector<V>::Element component(V v, int i) {
  if constexpr (TfVector<V>::size == 1) return v;
  else return v[i];
}

template <class V, class A> TF_INLINE void append(V& to, int& at, A from) {
  typedef typename TfVector<V>::Element E;
  for (int i = 0; i < TfVector<A>::size; i++) to[at++] = convert<E>(component(from, i));
}
template <class E, class A> TF_INLINE void append_to(E* to, int& at, A from) {
  for (int i = 0; i < TfVector<A>::size; i++) to[at++] = convert<E>(component(from, i));
}

template <class V, class... A> TF_INLINE constexpr V make(A... a) {
  typedef typename TfVector<V>::Element E;
  constexpr int given = (TfVector<A>::size + ... + 0);
  if constexpr (sizeof...(A) == 0) return V{};
  else if constexpr (TfVector<V>::size == 1) {
    static_assert(given == 1, "a scalar is made from one scalar");
    return (convert<E>(a), ...);
  } else if constexpr (given == sizeof...(A) && given == TfVector<V>::size) {
    return V{ convert<E>(a)... };
  } else {
    V v{};
    int at = 0;
    if constexpr (given == 1)
      for (int i = 0; i < TfVector<V>::size; i++) (append(v, at, a), ...);
    else {
      static_assert(given == TfVector<V>::size, "a vector is made from one scalar, or from all its components");
      (append(v, at, a), ...);
    }
    return v;
  }
}

// The type of an operation on several arguments: the vector's where one is a vector, else what the usual arithmetic
// conversions give.
template <class... A> struct Common;
template <class A> struct Common<A> { typedef A type; };
template <class A> struct Common<A, A> { typedef A type; };
template <class A, class B> struct Common<A, B> {
  static constexpr int a = TfVector<A>::size, b = TfVector<B>::size;
  static_assert(a == 1 || b == 1, "vectors of one operation have one type");
  typedef decltype(typename TfVector<A>::Element() + typename TfVector<B>::Element()) Sum;
  template <bool first, class X, class Y> struct Choice { typedef X type; };
  template <class X, class Y> struct Choice<false, X, Y> { typedef Y type; };
  typedef typename Choice<(a > 1), A, typename Choice<(b > 1), B, Sum>::type>::type type;
};
template <class A, class B, class C> struct Common<A, B, C> : Common<typename Common<A, B>::type, C> {};

// f of the components, place by place.
template <class F, class... A> TF_INLINE auto map(F f, A... a) {
  typedef TfVector<typename Common<A...>::type> C;
  typedef typename C::Element E;
  typedef decltype(f(convert<E>(component(a, 0))...)) R;
  typename TfMakeVector<R, C::size>::type r;
  if constexpr (C::size == 1) r = f(convert<E>(component(a, 0))...);
  else
    for (int i = 0; i < C::size; i++) r[i] = f(convert<E>(component(a, i))...);
  return r;
}

} // namespace tf_metal

namespace metal {
template <class T, class U> TF_INLINE T as_type(U v) {
  static_assert(sizeof(T) == sizeof(U), "as_type keeps the size");
  return __builtin_bit_cast(T, v);
}
} // namespace metal
using metal::as_type;

// What the compiler calls to narrow to bfloat where no conversion above is written.
extern "C" TF_SUPPORT inline bfloat __truncsfbf2(float v) { return tf_metal::bfloat_of(tf_bf16(v)); }

#endif
