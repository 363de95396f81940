#include "pack.h"
#include "reduce.h"

/// y = bf16(x * rsqrt(mean(x²) + eps) * w): tf_rms_rows_bf16 with 16-byte loads, bit for bit. width: multiple of 8.
kernel GROUP_OF_THREADS void tf_rms_rows_vec_bf16(global const ushort* restrict x, global const ushort* restrict w,
                                                  global ushort* restrict y, uint width, float eps) {
  local float partials[SUB_GROUPS];
  const uint thread = get_local_id(0);
  const uint packs = width / PACK;
  const ulong offset = get_group_id(0) * (ulong)width;
  x += offset;
  y += offset;

  // 1. Σ x².
  float sum_squares = 0.0f;
  for (uint pack = thread; pack < packs; pack += THREADS) {
    const float8 v = load_pack(x, pack);
    sum_squares = fma_each(v, v, sum_squares);
  }
  put_partial(partials, sub_group_reduce_add(sum_squares));
  barrier(CLK_LOCAL_MEM_FENCE);
  const float total = sum_partials(partials);

  // 2. The row's scale.
  const float scale = rsqrt(total / (float)width + eps);

  // 3. y, rounded once.
  for (uint pack = thread; pack < packs; pack += THREADS) {
    const float8 v = load_pack(x, pack) * scale * load_pack(w, pack);
    store_pack(y, pack, to_bf16(v));
  }
}
