#include "pack.h"
#include "reduce.h"

/// e = exp(x - m): at most 1, whatever x is.
inline float exp_below(float x, float m) {
  return precise::exp(x - m);
}

constexpr constant uint VALUES = 16; // a thread's share of a row held in registers: rows to 16 · THREADS

/// m = max(x); e = exp(x - m); y = T(e / Σ e): the row in registers, read once.
/// width: multiple of 16 / sizeof(T), at most VALUES · THREADS.
template <typename T>
[[kernel, max_total_threads_per_threadgroup(THREADS)]] void softmax_rows(
    device const T* x [[buffer(0)]],
    device T* y [[buffer(1)]],
    constant uint& width [[buffer(2)]],
    uint row [[threadgroup_position_in_grid]],
    uint thread_index [[thread_index_in_threadgroup]],
    uint lane [[thread_index_in_simdgroup]],
    uint simd [[simdgroup_index_in_threadgroup]]) {
  constexpr uint PACK = 16 / sizeof(T);
  threadgroup float partials_max[SIMDS];
  threadgroup float partials_sum[SIMDS];
  x += ulong(row) * width;
  y += ulong(row) * width;

  // 1. The row's largest. A place past the row holds -inf: below every m, and 0 as an exponential.
  float v[VALUES];
  float largest = -INFINITY;
#pragma unroll
  for (uint first = 0; first < VALUES; first += PACK) {
    const uint pack = first / PACK * THREADS + thread_index;
    for (uint i = 0; i < PACK; i++) v[first + i] = -INFINITY;
    if (pack < width / PACK) load_pack(x, pack, v + first);
    for (uint i = 0; i < PACK; i++) largest = larger(largest, v[first + i]);
  }
  put_partial(partials_max, simd_largest(largest), lane, simd);
  threadgroup_barrier(mem_flags::mem_threadgroup); // the held row's largest
  const float m = max_partials(partials_max);

  // 2. Exponentials and their sum.
  float sum_exp = 0.0f;
#pragma unroll
  for (uint i = 0; i < VALUES; i++) {
    v[i] = exp_below(v[i], m);
    sum_exp += v[i];
  }
  put_partial(partials_sum, simd_sum(sum_exp), lane, simd);
  threadgroup_barrier(mem_flags::mem_threadgroup); // the held row's sum
  const float total = sum_partials(partials_sum);

  // 3. y, rounded once.
#pragma unroll
  for (uint first = 0; first < VALUES; first += PACK) {
    const uint pack = first / PACK * THREADS + thread_index;
    for (uint i = 0; i < PACK; i++) v[first + i] = v[first + i] / total;
    if (pack < width / PACK) store_pack(y, pack, v + first);
  }
}

/// The same over rows of any length: three passes over x. width: multiple of 16 / sizeof(T).
template <typename T>
[[kernel, max_total_threads_per_threadgroup(THREADS)]] void softmax_rows_looped(
    device const T* x [[buffer(0)]],
    device T* y [[buffer(1)]],
    constant uint& width [[buffer(2)]],
    uint row [[threadgroup_position_in_grid]],
    uint thread_index [[thread_index_in_threadgroup]],
    uint lane [[thread_index_in_simdgroup]],
    uint simd [[simdgroup_index_in_threadgroup]]) {
  constexpr uint PACK = 16 / sizeof(T);
  threadgroup float partials_max[SIMDS];
  threadgroup float partials_sum[SIMDS];
  const uint packs = width / PACK;
  x += ulong(row) * width;
  y += ulong(row) * width;
  float v[PACK];

  // 1. The row's largest.
  float largest = -INFINITY;
  for (uint pack = thread_index; pack < packs; pack += THREADS) {
    load_pack(x, pack, v);
    for (uint i = 0; i < PACK; i++) largest = larger(largest, v[i]);
  }
  put_partial(partials_max, simd_largest(largest), lane, simd);
  threadgroup_barrier(mem_flags::mem_threadgroup); // the looped row's largest
  const float m = max_partials(partials_max);

  // 2. The sum of the exponentials.
  float sum_exp = 0.0f;
  for (uint pack = thread_index; pack < packs; pack += THREADS) {
    load_pack(x, pack, v);
    for (uint i = 0; i < PACK; i++) sum_exp += exp_below(v[i], m);
  }
  put_partial(partials_sum, simd_sum(sum_exp), lane, simd);
  threadgroup_barrier(mem_flags::mem_threadgroup); // the looped row's sum
  const float total = sum_partials(partials_sum);

  // 3. y, rounded once.
  for (uint pack = thread_index; pack < packs; pack += THREADS) {
    load_pack(x, pack, v);
    for (uint i = 0; i < PACK; i++) v[i] = exp_below(v[i], m) / total;
    store_pack(y, pack, v);
  }
}

template [[host_name("tf_softmax_rows_f32")]] [[kernel]] decltype(softmax_rows<float>) softmax_rows<float>;
template [[host_name("tf_softmax_rows_bf16")]] [[kernel]] decltype(softmax_rows<bfloat>) softmax_rows<bfloat>;
template [[host_name("tf_softmax_rows_f32_looped")]] [[kernel]] decltype(softmax_rows_looped<float>)
    softmax_rows_looped<float>;
template [[host_name("tf_softmax_rows_bf16_looped")]] [[kernel]] decltype(softmax_rows_looped<bfloat>)
    softmax_rows_looped<bfloat>;
