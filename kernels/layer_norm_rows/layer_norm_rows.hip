#include "reduce.hpp"
#include "round.hpp"

/**
 * mu = mean(x); d = x - mu; y = bf16(d * rsqrt(mean(d * d) + eps) * w + b): x and y bf16 [rows, width], w and b bf16
 * [width], fp32 between. A group a row, any width; the mean comes first, so no difference of large sums is taken.
 */
extern "C" __global__ void __launch_bounds__(THREADS)
tf_layer_norm_rows(const bf16* __restrict__ x, const bf16* __restrict__ w, const bf16* __restrict__ b,
                   bf16* __restrict__ y, unsigned width, float eps) {
  __shared__ float mean_partials[WAVES];
  __shared__ float square_partials[WAVES];
  const size_t row = size_t(blockIdx.x) * width;

  // 1. mu = mean(x).
  float sum = 0.0f;
  for (unsigned i = threadIdx.x; i < width; i += THREADS) sum += to_f32(x[row + i]);
  put_partial(mean_partials, wave_sum(sum));
  __syncthreads();  // the sum is whole
  const float mu = sum_partials(mean_partials) / float(width);

  // 2. mean(d * d), and the row's scale.
  float sum_squares = 0.0f;
  for (unsigned i = threadIdx.x; i < width; i += THREADS) {
    const float d = to_f32(x[row + i]) - mu;
    sum_squares = fmaf(d, d, sum_squares);
  }
  put_partial(square_partials, wave_sum(sum_squares));
  __syncthreads();  // the sum of squares is whole
  const float mean_square = sum_partials(square_partials) / float(width);
  const float scale = rsqrtf(mean_square + eps);

  // 3. y = bf16(d * scale * w + b), the last product and sum fused.
  for (unsigned i = threadIdx.x; i < width; i += THREADS) {
    const float d = to_f32(x[row + i]) - mu;
    y[row + i] = round_to<bf16>(fmaf(d * scale, to_f32(w[i]), to_f32(b[i])));
  }
}
