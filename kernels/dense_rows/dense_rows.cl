#include "pack.h"

#define VEC_ROWS 8 // the most rows of tf_dense_rows_vec

/// y = bf16(Σ x * w) for 1 to VEC_ROWS rows: a sub-group an output column, 8 values a lane a step, so w is read once
/// for all rows. grid: [⌈n / SUB_GROUPS⌉]. n: any. k: multiple of 8.
kernel GROUP_OF_THREADS void tf_dense_rows_vec(global const ushort* restrict x, global const ushort* restrict w,
                                               global ushort* restrict y, uint rows, uint k, uint n) {
  const uint lane = get_sub_group_local_id();
  const uint column = get_group_id(0) * SUB_GROUPS + get_sub_group_id();
  if (column >= n) return; // a whole sub-group; the kernel has no barrier
  w += (ulong)column * k;

  // 1. Each lane's share of every row's sum.
  float sums[VEC_ROWS] = {0.0f};
  for (uint pack = lane; pack < k / PACK; pack += LANES) {
    const float8 weight = load_pack(w, pack);
#pragma unroll
    for (uint row = 0; row < VEC_ROWS; row++) {
      if (row >= rows) break;
      sums[row] = fma_each(load_pack(x + (ulong)row * k, pack), weight, sums[row]);
    }
  }

  // 2. The sub-group's sums, rounded once.
#pragma unroll
  for (uint row = 0; row < VEC_ROWS; row++) {
    if (row >= rows) break;
    const float total = sub_group_reduce_add(sums[row]);
    if (lane == 0) y[(ulong)row * n + column] = to_bf16(total);
  }
}

#define ROW_TILE 32
#define COLUMN_TILE 64
#define K_TILE 32
#define PACKS_A_ROW (K_TILE / PACK)

#if THREADS != ROW_TILE * COLUMN_TILE / 8
#error "tf_dense_rows_tile: a work-item holds 2 x 4 outputs, so THREADS is 256"
#endif

/// A pack of a matrix of `count` rows of k, stored k first; zeros past its last row and past k, which add nothing.
/// `tile`: the column of the staged row, K_TILE rows of `pitch` floats.
static inline void stage(global const ushort* matrix, uint row, uint count, uint first_k, uint k, local float* tile,
                         uint pitch, uint tile_k) {
  float8 v = 0.0f;
  if (row < count && first_k < k) v = load_pack(matrix + (ulong)row * k, first_k / PACK);
  tile += tile_k * pitch;
  tile[0 * pitch] = v.s0;
  tile[1 * pitch] = v.s1;
  tile[2 * pitch] = v.s2;
  tile[3 * pitch] = v.s3;
  tile[4 * pitch] = v.s4;
  tile[5 * pitch] = v.s5;
  tile[6 * pitch] = v.s6;
  tile[7 * pitch] = v.s7;
}

/// Four outputs of a row, each rounded once, those inside y.
static inline void store_quad(global ushort* y, uint row, uint rows, uint column, uint n, float4 sums) {
  if (row >= rows) return;
  y += (ulong)row * n;
  const ushort4 v = to_bf16(sums);
  if (column < n) y[column] = v.s0;
  if (column + 1 < n) y[column + 1] = v.s1;
  if (column + 2 < n) y[column + 2] = v.s2;
  if (column + 3 < n) y[column + 3] = v.s3;
}

#define X_PITCH (ROW_TILE + 2) // spreads a staged row over the banks
#define W_PITCH (COLUMN_TILE + 4)

/// y = bf16(Σ x * w) for any rows: a work-group ROW_TILE x COLUMN_TILE outputs, a work-item 2 x 4 of them, k in tiles
/// of K_TILE, summed in order. grid: [⌈n / COLUMN_TILE⌉, ⌈rows / ROW_TILE⌉]. n: any. k: multiple of 8.
kernel GROUP_OF_THREADS void tf_dense_rows_tile(global const ushort* restrict x, global const ushort* restrict w,
                                                global ushort* restrict y, uint rows, uint k, uint n) {
  local float x_tile[K_TILE * X_PITCH];
  local float w_tile[K_TILE * W_PITCH];
  const uint thread = get_local_id(0);
  const uint first_row = get_group_id(1) * ROW_TILE;
  const uint first_column = get_group_id(0) * COLUMN_TILE;
  const uint staged_row = thread / PACKS_A_ROW;
  const uint staged_k = thread % PACKS_A_ROW * PACK;
  const uint thread_row = thread / (COLUMN_TILE / 4) * 2;
  const uint thread_column = thread % (COLUMN_TILE / 4) * 4;

  float4 sums_0 = 0.0f;
  float4 sums_1 = 0.0f;
  for (uint tile_k = 0; tile_k < k; tile_k += K_TILE) {
    // 1. Stage a tile of w, and of x by the first half of the work-items.
    const uint first_k = tile_k + staged_k;
    stage(w, first_column + staged_row, n, first_k, k, w_tile + staged_row, W_PITCH, staged_k);
    if (staged_row < ROW_TILE)
      stage(x, first_row + staged_row, rows, first_k, k, x_tile + staged_row, X_PITCH, staged_k);
    barrier(CLK_LOCAL_MEM_FENCE); // the tile is staged

    // 2. Add its products.
    for (uint i = 0; i < K_TILE; i++) {
      const float4 weight = vload4(0, w_tile + i * W_PITCH + thread_column);
      const float2 v = vload2(0, x_tile + i * X_PITCH + thread_row);
      sums_0 = fma((float4)(v.x), weight, sums_0);
      sums_1 = fma((float4)(v.y), weight, sums_1);
    }
    barrier(CLK_LOCAL_MEM_FENCE); // the tile is used
  }

  // 3. y, rounded once.
  const uint row = first_row + thread_row;
  const uint column = first_column + thread_column;
  store_quad(y, row, rows, column, n, sums_0);
  store_quad(y, row + 1, rows, column, n, sums_1);
}
