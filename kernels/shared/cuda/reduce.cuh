#pragma once

#include "group.cuh"

// A reduction over a group is three steps, the barrier in the kernel's own hands:
//   put_partial(partials, warp_sum(sum));
//   __syncthreads();
//   total = sum_partials(partials);
// A second reduction in the same kernel takes a second array, so that it cannot overwrite partials still being read.
// Every thread gets the same bits. To a thread's own chain a sum adds log2(LANES) + WARPS - 1 = 12 roundings.

/** The sum over a warp by an xor tree, in every lane. T is the accumulator: each add rounds to it. */
template <class T>
__device__ __forceinline__ T warp_sum(T value) {
#pragma unroll
  for (int offset = LANES / 2; offset > 0; offset /= 2) {
    value = T(float(value) + __shfl_xor_sync(ALL_LANES, float(value), offset));
  }
  return value;
}

/** The larger of two values; a NaN of either wins, as in the formula's max. */
__device__ __forceinline__ float larger(float a, float b) {
  return a > b || isnan(a) ? a : b;
}

/** The largest value over a warp, in every lane; NaN if any lane has one. */
__device__ __forceinline__ float warp_max(float value) {
#pragma unroll
  for (int offset = LANES / 2; offset > 0; offset /= 2) {
    value = larger(value, __shfl_xor_sync(ALL_LANES, value, offset));
  }
  return value;
}

/** Keeps a warp's value for the group, by its first lane. A barrier comes before the partials are read. */
template <class T>
__device__ __forceinline__ void put_partial(T (&partials)[WARPS], T warp_value) {
  if (threadIdx.x % LANES == 0) partials[threadIdx.x / LANES] = warp_value;
}

/** The group's sum: its warps' partials added in order. */
template <class T>
__device__ __forceinline__ T sum_partials(const T (&partials)[WARPS]) {
  T total = partials[0];
#pragma unroll
  for (unsigned warp = 1; warp < WARPS; warp++) total = T(float(total) + float(partials[warp]));
  return total;
}

/** The group's largest value, of its warps' partials; NaN if any is. */
__device__ __forceinline__ float max_partials(const float (&partials)[WARPS]) {
  float largest = partials[0];
#pragma unroll
  for (unsigned warp = 1; warp < WARPS; warp++) largest = larger(largest, partials[warp]);
  return largest;
}
