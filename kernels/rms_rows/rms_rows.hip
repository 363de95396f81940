#include "reduce.hpp"
#include "round.hpp"

/** The consecutive values a thread owns: thread t those from (i * THREADS + t) * OWNED. */
constexpr unsigned OWNED = 8;

/**
 * y = T(x * rsqrt(mean(x * x) + eps) * w): x bf16 [rows, width], w bf16 [width], y T [rows, width], fp32 between.
 * A group a row, scalar loads, any width.
 */
template <class T>
__device__ __forceinline__ void rms_rows(const bf16* __restrict__ x, const bf16* __restrict__ w, T* __restrict__ y,
                                         unsigned width, float eps) {
  __shared__ float partials[WAVES];
  const size_t row = size_t(blockIdx.x) * width;

  // 1. The sum of squares, each thread over its own values in order.
  float sum_squares = 0.0f;
  for (unsigned first = threadIdx.x * OWNED; first < width; first += THREADS * OWNED) {
    const unsigned sum_end = min(first + OWNED, width);
    for (unsigned i = first; i < sum_end; i++) {
      const float value = to_f32(x[row + i]);
      sum_squares = fmaf(value, value, sum_squares);
    }
  }
  put_partial(partials, wave_sum(sum_squares));
  __syncthreads();

  // 2. One scale for the row.
  const float mean_square = sum_partials(partials) / float(width);
  const float scale = rsqrtf(mean_square + eps);

  // 3. y = T(x * scale * w).
  for (unsigned first = threadIdx.x * OWNED; first < width; first += THREADS * OWNED) {
    const unsigned end = min(first + OWNED, width);
    for (unsigned i = first; i < end; i++) {
      y[row + i] = round_to<T>(to_f32(x[row + i]) * scale * to_f32(w[i]));
    }
  }
}

extern "C" __global__ void __launch_bounds__(THREADS)
tf_rms_rows_f32(const bf16* __restrict__ x, const bf16* __restrict__ w, float* __restrict__ y, unsigned width,
                float eps) {
  rms_rows<float>(x, w, y, width, eps);
}

extern "C" __global__ void __launch_bounds__(THREADS)
tf_rms_rows_bf16(const bf16* __restrict__ x, const bf16* __restrict__ w, bf16* __restrict__ y, unsigned width,
                 float eps) {
  rms_rows<bf16>(x, w, y, width, eps);
}

extern "C" __global__ void __launch_bounds__(THREADS)
tf_rms_rows_f16(const bf16* __restrict__ x, const bf16* __restrict__ w, f16* __restrict__ y, unsigned width,
                float eps) {
  rms_rows<f16>(x, w, y, width, eps);
}
