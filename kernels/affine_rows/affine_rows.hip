#include "reduce.hpp"
#include "vector.hpp"

/** The values along K that share a scale and a bias. */
constexpr unsigned GROUP = 64;

/**
 * y = bf16(sum(x * (scale * q + bias))): x bf16 [rows, k], q BITS-bit codes [n, k] in u32 words, first code in the low
 * bits, scale and bias bf16 [n, k / 64], y bf16 [rows, n]. A wave a column of one row, grid [ceil(n / WAVES), rows],
 * k a multiple of 64. A word's codes share a group, so it adds scale * sum(q * x) + bias * sum(x).
 */
template <unsigned BITS>
__device__ __forceinline__ void affine_rows(const bf16* __restrict__ x, const unsigned* __restrict__ q,
                                            const bf16* __restrict__ scale, const bf16* __restrict__ bias,
                                            bf16* __restrict__ y, unsigned rows, unsigned k, unsigned n) {
  constexpr unsigned CODES = 32 / BITS;
  constexpr unsigned CODE_MASK = (1u << BITS) - 1;
  const unsigned lane = threadIdx.x % LANES;
  const unsigned column = blockIdx.x * WAVES + threadIdx.x / LANES;
  const unsigned row = blockIdx.y;
  if (column >= n || row >= rows) return;  // LANES lanes together, so the reduction below keeps every lane

  // 1. Each lane's own words.
  const unsigned words = k / CODES;
  const bf16* activations = x + size_t(row) * k;
  const unsigned* codes = q + size_t(column) * words;
  const size_t first_group = size_t(column) * (k / GROUP);
  float sum = 0.0f;
  for (unsigned word = lane; word < words; word += LANES) {
    float values[CODES];
    load_vector(activations + word * CODES, values);
    const unsigned packed = codes[word];
    float code_sum = 0.0f;
    float value_sum = 0.0f;
#pragma unroll
    for (unsigned j = 0; j < CODES; j++) {
      const float code = float(packed >> (j * BITS) & CODE_MASK);
      code_sum = fmaf(code, values[j], code_sum);
      value_sum += values[j];
    }
    const size_t group = first_group + word * CODES / GROUP;
    sum = fmaf(to_f32(bias[group]), value_sum, sum);
    sum = fmaf(to_f32(scale[group]), code_sum, sum);
  }

  // 2. The wave's sum.
  sum = wave_sum(sum);
  if (lane == 0) y[size_t(row) * n + column] = round_to<bf16>(sum);
}

extern "C" __global__ void __launch_bounds__(THREADS)
tf_affine_rows_4(const bf16* __restrict__ x, const unsigned* __restrict__ q, const bf16* __restrict__ scale,
                 const bf16* __restrict__ bias, bf16* __restrict__ y, unsigned rows, unsigned k, unsigned n) {
  affine_rows<4>(x, q, scale, bias, y, rows, k, n);
}

extern "C" __global__ void __launch_bounds__(THREADS)
tf_affine_rows_8(const bf16* __restrict__ x, const unsigned* __restrict__ q, const bf16* __restrict__ scale,
                 const bf16* __restrict__ bias, bf16* __restrict__ y, unsigned rows, unsigned k, unsigned n) {
  affine_rows<8>(x, q, scale, bias, y, rows, k, n);
}
