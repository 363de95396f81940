#include "pack.h"

/// a = max(x, 0); y = bf16(a²): one work-group a row, any width.
/// fmax returns its other operand for a NaN, so a NaN gives 0 where the formula keeps it.
kernel GROUP_OF_THREADS void tf_relu2_rows(global const ushort* restrict x, global ushort* restrict y, uint width) {
  const ulong offset = get_group_id(0) * (ulong)width;
  x += offset;
  y += offset;

  for (uint i = get_local_id(0); i < width; i += THREADS) {
    const float a = fmax(from_bf16(x[i]), 0.0f);
    y[i] = to_bf16(a * a);
  }
}
