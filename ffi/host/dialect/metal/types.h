// Metal's scalar, vector and packed types. Vectors are clang's extended vectors: they have Metal's sizes, alignments
// and swizzles. A comparison of vectors gives a mask of integers, all ones where it holds; it is taken wherever Metal
// takes a vector of bool, but as a number each place is -1, not 1: a source converts it by bool4, or uses select.
//
// half and bfloat are clang's types: an operation rounds once to its type, and mixed operands convert as Metal's do.
#ifndef TF_METAL_TYPES_H
#define TF_METAL_TYPES_H
#include "../math.h"
#include "../simt.h"

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef _Float16 half;
typedef __bf16 bfloat;
typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef __INT8_TYPE__ int8_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __INT16_TYPE__ int16_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __INT32_TYPE__ int32_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT64_TYPE__ uint64_t;
typedef __UINTPTR_TYPE__ uintptr_t;
typedef __INTPTR_TYPE__ intptr_t;

#define METAL_FUNC inline __attribute__((always_inline))

namespace metal {
template <class T, int N> using vec = T __attribute__((ext_vector_type(N)));
}

#define TF_FOR_SCALARS(X)                                                                                              \
  X(float) X(half) X(bfloat) X(char) X(uchar) X(short) X(ushort) X(int) X(uint) X(long) X(ulong)

// A packed vector is aligned as its element.
template <class T> struct TfPacked2 {
  typedef metal::vec<T, 2> Vector;
  T x, y;
  TfPacked2() = default;
  TF_MEMBER TfPacked2(T x, T y) : x(x), y(y) {}
  TF_MEMBER TfPacked2(Vector v) : x(v.x), y(v.y) {}
  TF_MEMBER operator Vector() const { return Vector{ x, y }; }
  TF_MEMBER T& operator[](size_t i) { return (&x)[i]; }
  TF_MEMBER const T& operator[](size_t i) const { return (&x)[i]; }
};
template <class T> struct TfPacked3 {
  typedef metal::vec<T, 3> Vector;
  T x, y, z;
  TfPacked3() = default;
  TF_MEMBER TfPacked3(T x, T y, T z) : x(x), y(y), z(z) {}
  TF_MEMBER TfPacked3(Vector v) : x(v.x), y(v.y), z(v.z) {}
  TF_MEMBER operator Vector() const { return Vector{ x, y, z }; }
  TF_MEMBER T& operator[](size_t i) { return (&x)[i]; }
  TF_MEMBER const T& operator[](size_t i) const { return (&x)[i]; }
};
template <class T> struct TfPacked4 {
  typedef metal::vec<T, 4> Vector;
  T x, y, z, w;
  TfPacked4() = default;
  TF_MEMBER TfPacked4(T x, T y, T z, T w) : x(x), y(y), z(z), w(w) {}
  TF_MEMBER TfPacked4(Vector v) : x(v.x), y(v.y), z(v.z), w(v.w) {}
  TF_MEMBER operator Vector() const { return Vector{ x, y, z, w }; }
  TF_MEMBER T& operator[](size_t i) { return (&x)[i]; }
  TF_MEMBER const T& operator[](size_t i) const { return (&x)[i]; }
};

#define TF_VECTORS(T)                                                                                                  \
  typedef metal::vec<T, 2> T##2;                                                                                       \
  typedef metal::vec<T, 3> T##3;                                                                                       \
  typedef metal::vec<T, 4> T##4;                                                                                       \
  typedef TfPacked2<T> packed_##T##2;                                                                                  \
  typedef TfPacked3<T> packed_##T##3;                                                                                  \
  typedef TfPacked4<T> packed_##T##4;
TF_FOR_SCALARS(TF_VECTORS)
#undef TF_VECTORS

// The element and the size of a vector of any kind; a scalar is its own element.
template <class V> struct TfVector {
  typedef V Element;
  static constexpr int size = 1;
};
template <class T, int N> struct TfVector<T __attribute__((ext_vector_type(N)))> {
  typedef T Element;
  static constexpr int size = N;
};
template <class T, int N> struct TfVectorOf {
  typedef T Element;
  static constexpr int size = N;
};
template <class T> struct TfVector<TfPacked2<T>> : TfVectorOf<T, 2> {};
template <class T> struct TfVector<TfPacked3<T>> : TfVectorOf<T, 3> {};
template <class T> struct TfVector<TfPacked4<T>> : TfVectorOf<T, 4> {};
template <class V> struct TfVector<const V> : TfVector<V> {};

template <bool> struct TfWhenType {};
template <> struct TfWhenType<true> { typedef void type; };
template <bool C> using TfWhen = typename TfWhenType<C>::type;

#define TF_BOOLS(N, members)                                                                                           \
  struct bool##N;                                                                                                      \
  template <> struct TfVector<bool##N> : TfVectorOf<bool, N> {};                                                       \
  struct __attribute__((aligned(N == 2 ? 2 : 4))) bool##N {                                                            \
    bool members;                                                                                                      \
    bool##N() = default;                                                                                               \
    TF_MEMBER bool##N(bool all) {                                                                                      \
      for (int i = 0; i < N; i++) (*this)[i] = all;                                                                    \
    }                                                                                                                  \
    template <class... B, class = TfWhen<sizeof...(B) == N>> TF_MEMBER bool##N(B... each) {                            \
      const bool list[] = { (bool)each... };                                                                           \
      for (int i = 0; i < N; i++) (*this)[i] = list[i];                                                                \
    }                                                                                                                  \
    template <class M, class = TfWhen<TfVector<M>::size == N>, class = void> TF_MEMBER bool##N(M mask) {               \
      for (int i = 0; i < N; i++) (*this)[i] = mask[i] != 0;                                                           \
    }                                                                                                                  \
    TF_MEMBER bool& operator[](int i) { return (&x)[i]; }                                                              \
    TF_MEMBER bool operator[](int i) const { return (&x)[i]; }                                                         \
    friend TF_MEMBER bool##N operator!(bool##N a) { return a.with(a, [](bool p, bool) { return !p; }); }               \
    friend TF_MEMBER bool##N operator&&(bool##N a, bool##N b) {                                                        \
      return a.with(b, [](bool p, bool q) { return p && q; });                                                         \
    }                                                                                                                  \
    friend TF_MEMBER bool##N operator||(bool##N a, bool##N b) {                                                        \
      return a.with(b, [](bool p, bool q) { return p || q; });                                                         \
    }                                                                                                                  \
    template <class F> TF_MEMBER bool##N with(bool##N b, F f) const {                                                  \
      bool##N r;                                                                                                       \
      for (int i = 0; i < N; i++) r[i] = f((*this)[i], b[i]);                                                          \
      return r;                                                                                                        \
    }                                                                                                                  \
  };
#define TF_LIST(...) __VA_ARGS__
TF_BOOLS(2, TF_LIST(x, y))
TF_BOOLS(3, TF_LIST(x, y, z))
TF_BOOLS(4, TF_LIST(x, y, z, w))
#undef TF_BOOLS
#undef TF_LIST

// The vector of N elements of T; a single one is a scalar.
template <class T, int N> struct TfMakeVector { typedef metal::vec<T, N> type; };
template <class T> struct TfMakeVector<T, 1> { typedef T type; };
template <> struct TfMakeVector<bool, 1> { typedef bool type; };
template <> struct TfMakeVector<bool, 2> { typedef bool2 type; };
template <> struct TfMakeVector<bool, 3> { typedef bool3 type; };
template <> struct TfMakeVector<bool, 4> { typedef bool4 type; };

#endif
