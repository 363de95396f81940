#include "pack.h"
#include "reduce.h"

/// a = bf16(l2(res)); b = bf16(l2(out)); z = a + lr * (b - a), its steps in fp32, none fused.
static inline float4 turn(float4 res, float norm_res, float4 out, float norm_out, float4 lr) {
  const float4 a = from_bf16(to_bf16(res / norm_res));
  const float4 b = from_bf16(to_bf16(out / norm_out));
  const float4 move = lr * (b - a);
  return a + move;
}

/// With l2(v) = v / √(Σ v² + eps), IEEE square root and division:
///   a = bf16(l2(res)); b = bf16(l2(out)); z = a + lr * (b - a); h = bf16(l2(z)).
/// One work-group a row. width: multiple of 4. z is formed twice, and in quads: divisions take many registers.
kernel GROUP_OF_THREADS void tf_slerp_rows(global const ushort* restrict res, global const ushort* restrict out,
                                           global const float* restrict lr, global ushort* restrict h, uint width,
                                           float eps) {
  local float partials_res[SUB_GROUPS], partials_out[SUB_GROUPS], partials_z[SUB_GROUPS];
  const uint thread = get_local_id(0);
  const uint quads = width / 4;
  const ulong offset = get_group_id(0) * (ulong)width;
  res += offset;
  out += offset;
  h += offset;

  // 1. The inputs' norms; their sums share a barrier.
  float sum_squares_res = 0.0f;
  float sum_squares_out = 0.0f;
  for (uint quad = thread; quad < quads; quad += THREADS) {
    const float4 u = load_quad(res, quad);
    const float4 v = load_quad(out, quad);
    sum_squares_res = fma_each(u, u, sum_squares_res);
    sum_squares_out = fma_each(v, v, sum_squares_out);
  }
  put_partial(partials_res, sub_group_reduce_add(sum_squares_res));
  put_partial(partials_out, sub_group_reduce_add(sum_squares_out));
  barrier(CLK_LOCAL_MEM_FENCE); // the inputs' sums
  const float norm_res = sqrt(sum_partials(partials_res) + eps);
  const float norm_out = sqrt(sum_partials(partials_out) + eps);

  // 2. z's norm.
  float sum_squares_z = 0.0f;
  for (uint quad = thread; quad < quads; quad += THREADS) {
    const float4 z = turn(load_quad(res, quad), norm_res, load_quad(out, quad), norm_out, vload4(quad, lr));
    sum_squares_z = fma_each(z, z, sum_squares_z);
  }
  put_partial(partials_z, sub_group_reduce_add(sum_squares_z));
  barrier(CLK_LOCAL_MEM_FENCE); // z's sum
  const float norm_z = sqrt(sum_partials(partials_z) + eps);

  // 3. h, rounded once.
  for (uint quad = thread; quad < quads; quad += THREADS) {
    const float4 z = turn(load_quad(res, quad), norm_res, load_quad(out, quad), norm_out, vload4(quad, lr));
    ((global ushort4*)h)[quad] = to_bf16(z / norm_z);
  }
}
