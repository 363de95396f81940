#include "pack.h"
#include "reduce.h"

/// mu = mean(x); d = x - mu; y = bf16(d * rsqrt(mean(d²) + eps) * w + b): the mean first, then the squares about it,
/// so no difference of large sums is taken. One work-group a row, any width.
kernel GROUP_OF_THREADS void tf_layer_norm_rows(global const ushort* restrict x, global const ushort* restrict w,
                                                global const ushort* restrict b, global ushort* restrict y,
                                                uint width, float eps) {
  local float partials_sum[SUB_GROUPS], partials_squares[SUB_GROUPS];
  const uint thread = get_local_id(0);
  const ulong offset = get_group_id(0) * (ulong)width;
  x += offset;
  y += offset;

  // 1. The mean.
  float sum = 0.0f;
  for (uint i = thread; i < width; i += THREADS) sum += from_bf16(x[i]);
  put_partial(partials_sum, sub_group_reduce_add(sum));
  barrier(CLK_LOCAL_MEM_FENCE); // the sum
  const float mean = sum_partials(partials_sum) / (float)width;

  // 2. The mean square about it.
  float sum_squares = 0.0f;
  for (uint i = thread; i < width; i += THREADS) {
    const float d = from_bf16(x[i]) - mean;
    sum_squares = fma(d, d, sum_squares);
  }
  put_partial(partials_squares, sub_group_reduce_add(sum_squares));
  barrier(CLK_LOCAL_MEM_FENCE); // the sum of squares
  const float variance = sum_partials(partials_squares) / (float)width;

  // 3. y, rounded once.
  const float scale = rsqrt(variance + eps);
  for (uint i = thread; i < width; i += THREADS) {
    const float d = from_bf16(x[i]) - mean;
    y[i] = to_bf16(fma(d * scale, from_bf16(w[i]), from_bf16(b[i])));
  }
}
