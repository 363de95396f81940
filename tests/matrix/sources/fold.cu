#include "reduce.cuh"
#include "round.cuh"

extern "C" __global__ void tf_fold(const float* x, bf16* y, unsigned width, float eps) {
  __shared__ float partials[WARPS];
  const float* row = x + size_t(blockIdx.x) * width;
  float sum = 0.0f;
  float most = -INFINITY;
  for (unsigned i = threadIdx.x; i < width; i += THREADS) {
    most = larger(most, row[i]);
    sum += expf(row[i] - most);
  }
  put_partial(partials, warp_sum(sum));
  __syncthreads();
  if (threadIdx.x == 0) y[blockIdx.x] = __float2bfloat16_rn(2.0f * round_bf16(sum_partials(partials) + eps));
}
