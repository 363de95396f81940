#include "pack.h"
#include "reduce.h"

/// The type every sum of this kernel is held in.
typedef float accumulator;

/// y = Σ x * w: one work-group a row, any width.
kernel GROUP_OF_THREADS void tf_dot_rows(global const ushort* restrict x, global const ushort* restrict w,
                                         global float* restrict y, uint width) {
  local accumulator partials[SUB_GROUPS];
  const uint thread = get_local_id(0);
  const ulong row = get_group_id(0);
  x += row * width;

  // 1. Each work-item's products, fused into its sum.
  accumulator sum = 0;
  for (uint i = thread; i < width; i += THREADS) sum = (accumulator)fma(from_bf16(x[i]), from_bf16(w[i]), (float)sum);

  // 2. The work-group's sum.
  put_partial(partials, sub_group_reduce_add(sum));
  barrier(CLK_LOCAL_MEM_FENCE);
  const accumulator total = sum_partials(partials);
  if (thread == 0) y[row] = (float)total;
}
