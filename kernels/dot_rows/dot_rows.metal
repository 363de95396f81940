#include "reduce.h"

/// The type every sum of this kernel is held in.
using accumulator = float;

/// y = Σ x · w: one threadgroup a row, any width.
[[kernel, max_total_threads_per_threadgroup(THREADS)]] void tf_dot_rows(
    device const bfloat* x [[buffer(0)]],
    device const bfloat* w [[buffer(1)]],
    device float* y [[buffer(2)]],
    constant uint& width [[buffer(3)]],
    uint row [[threadgroup_position_in_grid]],
    uint thread_index [[thread_index_in_threadgroup]],
    uint lane [[thread_index_in_simdgroup]],
    uint simd [[simdgroup_index_in_threadgroup]]) {
  threadgroup accumulator partials[SIMDS];
  x += ulong(row) * width;

  // 1. Each thread's products, fused into its sum.
  accumulator sum = 0;
  for (uint i = thread_index; i < width; i += THREADS) sum = accumulator(fma(float(x[i]), float(w[i]), float(sum)));

  // 2. The threadgroup's sum.
  put_partial(partials, simd_sum(sum), lane, simd);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const accumulator total = sum_partials(partials);
  if (thread_index == 0) y[row] = float(total);
}
