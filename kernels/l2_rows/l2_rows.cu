#include "reduce.cuh"
#include "vector.cuh"

constexpr unsigned MAX_WIDTH = 8192;
constexpr unsigned STEPS = MAX_WIDTH / (THREADS * VECTOR<bf16>);

/**
 * s = bf16(x + r); y = bf16(s / sqrt(sum(s * s) + eps)): all bf16 [rows, width], fp32 between the rounding points, IEEE
 * square root and division. A group a row, 16-byte loads, width a multiple of 8 to MAX_WIDTH; s stays in registers.
 */
extern "C" __global__ void __launch_bounds__(THREADS)
tf_l2_rows(const bf16* __restrict__ x, const bf16* __restrict__ r, bf16* __restrict__ y, unsigned width, float eps) {
  __shared__ float partials[WARPS];
  const size_t row = size_t(blockIdx.x) * width;

  // 1. s, and the sum of its squares.
  float s[STEPS][VECTOR<bf16>];
  float sum_squares = 0.0f;
#pragma unroll
  for (unsigned step = 0; step < STEPS; step++) {
    const unsigned first = (step * THREADS + threadIdx.x) * VECTOR<bf16>;
    if (first >= width) break;
    float residual[VECTOR<bf16>];
    load_vector(x + row + first, s[step]);
    load_vector(r + row + first, residual);
#pragma unroll
    for (unsigned j = 0; j < VECTOR<bf16>; j++) {
      s[step][j] = round_bf16(s[step][j] + residual[j]);
      sum_squares = fmaf(s[step][j], s[step][j], sum_squares);
    }
  }
  put_partial(partials, warp_sum(sum_squares));
  __syncthreads();

  // 2. The row's length.
  const float length = __fsqrt_rn(sum_partials(partials) + eps);

  // 3. y = bf16(s / length).
#pragma unroll
  for (unsigned step = 0; step < STEPS; step++) {
    const unsigned first = (step * THREADS + threadIdx.x) * VECTOR<bf16>;
    if (first >= width) break;
#pragma unroll
    for (unsigned j = 0; j < VECTOR<bf16>; j++) s[step][j] = __fdiv_rn(s[step][j], length);
    store_vector(y + row + first, s[step]);
  }
}
