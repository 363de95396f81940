#include "pack.h"
#include "reduce.h"

constexpr constant uint PACKS = 4; // packs of a thread held in registers: rows to 4 · 8 · THREADS = 8,192

/// s = bf16(x + r); y = bf16(s / √(Σ s² + eps)): eps on the sum, IEEE square root and division.
/// One threadgroup a row. width: multiple of 8, at most PACKS · 8 · THREADS.
[[kernel, max_total_threads_per_threadgroup(THREADS)]] void tf_l2_rows(
    device const bfloat* x [[buffer(0)]],
    device const bfloat* r [[buffer(1)]],
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
  r += ulong(row) * width;
  y += ulong(row) * width;

  // 1. s and Σ s².
  float s[PACKS][8];
  float sum_squares = 0.0f;
#pragma unroll
  for (uint p = 0; p < PACKS; p++) {
    const uint pack = p * THREADS + thread_index;
    if (pack >= packs) continue;
    float a[8], b[8];
    load_pack(x, pack, a);
    load_pack(r, pack, b);
    for (uint i = 0; i < 8; i++) {
      s[p][i] = float(bfloat(a[i] + b[i]));
      sum_squares = fma(s[p][i], s[p][i], sum_squares);
    }
  }
  put_partial(partials, simd_sum(sum_squares), lane, simd);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const float total = sum_partials(partials);

  // 2. The row's norm.
  const float norm = precise::sqrt(total + eps);

  // 3. y, rounded once.
#pragma unroll
  for (uint p = 0; p < PACKS; p++) {
    const uint pack = p * THREADS + thread_index;
    if (pack >= packs) continue;
    for (uint i = 0; i < 8; i++) s[p][i] = s[p][i] / norm;
    store_pack(y, pack, s[p]);
  }
}
