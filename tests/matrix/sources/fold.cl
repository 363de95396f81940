#include "pack.h"
#include "reduce.h"

kernel void tf_fold(global const float* restrict x, global ushort* restrict y, uint width, float eps) {
  local float partials[SUB_GROUPS];
  const uint thread = get_local_id(0);
  x += (ulong)get_group_id(0) * width;
  float sum = 0.0f;
  float most = -INFINITY;
  for (uint i = thread; i < width; i += THREADS) {
    most = larger(most, x[i]);
    sum += exp(x[i] - most);
  }
  put_partial(partials, sub_group_reduce_add(sum));
  barrier(CLK_LOCAL_MEM_FENCE);
  if (thread == 0) y[get_group_id(0)] = to_bf16(2.0f * from_bf16(to_bf16(sum_partials(partials) + eps)));
}
