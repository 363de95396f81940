#include "arithmetic.h"

/// y = x where the key is kept (an odd word), 0 where it is masked: one threadgroup a row, any width.
/// The key's weight, 0 or 1, is multiplied: what a masked key holds is not skipped, and 0 times an infinity is NaN.
[[kernel, max_total_threads_per_threadgroup(THREADS)]] void tf_masked_rows(
    device const float* x [[buffer(0)]],
    device const uint* keep [[buffer(1)]],
    device float* y [[buffer(2)]],
    constant uint& width [[buffer(3)]],
    uint row [[threadgroup_position_in_grid]],
    uint thread_index [[thread_index_in_threadgroup]]) {
  x += ulong(row) * width;
  y += ulong(row) * width;

  for (uint i = thread_index; i < width; i += THREADS) {
    const float weight = float(keep[i] & 1u);
    y[i] = fma(weight, x[i], 0.0f);
  }
}
