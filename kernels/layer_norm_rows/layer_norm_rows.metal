#include "reduce.h"

/// mu = mean(x); d = x - mu; y = bf16(d · rsqrt(mean(d²) + eps) · w + b): the mean first, then the squares about it,
/// so no difference of large sums is taken. One threadgroup a row, any width.
[[kernel, max_total_threads_per_threadgroup(THREADS)]] void tf_layer_norm_rows(
    device const bfloat* x [[buffer(0)]],
    device const bfloat* w [[buffer(1)]],
    device const bfloat* b [[buffer(2)]],
    device bfloat* y [[buffer(3)]],
    constant uint& width [[buffer(4)]],
    constant float& eps [[buffer(5)]],
    uint row [[threadgroup_position_in_grid]],
    uint thread_index [[thread_index_in_threadgroup]],
    uint lane [[thread_index_in_simdgroup]],
    uint simd [[simdgroup_index_in_threadgroup]]) {
  threadgroup float partials_sum[SIMDS];
  threadgroup float partials_squares[SIMDS];
  x += ulong(row) * width;
  y += ulong(row) * width;

  // 1. The mean.
  float sum = 0.0f;
  for (uint i = thread_index; i < width; i += THREADS) sum += float(x[i]);
  put_partial(partials_sum, simd_sum(sum), lane, simd);
  threadgroup_barrier(mem_flags::mem_threadgroup); // the sum
  const float mean = sum_partials(partials_sum) / float(width);

  // 2. The mean square about it.
  float sum_squares = 0.0f;
  for (uint i = thread_index; i < width; i += THREADS) {
    const float d = float(x[i]) - mean;
    sum_squares = fma(d, d, sum_squares);
  }
  put_partial(partials_squares, simd_sum(sum_squares), lane, simd);
  threadgroup_barrier(mem_flags::mem_threadgroup); // the sum of squares
  const float variance = sum_partials(partials_squares) / float(width);

  // 3. y, rounded once.
  const float scale = precise::rsqrt(variance + eps);
  for (uint i = thread_index; i < width; i += THREADS) {
    const float d = float(x[i]) - mean;
    y[i] = bfloat(fma(d * scale, float(w[i]), float(b[i])));
  }
}
