// metal_matrix: columns of vectors. A product's terms are added in order of the columns, each rounded on its own.
#ifndef TF_METAL_MATRIX_H
#define TF_METAL_MATRIX_H
#include "make.h"

namespace metal {

template <class T, int Columns, int Rows> struct matrix {
  typedef vec<T, Rows> Column;
  Column columns[Columns];

  matrix() = default;
  TF_MEMBER explicit matrix(T diagonal) {
    for (int c = 0; c < Columns; c++)
      for (int r = 0; r < Rows; r++) columns[c][r] = c == r ? diagonal : (T)0;
  }
  template <class U> TF_MEMBER explicit matrix(const matrix<U, Columns, Rows>& other) {
    for (int c = 0; c < Columns; c++) columns[c] = tf_metal::make<Column>(other.columns[c]);
  }
  // Columns one by one, or elements column by column.
  template <class A, class B, class... More> TF_MEMBER matrix(A a, B b, More... more) {
    static_assert(((TfVector<A>::size + TfVector<B>::size) + ... + TfVector<More>::size) == Columns * Rows,
                  "a matrix is made from all its elements");
    T list[Columns * Rows];
    int at = 0;
    tf_metal::append_to(list, at, a);
    tf_metal::append_to(list, at, b);
    (tf_metal::append_to(list, at, more), ...);
    for (int i = 0; i < Columns * Rows; i++) columns[i / Rows][i % Rows] = list[i];
  }
  TF_MEMBER Column& operator[](int c) { return columns[c]; }
  TF_MEMBER const Column& operator[](int c) const { return columns[c]; }

  // f of the columns of two matrices, place by place.
  template <class F> TF_MEMBER matrix with(const matrix& other, F f) const {
    matrix m;
    for (int c = 0; c < Columns; c++) m.columns[c] = f(columns[c], other.columns[c]);
    return m;
  }
  friend TF_MEMBER matrix operator+(const matrix& a, const matrix& b) {
    return a.with(b, [](Column x, Column y) { return x + y; });
  }
  friend TF_MEMBER matrix operator-(const matrix& a, const matrix& b) {
    return a.with(b, [](Column x, Column y) { return x - y; });
  }
  friend TF_MEMBER matrix operator*(const matrix& a, T s) {
    return a.with(a, [s](Column x, Column) { return x * s; });
  }
  friend TF_MEMBER matrix operator*(T s, const matrix& a) { return a * s; }
  friend TF_MEMBER matrix& operator+=(matrix& a, const matrix& b) { return a = a + b; }
  friend TF_MEMBER matrix& operator-=(matrix& a, const matrix& b) { return a = a - b; }
  friend TF_MEMBER matrix& operator*=(matrix& a, T s) { return a = a * s; }
  friend TF_MEMBER Column operator*(const matrix& a, vec<T, Columns> v) {
    Column sum = a.columns[0] * v[0];
    for (int c = 1; c < Columns; c++) sum = sum + a.columns[c] * v[c];
    return sum;
  }
};

template <class T, int K, int C, int R>
TF_INLINE matrix<T, C, R> operator*(const matrix<T, K, R>& a, const matrix<T, C, K>& b) {
  matrix<T, C, R> m;
  for (int c = 0; c < C; c++) m.columns[c] = a * b.columns[c];
  return m;
}
template <class T, int C, int R> TF_INLINE matrix<T, R, C> transpose(const matrix<T, C, R>& a) {
  matrix<T, R, C> m;
  for (int c = 0; c < C; c++)
    for (int r = 0; r < R; r++) m.columns[r][c] = a.columns[c][r];
  return m;
}
template <class T, int C, int R> TF_INLINE vec<T, C> operator*(vec<T, R> v, const matrix<T, C, R>& a) {
  return transpose(a) * v;
}

} // namespace metal

#define TF_MATRICES(T)                                                                                                 \
  typedef metal::matrix<T, 2, 2> T##2x2;                                                                               \
  typedef metal::matrix<T, 2, 3> T##2x3;                                                                               \
  typedef metal::matrix<T, 2, 4> T##2x4;                                                                               \
  typedef metal::matrix<T, 3, 2> T##3x2;                                                                               \
  typedef metal::matrix<T, 3, 3> T##3x3;                                                                               \
  typedef metal::matrix<T, 3, 4> T##3x4;                                                                               \
  typedef metal::matrix<T, 4, 2> T##4x2;                                                                               \
  typedef metal::matrix<T, 4, 3> T##4x3;                                                                               \
  typedef metal::matrix<T, 4, 4> T##4x4;
TF_MATRICES(float)
TF_MATRICES(half)
TF_MATRICES(bfloat)
#undef TF_MATRICES

#endif
