#include "pack.h"
#include "reduce.h"

/// y = max(x), NaN if any x is: one threadgroup a row, float4 loads. width: multiple of 4.
[[kernel, max_total_threads_per_threadgroup(THREADS)]] void tf_row_max(
    device const float* x [[buffer(0)]],
    device float* y [[buffer(1)]],
    constant uint& width [[buffer(2)]],
    uint row [[threadgroup_position_in_grid]],
    uint thread_index [[thread_index_in_threadgroup]],
    uint lane [[thread_index_in_simdgroup]],
    uint simd [[simdgroup_index_in_threadgroup]]) {
  threadgroup float partials[SIMDS];
  x += ulong(row) * width;

  // 1. Each thread's largest; -inf, the empty maximum, where it has no values.
  float largest = -INFINITY;
  for (uint pack = thread_index; pack < width / 4; pack += THREADS) {
    float v[4];
    load_pack(x, pack, v);
    for (uint i = 0; i < 4; i++) largest = larger(largest, v[i]);
  }

  // 2. The threadgroup's largest.
  put_partial(partials, simd_largest(largest), lane, simd);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const float total = max_partials(partials);
  if (thread_index == 0) y[row] = total;
}
