#include "pack.h"

#define GROUP 64 // values that share a scale and a bias

/// The 8 codes of a pack, the first in the low bits of the first word. `bits`: 4 or 8, a constant of each kernel.
static inline float8 load_codes(global const uint* q, uint pack, const uint bits) {
  if (bits == 8) return convert_float8(((global const uchar8*)q)[pack]);
  const uint8 shifts = (uint8)(0, 4, 8, 12, 16, 20, 24, 28);
  return convert_float8((uint8)(q[pack]) >> shifts & 15u);
}

/// y = bf16(Σ x * (scale * q + bias)): MLX affine codes. A sub-group an output column, a lane 8 values a step; these lie
/// in one group of 64, so a lane's part is factored:
///   scale * Σ q x + bias * Σ x.
/// grid: [⌈n / SUB_GROUPS⌉, rows]. n: any. k: multiple of GROUP.
static inline void affine_rows(global const ushort* x, global const uint* q, global const ushort* scale,
                               global const ushort* bias, global ushort* y, uint rows, uint k, uint n,
                               const uint bits) {
  const uint lane = get_sub_group_local_id();
  const uint row = get_group_id(1);
  const uint column = get_group_id(0) * SUB_GROUPS + get_sub_group_id();
  if (row >= rows || column >= n) return; // a whole sub-group; the kernel has no barrier
  x += (ulong)row * k;
  q += (ulong)column * (k / 32 * bits);
  scale += (ulong)column * (k / GROUP);
  bias += (ulong)column * (k / GROUP);

  // 1. Each lane's share.
  float sum = 0.0f;
  for (uint pack = lane; pack < k / PACK; pack += LANES) {
    const float8 v = load_pack(x, pack);
    const float sum_x = add_each(0.0f, v);
    const float sum_qx = fma_each(load_codes(q, pack, bits), v, 0.0f);
    const uint block = pack / (GROUP / PACK);
    sum = fma(from_bf16(bias[block]), sum_x, sum);
    sum = fma(from_bf16(scale[block]), sum_qx, sum);
  }

  // 2. The sub-group's sum, rounded once.
  const float total = sub_group_reduce_add(sum);
  if (lane == 0) y[(ulong)row * n + column] = to_bf16(total);
}

kernel GROUP_OF_THREADS void tf_affine_rows_4(global const ushort* restrict x, global const uint* restrict q,
                                              global const ushort* restrict scale, global const ushort* restrict bias,
                                              global ushort* restrict y, uint rows, uint k, uint n) {
  affine_rows(x, q, scale, bias, y, rows, k, n, 4);
}

kernel GROUP_OF_THREADS void tf_affine_rows_8(global const ushort* restrict x, global const uint* restrict q,
                                              global const ushort* restrict scale, global const ushort* restrict bias,
                                              global ushort* restrict y, uint rows, uint k, uint n) {
  affine_rows(x, q, scale, bias, y, rows, k, n, 8);
}
