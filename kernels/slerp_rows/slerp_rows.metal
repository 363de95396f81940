#include "pack.h"
#include "reduce.h"

constexpr constant uint PACKS = 4; // packs of a thread held in registers: rows to 4 · 8 · THREADS = 8,192

/// With l2(v) = v / √(Σ v² + eps):
///   a = bf16(l2(res)); b = bf16(l2(out)); z = a + lr · (b - a) in fp32 steps, none fused; h = bf16(l2(z)).
/// One threadgroup a row. width: multiple of 8, at most PACKS · 8 · THREADS.
[[kernel, max_total_threads_per_threadgroup(THREADS)]] void tf_slerp_rows(
    device const bfloat* res [[buffer(0)]],
    device const bfloat* out [[buffer(1)]],
    device const float* lr [[buffer(2)]],
    device bfloat* h [[buffer(3)]],
    constant uint& width [[buffer(4)]],
    constant float& eps [[buffer(5)]],
    uint row [[threadgroup_position_in_grid]],
    uint thread_index [[thread_index_in_threadgroup]],
    uint lane [[thread_index_in_simdgroup]],
    uint simd [[simdgroup_index_in_threadgroup]]) {
  threadgroup float partials_res[SIMDS];
  threadgroup float partials_out[SIMDS];
  threadgroup float partials_z[SIMDS];
  const uint packs = width / 8;
  res += ulong(row) * width;
  out += ulong(row) * width;
  h += ulong(row) * width;

  // 1. The inputs' norms; their sums share a barrier. The packs stay in registers, still packed.
  uint4 res_packs[PACKS], out_packs[PACKS];
  float sum_squares_res = 0.0f;
  float sum_squares_out = 0.0f;
#pragma unroll
  for (uint p = 0; p < PACKS; p++) {
    const uint pack = p * THREADS + thread_index;
    if (pack >= packs) continue;
    res_packs[p] = reinterpret_cast<device const uint4*>(res)[pack];
    out_packs[p] = reinterpret_cast<device const uint4*>(out)[pack];
    float u[8], v[8];
    unpack(res_packs[p], u);
    unpack(out_packs[p], v);
    for (uint i = 0; i < 8; i++) {
      sum_squares_res = fma(u[i], u[i], sum_squares_res);
      sum_squares_out = fma(v[i], v[i], sum_squares_out);
    }
  }
  put_partial(partials_res, simd_sum(sum_squares_res), lane, simd);
  put_partial(partials_out, simd_sum(sum_squares_out), lane, simd);
  threadgroup_barrier(mem_flags::mem_threadgroup); // the inputs' sums
  const float norm_res = precise::sqrt(sum_partials(partials_res) + eps);
  const float norm_out = precise::sqrt(sum_partials(partials_out) + eps);

  // 2. z and its norm.
  float z[PACKS][8];
  float sum_squares_z = 0.0f;
#pragma unroll
  for (uint p = 0; p < PACKS; p++) {
    const uint pack = p * THREADS + thread_index;
    if (pack >= packs) continue;
    float u[8], v[8], rate[8];
    unpack(res_packs[p], u);
    unpack(out_packs[p], v);
    load_pack(lr, 2 * pack, rate);
    load_pack(lr, 2 * pack + 1, rate + 4);
    for (uint i = 0; i < 8; i++) {
      const float a = float(bfloat(u[i] / norm_res));
      const float b = float(bfloat(v[i] / norm_out));
      const float move = rate[i] * (b - a);
      z[p][i] = a + move;
      sum_squares_z = fma(z[p][i], z[p][i], sum_squares_z);
    }
  }
  put_partial(partials_z, simd_sum(sum_squares_z), lane, simd);
  threadgroup_barrier(mem_flags::mem_threadgroup); // z's sum
  const float norm_z = precise::sqrt(sum_partials(partials_z) + eps);

  // 3. h, rounded once.
#pragma unroll
  for (uint p = 0; p < PACKS; p++) {
    const uint pack = p * THREADS + thread_index;
    if (pack >= packs) continue;
    for (uint i = 0; i < 8; i++) z[p][i] = z[p][i] / norm_z;
    store_pack(h, pack, z[p]);
  }
}
