#include "reduce.cuh"
#include "vector.cuh"

/**
 * y = bf16(x * rsqrt(mean(x * x) + eps) * w): x and y bf16 [rows, width], w bf16 [width], fp32 between. A group a row,
 * 16-byte loads, width a multiple of 8. The order of every step is tf_rms_rows_bf16's, so the bits are equal.
 */
extern "C" __global__ void __launch_bounds__(THREADS)
tf_rms_rows_vec_bf16(const bf16* __restrict__ x, const bf16* __restrict__ w, bf16* __restrict__ y, unsigned width,
                     float eps) {
  __shared__ float partials[WARPS];
  const size_t row = size_t(blockIdx.x) * width;
  float values[VECTOR<bf16>];

  // 1. The sum of squares, each thread over its own vectors, value by value.
  float sum_squares = 0.0f;
  for (unsigned first = threadIdx.x * VECTOR<bf16>; first < width; first += THREADS * VECTOR<bf16>) {
    load_vector(x + row + first, values);
#pragma unroll
    for (unsigned j = 0; j < VECTOR<bf16>; j++) sum_squares = fmaf(values[j], values[j], sum_squares);
  }
  put_partial(partials, warp_sum(sum_squares));
  __syncthreads();

  // 2. One scale for the row.
  const float mean_square = sum_partials(partials) / float(width);
  const float scale = rsqrtf(mean_square + eps);

  // 3. y = bf16(x * scale * w).
  for (unsigned first = threadIdx.x * VECTOR<bf16>; first < width; first += THREADS * VECTOR<bf16>) {
    float weights[VECTOR<bf16>];
    load_vector(x + row + first, values);
    load_vector(w + first, weights);
#pragma unroll
    for (unsigned j = 0; j < VECTOR<bf16>; j++) values[j] = values[j] * scale * weights[j];
    store_vector(y + row + first, values);
  }
}
