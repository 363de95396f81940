#include "pack.h"
#include "reduce.h"

/// y = Σ x: one threadgroup a row, 8 bfloats a thread a step. width: multiple of 8.
[[kernel, max_total_threads_per_threadgroup(THREADS)]] void tf_row_sum(
    device const bfloat* x [[buffer(0)]],
    device float* y [[buffer(1)]],
    constant uint& width [[buffer(2)]],
    uint row [[threadgroup_position_in_grid]],
    uint thread_index [[thread_index_in_threadgroup]],
    uint lane [[thread_index_in_simdgroup]],
    uint simd [[simdgroup_index_in_threadgroup]]) {
  threadgroup float partials[SIMDS];
  x += ulong(row) * width;

  // 1. Each thread sums its packs in order.
  float sum = 0.0f;
  for (uint pack = thread_index; pack < width / 8; pack += THREADS) {
    float v[8];
    load_pack(x, pack, v);
    for (uint i = 0; i < 8; i++) sum += v[i];
  }

  // 2. The threadgroup's sum.
  put_partial(partials, simd_sum(sum), lane, simd);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const float total = sum_partials(partials);
  if (thread_index == 0) y[row] = total;
}
