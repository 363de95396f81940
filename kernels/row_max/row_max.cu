#include "reduce.cuh"
#include "vector.cuh"

/**
 * y[row] = max(x[row]), NaN if the row holds one: x fp32 [rows, width], y fp32 [rows]. A group a row, 16-byte loads,
 * width a multiple of 4.
 */
extern "C" __global__ void __launch_bounds__(THREADS)
tf_row_max(const float* __restrict__ x, float* __restrict__ y, unsigned width) {
  __shared__ float partials[WARPS];
  const float* row = x + size_t(blockIdx.x) * width;

  // 1. Each thread's largest value; -Inf where it has none, which never wins.
  float largest = -INFINITY;
  for (unsigned first = threadIdx.x * VECTOR<float>; first < width; first += THREADS * VECTOR<float>) {
    float values[VECTOR<float>];
    load_vector(row + first, values);
#pragma unroll
    for (unsigned j = 0; j < VECTOR<float>; j++) largest = larger(largest, values[j]);
  }

  // 2. Then the warp's, then the group's.
  put_partial(partials, warp_max(largest));
  __syncthreads();
  if (threadIdx.x == 0) y[blockIdx.x] = max_partials(partials);
}
