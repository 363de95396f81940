#include "reduce.hpp"
#include "vector.hpp"

constexpr unsigned MAX_WIDTH = 8192;
constexpr unsigned STEPS = MAX_WIDTH / (THREADS * VECTOR<bf16>);

/** a + lr * (b - a), each of the three steps rounded to fp32. */
__device__ __forceinline__ float lerp_unfused(float a, float b, float lr) {
#pragma clang fp contract(off)
  const float step = lr * (b - a);
  return a + step;
}

/**
 * l2(v) = v / sqrt(sum(v * v) + eps); a = bf16(l2(res)); b = bf16(l2(out)); z = a + lr * (b - a); h = bf16(l2(z)):
 * res, out and h bf16 [rows, width], lr fp32 [width], fp32 between the rounding points, IEEE square root and division.
 * A group a row, 16-byte loads, width a multiple of 8 to MAX_WIDTH; the row stays in registers.
 */
extern "C" __global__ void __launch_bounds__(THREADS)
tf_slerp_rows(const bf16* __restrict__ res, const bf16* __restrict__ out, const float* __restrict__ lr,
              bf16* __restrict__ h, unsigned width, float eps) {
  __shared__ float res_partials[WAVES];
  __shared__ float out_partials[WAVES];
  __shared__ float z_partials[WAVES];
  const size_t row = size_t(blockIdx.x) * width;

  // 1. Hold res and out; their sums of squares share a barrier.
  float held_res[STEPS][VECTOR<bf16>];
  float held_out[STEPS][VECTOR<bf16>];
  float res_squares = 0.0f;
  float out_squares = 0.0f;
#pragma unroll
  for (unsigned step = 0; step < STEPS; step++) {
    const unsigned first = (step * THREADS + threadIdx.x) * VECTOR<bf16>;
    if (first >= width) break;
    load_vector(res + row + first, held_res[step]);
    load_vector(out + row + first, held_out[step]);
#pragma unroll
    for (unsigned j = 0; j < VECTOR<bf16>; j++) {
      res_squares = fmaf(held_res[step][j], held_res[step][j], res_squares);
      out_squares = fmaf(held_out[step][j], held_out[step][j], out_squares);
    }
  }
  put_partial(res_partials, wave_sum(res_squares));
  put_partial(out_partials, wave_sum(out_squares));
  __syncthreads();  // both lengths are whole

  // 2. Both lengths.
  const float res_length = sqrtf(sum_partials(res_partials) + eps);
  const float out_length = sqrtf(sum_partials(out_partials) + eps);

  // 3. a, b, z, and the sum of z's squares.
  float z[STEPS][VECTOR<bf16>];
  float z_squares = 0.0f;
#pragma unroll
  for (unsigned step = 0; step < STEPS; step++) {
    const unsigned first = (step * THREADS + threadIdx.x) * VECTOR<bf16>;
    if (first >= width) break;
    float rates[2][VECTOR<float>];
    load_vector(lr + first, rates[0]);
    load_vector(lr + first + VECTOR<float>, rates[1]);
#pragma unroll
    for (unsigned j = 0; j < VECTOR<bf16>; j++) {
      const float a = round_bf16(held_res[step][j] / res_length);
      const float b = round_bf16(held_out[step][j] / out_length);
      z[step][j] = lerp_unfused(a, b, rates[j / VECTOR<float>][j % VECTOR<float>]);
      z_squares = fmaf(z[step][j], z[step][j], z_squares);
    }
  }
  put_partial(z_partials, wave_sum(z_squares));
  __syncthreads();  // z's length is whole

  // 4. h = bf16(l2(z)).
  const float z_length = sqrtf(sum_partials(z_partials) + eps);
#pragma unroll
  for (unsigned step = 0; step < STEPS; step++) {
    const unsigned first = (step * THREADS + threadIdx.x) * VECTOR<bf16>;
    if (first >= width) break;
#pragma unroll
    for (unsigned j = 0; j < VECTOR<bf16>; j++) z[step][j] = z[step][j] / z_length;
    store_vector(h + row + first, z[step]);
  }
}
