// metal_type_traits, metal_limits, metal_array, metal_uniform.
#ifndef TF_METAL_TRAITS_H
#define TF_METAL_TRAITS_H
#include "make.h"

namespace metal {

template <class T, T V> struct integral_constant {
  static constexpr T value = V;
  typedef T value_type;
  typedef integral_constant type;
  constexpr operator T() const { return V; }
  constexpr T operator()() const { return V; }
};
template <bool B> using bool_constant = integral_constant<bool, B>;
typedef bool_constant<true> true_type;
typedef bool_constant<false> false_type;

template <bool C, class T = void> struct enable_if {};
template <class T> struct enable_if<true, T> { typedef T type; };
template <bool C, class T = void> using enable_if_t = typename enable_if<C, T>::type;
template <bool C, class A, class B> struct conditional { typedef A type; };
template <class A, class B> struct conditional<false, A, B> { typedef B type; };
template <bool C, class A, class B> using conditional_t = typename conditional<C, A, B>::type;
template <class T> struct remove_cv { typedef __remove_cv(T) type; };
template <class T> using remove_cv_t = __remove_cv(T);
template <class T> struct remove_reference { typedef __remove_reference_t(T) type; };
template <class T> using remove_reference_t = __remove_reference_t(T);
template <class T> using remove_addrspace_t = T;
template <class T> __add_rvalue_reference(T) declval();

#define TF_TRAIT(name, condition)                                                                                      \
  template <class T> struct name : bool_constant<(condition)> {};                                                      \
  template <class T> constexpr bool name##_v = (condition);
TF_TRAIT(is_floating_point, tf_metal::is_float<__remove_cv(T)>)
TF_TRAIT(is_integral, __is_integral(T))
TF_TRAIT(is_arithmetic, __is_integral(T) || tf_metal::is_float<__remove_cv(T)>)
TF_TRAIT(is_scalar, __is_scalar(T) || tf_metal::is_float<__remove_cv(T)>)
TF_TRAIT(is_signed, __is_signed(T) || tf_metal::is_float<__remove_cv(T)>)
TF_TRAIT(is_unsigned, __is_unsigned(T))
TF_TRAIT(is_pointer, __is_pointer(T))
TF_TRAIT(is_enum, __is_enum(T))
TF_TRAIT(is_const, __is_const(T))
#undef TF_TRAIT
template <class A, class B> struct is_same : bool_constant<__is_same(A, B)> {};
template <class A, class B> constexpr bool is_same_v = __is_same(A, B);
template <class A, class B> struct is_convertible : bool_constant<__is_convertible(A, B)> {};
template <class A, class B> constexpr bool is_convertible_v = __is_convertible(A, B);
template <class T> using make_unsigned_t = __make_unsigned(T);
template <class T> using make_signed_t = __make_signed(T);
template <class T> struct make_unsigned { typedef __make_unsigned(T) type; };
template <class T> struct make_signed { typedef __make_signed(T) type; };

template <class T> struct numeric_limits {
  static_assert(__is_integral(T), "numeric_limits knows Metal's scalars");
  static constexpr bool is_signed = __is_signed(T), is_integer = true, has_infinity = false;
  static constexpr int digits = sizeof(T) * 8 - is_signed;
  static constexpr T max() { return (T)(~0ull >> (64 - digits)); }
  static constexpr T min() { return is_signed ? (T)(-max() - 1) : (T)0; }
  static constexpr T lowest() { return min(); }
};
// largest, smallest normal, spacing at 1, smallest subnormal.
#define TF_LIMITS(T, bits, largest, least, spacing, smallest)                                                          \
  template <> struct numeric_limits<T> {                                                                               \
    static constexpr bool is_signed = true, is_integer = false, has_infinity = true;                                   \
    static constexpr int digits = bits;                                                                                \
    static constexpr T max() { return (T)largest; }                                                                    \
    static constexpr T lowest() { return (T)-largest; }                                                                \
    static constexpr T min() { return (T)least; }                                                                      \
    static constexpr T epsilon() { return (T)spacing; }                                                                \
    static constexpr T denorm_min() { return (T)smallest; }                                                            \
    static constexpr T infinity() { return (T)__builtin_inff(); }                                                      \
    static constexpr T quiet_NaN() { return (T)__builtin_nanf(""); }                                                   \
  };
TF_LIMITS(float, 24, 0x1.fffffep127f, 0x1p-126f, 0x1p-23f, 0x1p-149f)
TF_LIMITS(half, 11, 65504.0f, 0x1p-14f, 0x1p-10f, 0x1p-24f)
TF_LIMITS(bfloat, 8, 0x1.fep127f, 0x1p-126f, 0x1p-7f, 0x1p-133f)
#undef TF_LIMITS

template <class T, size_t N> struct array {
  T tf_elements[N];
  TF_MEMBER constexpr T& operator[](size_t i) { return tf_elements[i]; }
  TF_MEMBER constexpr const T& operator[](size_t i) const { return tf_elements[i]; }
  static constexpr size_t size() { return N; }
};

template <class T> using uniform = T;
template <class T> TF_INLINE T make_uniform(T v) { return v; }

} // namespace metal

#undef INFINITY
#undef NAN
#define INFINITY (__builtin_inff())
#define NAN (__builtin_nanf(""))
#define HUGE_VALF (__builtin_inff())
#define MAXFLOAT 0x1.fffffep127f
#define FLT_MAX 0x1.fffffep127f
#define FLT_MIN 0x1p-126f
#define FLT_EPSILON 0x1p-23f
#define HALF_MAX ((half)65504.0f)
#define HALF_MIN ((half)0x1p-14f)
#define HALF_EPSILON ((half)0x1p-10f)
#define INT_MAX 0x7fffffff
#define INT_MIN (-0x7fffffff - 1)
#define UINT_MAX 0xffffffffu
#define SHRT_MAX 0x7fff
#define USHRT_MAX 0xffff
#define CHAR_BIT 8
#define M_E_F 0x1.5bf0a8p1f
#define M_LOG2E_F 0x1.715476p0f
#define M_LOG10E_F 0x1.bcb7b2p-2f
#define M_LN2_F 0x1.62e43p-1f
#define M_LN10_F 0x1.26bb1cp1f
#define M_PI_F 0x1.921fb6p1f
#define M_PI_2_F 0x1.921fb6p0f
#define M_PI_4_F 0x1.921fb6p-1f
#define M_1_PI_F 0x1.45f306p-2f
#define M_2_PI_F 0x1.45f306p-1f
#define M_2_SQRTPI_F 0x1.20dd76p0f
#define M_SQRT2_F 0x1.6a09e6p0f
#define M_SQRT1_2_F 0x1.6a09e6p-1f

#endif
