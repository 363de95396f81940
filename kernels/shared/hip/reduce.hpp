#pragma once

#include <hip/hip_runtime.h>

#include "group.hpp"

// A reduction over a group is three steps, the barrier in the kernel's own hands:
//   put_partial(partials, wave_sum(sum));
//   __syncthreads();
//   total = sum_partials(partials);
// A second reduction in the same kernel takes a second array, so that it cannot overwrite partials still being read.
// Every thread gets the same bits, on wave32 and wave64 alike. To a thread's own chain a sum adds
// log2(LANES) + WAVES - 1 = 12 roundings.

/** The sum over LANES lanes by an xor tree, in every lane. T is the accumulator: each add rounds to it. */
template <class T>
__device__ __forceinline__ T wave_sum(T value) {
#pragma unroll
  for (int offset = LANES / 2; offset > 0; offset /= 2) {
    value = T(float(value) + __shfl_xor(float(value), offset, LANES));
  }
  return value;
}

/** The larger of two values; a NaN of either wins, as in the formula's max. */
__device__ __forceinline__ float larger(float a, float b) {
  return a > b || isnan(a) ? a : b;
}

/** The largest value over LANES lanes, in every lane; NaN if any lane has one. */
__device__ __forceinline__ float wave_max(float value) {
#pragma unroll
  for (int offset = LANES / 2; offset > 0; offset /= 2) {
    value = larger(value, __shfl_xor(value, offset, LANES));
  }
  return value;
}

/** Keeps LANES lanes' value for the group, by their first lane. A barrier comes before the partials are read. */
template <class T>
__device__ __forceinline__ void put_partial(T (&partials)[WAVES], T wave_value) {
  if (threadIdx.x % LANES == 0) partials[threadIdx.x / LANES] = wave_value;
}

/** The group's sum: the partials added in order. */
template <class T>
__device__ __forceinline__ T sum_partials(const T (&partials)[WAVES]) {
  T total = partials[0];
#pragma unroll
  for (unsigned wave = 1; wave < WAVES; wave++) total = T(float(total) + float(partials[wave]));
  return total;
}

/** The group's largest value, of its partials; NaN if any is. */
__device__ __forceinline__ float max_partials(const float (&partials)[WAVES]) {
  float largest = partials[0];
#pragma unroll
  for (unsigned wave = 1; wave < WAVES; wave++) largest = larger(largest, partials[wave]);
  return largest;
}
