// metal_simdgroup_matrix: 8 x 8, two neighbours of a row a lane, in Apple's layout. A product's terms are added in
// order of k, each by a fused multiply-add of fp32, and the result rounded to its type once.
#ifndef TF_METAL_SIMDGROUP_MATRIX_H
#define TF_METAL_SIMDGROUP_MATRIX_H
#include "simd.h"

namespace tf_metal {

// Row and first column of the two elements that a lane holds, and back.
struct MatrixPlace {
  tf_u32 row, column;
};
TF_INLINE MatrixPlace matrix_place(tf_u32 lane) {
  return { (lane >> 2 & 4) | (lane >> 1 & 3), (lane >> 1 & 4) | (lane & 1) << 1 };
}
TF_INLINE tf_u32 matrix_lane(tf_u32 row, tf_u32 column) {
  return (row & 4) << 2 | (row & 3) << 1 | (column & 4) << 1 | (column >> 1 & 1);
}

} // namespace tf_metal

namespace metal {

template <class T, int Rows = 8, int Columns = 8> struct simdgroup_matrix {
  static_assert(Rows == 8 && Columns == 8, "Metal has simdgroup matrices of 8 x 8");
  typedef vec<T, 2> storage_type;
  storage_type tf_pair;
  simdgroup_matrix() = default;
  TF_MEMBER explicit simdgroup_matrix(T diagonal) {
    tf_metal::MatrixPlace p = tf_metal::matrix_place(tf_self()->lane);
    for (tf_u32 i = 0; i < 2; i++) tf_pair[i] = p.row == p.column + i ? diagonal : (T)0;
  }
  TF_MEMBER storage_type& thread_elements() { return tf_pair; }
  TF_MEMBER const storage_type& thread_elements() const { return tf_pair; }
};
typedef simdgroup_matrix<float> simdgroup_float8x8;
typedef simdgroup_matrix<half> simdgroup_half8x8;
typedef simdgroup_matrix<bfloat> simdgroup_bfloat8x8;

template <class T, int R = 8, int C = 8> TF_INLINE simdgroup_matrix<T, R, C> make_filled_simdgroup_matrix(T v) {
  simdgroup_matrix<T, R, C> m;
  m.tf_pair = v;
  return m;
}

} // namespace metal

namespace tf_metal {

// The place in memory of a lane's element i.
template <class P> TF_INLINE P* matrix_element(P* p, ulong stride, ulong2 origin, bool transposed, tf_u32 i) {
  MatrixPlace at = matrix_place(tf_self()->lane);
  ulong row = at.row, column = at.column + i;
  return p + (origin.y + (transposed ? column : row)) * stride + origin.x + (transposed ? row : column);
}

// Row `row` of a matrix, or its column, as fp32, from what the lanes brought.
template <class T> TF_INLINE float matrix_value(const TfLanes& lanes, tf_u32 row, tf_u32 column) {
  metal::vec<T, 2> pair = tf_from_bits<metal::vec<T, 2>>(lanes.value[matrix_lane(row, column)]);
  return (float)pair[column & 1];
}

} // namespace tf_metal

namespace metal {

template <class T, int R, int C, class P>
TF_INLINE void simdgroup_load(simdgroup_matrix<T, R, C>& m, const P* p, ulong stride = C, ulong2 origin = 0,
                              bool transposed = false) {
  for (tf_u32 i = 0; i < 2; i++) m.tf_pair[i] = *tf_metal::matrix_element(p, stride, origin, transposed, i);
}
template <class T, int R, int C, class P>
TF_INLINE void simdgroup_store(simdgroup_matrix<T, R, C> m, P* p, ulong stride = C, ulong2 origin = 0,
                               bool transposed = false) {
  for (tf_u32 i = 0; i < 2; i++) *tf_metal::matrix_element(p, stride, origin, transposed, i) = m.tf_pair[i];
}

template <class D, class A, class B, class S>
TF_INLINE void simdgroup_multiply_accumulate(simdgroup_matrix<D>& d, const simdgroup_matrix<A>& a,
                                             const simdgroup_matrix<B>& b, const simdgroup_matrix<S>& c,
                                             TfSite site = tf_here()) {
  TfThread* t = tf_self();
  tf_metal::MatrixPlace at = tf_metal::matrix_place(t->lane);
  float row[8], sum[2] = { (float)c.tf_pair[0], (float)c.tf_pair[1] };
  TfLanes lanes = tf_meet_active(t, tf_bits(a.tf_pair), TF_OP_MATRIX, site);
  for (tf_u32 k = 0; k < 8; k++) row[k] = tf_metal::matrix_value<A>(lanes, at.row, k);
  lanes = tf_meet_active(t, tf_bits(b.tf_pair), TF_OP_MATRIX, site);
  for (tf_u32 k = 0; k < 8; k++)
    for (tf_u32 i = 0; i < 2; i++) sum[i] = tf_fma(row[k], tf_metal::matrix_value<B>(lanes, k, at.column + i), sum[i]);
  for (tf_u32 i = 0; i < 2; i++) d.tf_pair[i] = tf_metal::convert<D>(sum[i]);
}
template <class D, class A, class B>
TF_INLINE void simdgroup_multiply(simdgroup_matrix<D>& d, const simdgroup_matrix<A>& a, const simdgroup_matrix<B>& b,
                                  TfSite site = tf_here()) {
  simdgroup_multiply_accumulate(d, a, b, make_filled_simdgroup_matrix<float>(0.0f), site);
}

} // namespace metal

#endif
