#include "pack.h"

/// y = x where the key is kept (an odd word), 0 where it is masked: one work-group a row, any width.
/// The key's weight, 0 or 1, is multiplied: what a masked key holds is not skipped, and 0 times an infinity is NaN.
kernel GROUP_OF_THREADS void tf_masked_rows(global const float* restrict x, global const uint* restrict keep,
                                            global float* restrict y, uint width) {
  const ulong offset = get_group_id(0) * (ulong)width;
  x += offset;
  y += offset;

  for (uint i = get_local_id(0); i < width; i += THREADS) {
    const float weight = (float)(keep[i] & 1u);
    y[i] = fma(weight, x[i], 0.0f);
  }
}
