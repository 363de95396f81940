#include "reduce.h"

constexpr constant uint VALUES = 8; // consecutive values of a thread a step

/// y = T(x · rsqrt(mean(x²) + eps) · w): one threadgroup a row, scalar loads, any width.
/// A thread's values and their order are those of tf_rms_rows_vec_bf16, which has the same bits.
template <typename T>
[[kernel, max_total_threads_per_threadgroup(THREADS)]] void rms_rows(
    device const bfloat* x [[buffer(0)]],
    device const bfloat* w [[buffer(1)]],
    device T* y [[buffer(2)]],
    constant uint& width [[buffer(3)]],
    constant float& eps [[buffer(4)]],
    uint row [[threadgroup_position_in_grid]],
    uint thread_index [[thread_index_in_threadgroup]],
    uint lane [[thread_index_in_simdgroup]],
    uint simd [[simdgroup_index_in_threadgroup]]) {
  threadgroup float partials[SIMDS];
  x += ulong(row) * width;
  y += ulong(row) * width;

  // 1. Σ x².
  float sum_squares = 0.0f;
  for (uint first = thread_index * VALUES; first < width; first += THREADS * VALUES) {
    const uint end = min(first + VALUES, width);
    for (uint i = first; i < end; i++) sum_squares = fma(float(x[i]), float(x[i]), sum_squares);
  }
  put_partial(partials, simd_sum(sum_squares), lane, simd);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const float total = sum_partials(partials);

  // 2. The row's scale.
  const float scale = precise::rsqrt(total / float(width) + eps);

  // 3. y, rounded once.
  for (uint first = thread_index * VALUES; first < width; first += THREADS * VALUES) {
    const uint end = min(first + VALUES, width);
    for (uint i = first; i < end; i++) y[i] = T(float(x[i]) * scale * float(w[i]));
  }
}

template [[host_name("tf_rms_rows_f32")]] [[kernel]] decltype(rms_rows<float>) rms_rows<float>;
template [[host_name("tf_rms_rows_bf16")]] [[kernel]] decltype(rms_rows<bfloat>) rms_rows<bfloat>;
template [[host_name("tf_rms_rows_f16")]] [[kernel]] decltype(rms_rows<half>) rms_rows<half>;
