#include "reduce.hpp"
#include "round.hpp"

/** The type that every sum of this kernel is held in. */
using Accumulator = float;

/** y[row] = sum(x[row] * w): x bf16 [rows, width], w bf16 [width], y fp32 [rows]. A group a row, any width. */
extern "C" __global__ void __launch_bounds__(THREADS)
tf_dot_rows(const bf16* __restrict__ x, const bf16* __restrict__ w, float* __restrict__ y, unsigned width) {
  __shared__ Accumulator partials[WAVES];
  const bf16* row = x + size_t(blockIdx.x) * width;

  // 1. Each thread's own products, fused into its sum.
  Accumulator sum = Accumulator(0.0f);
  for (unsigned i = threadIdx.x; i < width; i += THREADS) {
    sum = Accumulator(fmaf(to_f32(row[i]), to_f32(w[i]), float(sum)));
  }

  // 2. Then the wave, then the group.
  put_partial(partials, wave_sum(sum));
  __syncthreads();
  if (threadIdx.x == 0) y[blockIdx.x] = float(sum_partials(partials));
}
