#include "pack.h"

constexpr constant uint GROUP = 64; // values that share a scale and a bias
constexpr constant uint CODES = 8;  // codes of a lane a step: one 16-byte pack of x

/// y = bf16(Σ x · (scale · q + bias)): MLX affine codes of BITS bits, the first in a word's low bits.
/// A simdgroup an output column. A lane's 8 codes lie in one group, so its part is factored:
///   scale · Σ q·x + bias · Σ x.
/// grid: [⌈n / SIMDS⌉, rows]. n: any. k: multiple of GROUP.
template <uint BITS>
[[kernel, max_total_threads_per_threadgroup(THREADS)]] void affine_rows(
    device const bfloat* x [[buffer(0)]],
    device const uint* q [[buffer(1)]],
    device const bfloat* scale [[buffer(2)]],
    device const bfloat* bias [[buffer(3)]],
    device bfloat* y [[buffer(4)]],
    constant uint& rows [[buffer(5)]],
    constant uint& k [[buffer(6)]],
    constant uint& n [[buffer(7)]],
    uint2 group [[threadgroup_position_in_grid]],
    uint lane [[thread_index_in_simdgroup]],
    uint simd [[simdgroup_index_in_threadgroup]]) {
  constexpr uint WORD_CODES = 32 / BITS;
  constexpr uint WORDS = CODES / WORD_CODES;
  constexpr uint MASK = (1u << BITS) - 1u;
  const uint row = group.y;
  const uint column = group.x * SIMDS + simd;
  if (row >= rows || column >= n) return; // a whole simdgroup; the kernel has no barrier
  x += ulong(row) * k;
  q += ulong(column) * (k / WORD_CODES);
  scale += ulong(column) * (k / GROUP);
  bias += ulong(column) * (k / GROUP);

  // 1. Each lane's share.
  float sum = 0.0f;
  for (uint pack = lane; pack < k / CODES; pack += LANES) {
    float v[CODES];
    load_pack(x, pack, v);
    float sum_qx = 0.0f;
    float sum_x = 0.0f;
    for (uint word = 0; word < WORDS; word++) {
      const uint codes = q[pack * WORDS + word];
      for (uint i = 0; i < WORD_CODES; i++) {
        const float code = float((codes >> (i * BITS)) & MASK);
        sum_qx = fma(code, v[word * WORD_CODES + i], sum_qx);
        sum_x += v[word * WORD_CODES + i];
      }
    }
    const uint block = pack * CODES / GROUP;
    sum = fma(float(bias[block]), sum_x, sum);
    sum = fma(float(scale[block]), sum_qx, sum);
  }

  // 2. The simdgroup's sum, rounded once.
  const float total = simd_sum(sum);
  if (lane == 0) y[ulong(row) * n + column] = bfloat(total);
}

template [[host_name("tf_affine_rows_4")]] [[kernel]] decltype(affine_rows<4>) affine_rows<4>;
template [[host_name("tf_affine_rows_8")]] [[kernel]] decltype(affine_rows<8>) affine_rows<8>;
