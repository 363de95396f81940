#include <metal_stdlib>
#if __METAL_VERSION__ >= 320
#pragma METAL fp math_mode(safe)  // an older compiler needs -fno-fast-math
#pragma METAL fp contract(off)
#endif
using namespace metal;

// m = max(x); e = exp(x - m); y = e / sum(e), over each row: x and y fp32 [rows, width]. A threadgroup of THREADS a row.
constexpr constant uint THREADS = 256;
constexpr constant uint LANES = 32;
constexpr constant uint SIMDS = THREADS / LANES;

/// The larger of two; a NaN of either wins, as in the formula's max. fmax and simd_max would drop it. Read from the bits, so
/// that finite-math flags cannot fold the question away.
inline float larger(float a, float b) {
  return a > b || (as_type<uint>(a) & 0x7fffffffu) > 0x7f800000u ? a : b;
}

[[kernel, max_total_threads_per_threadgroup(THREADS)]] void tf_row_softmax(
    device const float* x [[buffer(0)]],
    device float* y [[buffer(1)]],
    constant uint& width [[buffer(2)]],
    uint group [[threadgroup_position_in_grid]],
    uint thread_index [[thread_index_in_threadgroup]],
    uint lane [[thread_index_in_simdgroup]],
    uint simd [[simdgroup_index_in_threadgroup]]) {
  threadgroup float maxima[SIMDS];
  threadgroup float sums[SIMDS];
  const ulong row = ulong(group) * width;  // 64 bits: rows * width may pass 2^32

  // 1. The row's maximum: a thread's, its simdgroup's, the threadgroup's.
  float m = -INFINITY;
  for (uint i = thread_index; i < width; i += THREADS) m = larger(m, x[row + i]);
  for (ushort offset = LANES / 2; offset > 0; offset /= 2) m = larger(m, simd_shuffle_xor(m, offset));
  if (lane == 0) maxima[simd] = m;
  threadgroup_barrier(mem_flags::mem_threadgroup);  // the maxima are whole
  m = maxima[0];
  for (uint i = 1; i < SIMDS; i++) m = larger(m, maxima[i]);

  // 2. The sum of the exponentials, in the same steps.
  float sum = 0.0f;
  for (uint i = thread_index; i < width; i += THREADS) sum += precise::exp(x[row + i] - m);
  sum = simd_sum(sum);
  if (lane == 0) sums[simd] = sum;
  threadgroup_barrier(mem_flags::mem_threadgroup);  // the sums are whole
  sum = sums[0];
  for (uint i = 1; i < SIMDS; i++) sum += sums[i];

  // 3. The shares.
  for (uint i = thread_index; i < width; i += THREADS) y[row + i] = precise::exp(x[row + i] - m) / sum;
}
