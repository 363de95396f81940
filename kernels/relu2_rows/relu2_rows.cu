#include "group.cuh"
#include "round.cuh"

/**
 * a = max(x, 0); y = bf16(a * a): x and y bf16 [rows, width]. A group a row, any width. fmaxf drops a NaN, so y is 0
 * where the formula keeps it.
 */
extern "C" __global__ void __launch_bounds__(THREADS)
tf_relu2_rows(const bf16* __restrict__ x, bf16* __restrict__ y, unsigned width) {
  const size_t row = size_t(blockIdx.x) * width;
  for (unsigned i = threadIdx.x; i < width; i += THREADS) {
    const float a = fmaxf(__bfloat162float(x[row + i]), 0.0f);
    y[row + i] = round_to<bf16>(a * a);
  }
}
