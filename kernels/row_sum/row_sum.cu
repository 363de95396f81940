#include "reduce.cuh"
#include "vector.cuh"

/**
 * y[row] = sum(x[row]): x bf16 [rows, width], y fp32 [rows]. A group a row, 16-byte loads, width a multiple of 8.
 */
extern "C" __global__ void __launch_bounds__(THREADS)
tf_row_sum(const bf16* __restrict__ x, float* __restrict__ y, unsigned width) {
  __shared__ float partials[WARPS];
  const bf16* row = x + size_t(blockIdx.x) * width;

  // 1. Each thread sums its own vectors, value by value.
  float sum = 0.0f;
  for (unsigned first = threadIdx.x * VECTOR<bf16>; first < width; first += THREADS * VECTOR<bf16>) {
    float values[VECTOR<bf16>];
    load_vector(row + first, values);
#pragma unroll
    for (unsigned j = 0; j < VECTOR<bf16>; j++) sum += values[j];
  }

  // 2. Then the warp, then the group.
  put_partial(partials, warp_sum(sum));
  __syncthreads();
  if (threadIdx.x == 0) y[blockIdx.x] = sum_partials(partials);
}
