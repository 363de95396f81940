#include "reduce.h"

/// y = max(x), NaN if any x is: one work-group a row, float4 loads. width: multiple of 4.
kernel GROUP_OF_THREADS void tf_row_max(global const float* restrict x, global float* restrict y, uint width) {
  local float partials[SUB_GROUPS];
  const uint thread = get_local_id(0);
  const ulong row = get_group_id(0);
  global const float4* quads = (global const float4*)(x + row * width);

  // 1. Each work-item's largest; -inf, the empty maximum, where it has no values.
  float largest = -INFINITY;
  for (uint quad = thread; quad < width / 4; quad += THREADS) {
    const float4 v = quads[quad];
    largest = largest_of(largest, v);
  }

  // 2. The work-group's largest.
  put_partial(partials, sub_group_largest(largest));
  barrier(CLK_LOCAL_MEM_FENCE);
  const float total = max_partials(partials);
  if (thread == 0) y[row] = total;
}
