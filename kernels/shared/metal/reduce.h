// The steps of a reduction over a threadgroup of THREADS, its barrier in the kernel's own hands:
//   put_partial(partials, simd_sum(sum), lane, simd);
//   threadgroup_barrier(mem_flags::mem_threadgroup);
//   total = sum_partials(partials);
// A second reduction of a kernel has its own partials, so that none is overwritten while it is read. Every thread gets
// the same bits.
#pragma once

#include "arithmetic.h"

/// Keeps a simdgroup's value, by its first lane. `partials`: SIMDS values.
template <typename T>
inline void put_partial(threadgroup T* partials, T v, uint lane, uint simd) {
  if (lane == 0) partials[simd] = v;
}

/// The threadgroup's sum: its simdgroups' in order. T is the accumulator: each add rounds to it.
template <typename T>
inline T sum_partials(threadgroup const T* partials) {
  T total = partials[0];
  for (uint i = 1; i < SIMDS; i++) total = T(total + partials[i]);
  return total;
}

/// The larger of two; a NaN in either stays, which fmax and simd_max would drop.
inline float larger(float m, float v) {
  return v > m || is_nan(v) ? v : m;
}

/// The simdgroup's largest, in every lane; NaN if any lane has one.
inline float simd_largest(float v) {
  for (ushort offset = LANES / 2; offset > 0; offset /= 2) v = larger(v, simd_shuffle_xor(v, offset));
  return v;
}

/// The threadgroup's largest, of its simdgroups'; NaN if any is.
inline float max_partials(threadgroup const float* partials) {
  float largest = partials[0];
  for (uint i = 1; i < SIMDS; i++) largest = larger(largest, partials[i]);
  return largest;
}
