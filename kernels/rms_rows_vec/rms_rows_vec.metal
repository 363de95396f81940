#include "pack.h"
#include "reduce.h"

/// y = bf16(x · rsqrt(mean(x²) + eps) · w): tf_rms_rows_bf16 with 16-byte loads, bit for bit. width: multiple of 8.
[[kernel, max_total_threads_per_threadgroup(THREADS)]] void tf_rms_rows_vec_bf16(
    device const bfloat* x [[buffer(0)]],
    device const bfloat* w [[buffer(1)]],
    device bfloat* y [[buffer(2)]],
    constant uint& width [[buffer(3)]],
    constant float& eps [[buffer(4)]],
    uint row [[threadgroup_position_in_grid]],
    uint thread_index [[thread_index_in_threadgroup]],
    uint lane [[thread_index_in_simdgroup]],
    uint simd [[simdgroup_index_in_threadgroup]]) {
  threadgroup float partials[SIMDS];
  const uint packs = width / 8;
  x += ulong(row) * width;
  y += ulong(row) * width;
  float v[8];

  // 1. Σ x².
  float sum_squares = 0.0f;
  for (uint pack = thread_index; pack < packs; pack += THREADS) {
    load_pack(x, pack, v);
    for (uint i = 0; i < 8; i++) sum_squares = fma(v[i], v[i], sum_squares);
  }
  put_partial(partials, simd_sum(sum_squares), lane, simd);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const float total = sum_partials(partials);

  // 2. The row's scale.
  const float scale = precise::rsqrt(total / float(width) + eps);

  // 3. y, rounded once.
  for (uint pack = thread_index; pack < packs; pack += THREADS) {
    float weight[8];
    load_pack(x, pack, v);
    load_pack(w, pack, weight);
    for (uint i = 0; i < 8; i++) v[i] = v[i] * scale * weight[i];
    store_pack(y, pack, v);
  }
}
