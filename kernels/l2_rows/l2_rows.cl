#include "pack.h"
#include "reduce.h"

/// s = bf16(x + r).
static inline float8 entry_sum(global const ushort* x, global const ushort* r, uint pack) {
  return from_bf16(to_bf16(load_pack(x, pack) + load_pack(r, pack)));
}

/// s = bf16(x + r); y = bf16(s / √(Σ s² + eps)): eps on the sum, IEEE square root and division.
/// One work-group a row. width: multiple of 8. s is formed twice: 8,192 of them would fill a group's registers.
kernel GROUP_OF_THREADS void tf_l2_rows(global const ushort* restrict x, global const ushort* restrict r,
                                        global ushort* restrict y, uint width, float eps) {
  local float partials[SUB_GROUPS];
  const uint thread = get_local_id(0);
  const uint packs = width / PACK;
  const ulong offset = get_group_id(0) * (ulong)width;
  x += offset;
  r += offset;
  y += offset;

  // 1. Σ s².
  float sum_squares = 0.0f;
  for (uint pack = thread; pack < packs; pack += THREADS) {
    const float8 s = entry_sum(x, r, pack);
    sum_squares = fma_each(s, s, sum_squares);
  }
  put_partial(partials, sub_group_reduce_add(sum_squares));
  barrier(CLK_LOCAL_MEM_FENCE);
  const float total = sum_partials(partials);

  // 2. The row's norm.
  const float norm = sqrt(total + eps);

  // 3. y, rounded once.
  for (uint pack = thread; pack < packs; pack += THREADS) {
    const float8 s = entry_sum(x, r, pack);
    store_pack(y, pack, to_bf16(s / norm));
  }
}
