#include "pack.h"
#include "reduce.h"

/// y = Σ x: one work-group a row, 8 bf16 values a work-item a step. width: multiple of 8.
kernel GROUP_OF_THREADS void tf_row_sum(global const ushort* restrict x, global float* restrict y, uint width) {
  local float partials[SUB_GROUPS];
  const uint thread = get_local_id(0);
  const ulong row = get_group_id(0);
  x += row * width;

  // 1. Each work-item sums its packs in order.
  float sum = 0.0f;
  for (uint pack = thread; pack < width / PACK; pack += THREADS) sum = add_each(sum, load_pack(x, pack));

  // 2. The work-group's sum.
  put_partial(partials, sub_group_reduce_add(sum));
  barrier(CLK_LOCAL_MEM_FENCE);
  const float total = sum_partials(partials);
  if (thread == 0) y[row] = total;
}
