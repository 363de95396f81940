#include "arithmetic.h"

/// a = max(x, 0); y = bf16(a²): one threadgroup a row, any width.
/// fmax returns its other operand for a NaN, so a NaN gives 0 where the formula keeps it.
[[kernel, max_total_threads_per_threadgroup(THREADS)]] void tf_relu2_rows(
    device const bfloat* x [[buffer(0)]],
    device bfloat* y [[buffer(1)]],
    constant uint& width [[buffer(2)]],
    uint row [[threadgroup_position_in_grid]],
    uint thread_index [[thread_index_in_threadgroup]]) {
  x += ulong(row) * width;
  y += ulong(row) * width;

  for (uint i = thread_index; i < width; i += THREADS) {
    const float a = fmax(float(x[i]), 0.0f);
    y[i] = bfloat(a * a);
  }
}
