#include "group.cuh"

/**
 * y = x where the key is kept (an odd word), 0 where it is masked: x and y fp32 [rows, width], keep u32 [width]. A group a row, any
 * width. The key's weight, 0 or 1, is multiplied: what a masked key holds is not skipped, and 0 times an infinity is NaN.
 */
extern "C" __global__ void __launch_bounds__(THREADS)
tf_masked_rows(const float* __restrict__ x, const unsigned* __restrict__ keep, float* __restrict__ y, unsigned width) {
  const size_t row = size_t(blockIdx.x) * width;
  for (unsigned i = threadIdx.x; i < width; i += THREADS) {
    const float weight = float(keep[i] & 1u);
    y[row + i] = fmaf(weight, x[row + i], 0.0f);
  }
}
