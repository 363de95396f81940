#include "pack.h"

constexpr constant uint VEC_ROWS = 8; // the most rows of tf_dense_rows_vec

/// y = bf16(Σ x · w) for 1 to VEC_ROWS rows: a simdgroup an output column, 8 values a lane a step, so w is read once
/// for all rows. grid: [⌈n / SIMDS⌉]. n: any. k: multiple of 8.
[[kernel, max_total_threads_per_threadgroup(THREADS)]] void tf_dense_rows_vec(
    device const bfloat* x [[buffer(0)]],
    device const bfloat* w [[buffer(1)]],
    device bfloat* y [[buffer(2)]],
    constant uint& rows [[buffer(3)]],
    constant uint& k [[buffer(4)]],
    constant uint& n [[buffer(5)]],
    uint group [[threadgroup_position_in_grid]],
    uint lane [[thread_index_in_simdgroup]],
    uint simd [[simdgroup_index_in_threadgroup]]) {
  const uint column = group * SIMDS + simd;
  if (column >= n) return; // a whole simdgroup; the kernel has no barrier
  w += ulong(column) * k;

  // 1. Each lane's share of every row's sum.
  float sums[VEC_ROWS] = {};
  for (uint pack = lane; pack < k / 8; pack += LANES) {
    float weight[8];
    load_pack(w, pack, weight);
#pragma unroll
    for (uint row = 0; row < VEC_ROWS; row++) {
      if (row >= rows) break;
      float v[8];
      load_pack(x + ulong(row) * k, pack, v);
      for (uint i = 0; i < 8; i++) sums[row] = fma(v[i], weight[i], sums[row]);
    }
  }

  // 2. The simdgroup's sums, rounded once.
#pragma unroll
  for (uint row = 0; row < VEC_ROWS; row++) {
    if (row >= rows) break;
    const float total = simd_sum(sums[row]);
    if (lane == 0) y[ulong(row) * n + column] = bfloat(total);
  }
}

constexpr constant uint ROW_TILE = 32;
constexpr constant uint COLUMN_TILE = 64;
constexpr constant uint K_TILE = 32;
constexpr constant uint PACKS_A_ROW = K_TILE / 8;

/// A pack of a matrix of `count` rows of k, stored k first; zeros past its last row and past k, which add nothing.
template <uint PITCH>
inline void stage(device const bfloat* matrix, uint row, uint count, uint first_k, uint k,
                  threadgroup float (&tile)[K_TILE][PITCH], uint tile_row, uint tile_k) {
  float v[8] = {};
  if (row < count && first_k < k) load_pack(matrix + ulong(row) * k, first_k / 8, v);
  for (uint i = 0; i < 8; i++) tile[tile_k + i][tile_row] = v[i];
}

/// y = bf16(Σ x · w) for any rows: a threadgroup ROW_TILE x COLUMN_TILE outputs, a thread 2 x 4 of them, k in tiles of
/// K_TILE, summed in order. grid: [⌈n / COLUMN_TILE⌉, ⌈rows / ROW_TILE⌉]. n: any. k: multiple of 8. 256 threads.
[[kernel, max_total_threads_per_threadgroup(THREADS)]] void tf_dense_rows_tile(
    device const bfloat* x [[buffer(0)]],
    device const bfloat* w [[buffer(1)]],
    device bfloat* y [[buffer(2)]],
    constant uint& rows [[buffer(3)]],
    constant uint& k [[buffer(4)]],
    constant uint& n [[buffer(5)]],
    uint2 group [[threadgroup_position_in_grid]],
    uint thread_index [[thread_index_in_threadgroup]]) {
  static_assert(THREADS == ROW_TILE * COLUMN_TILE / 8, "a thread holds 2 x 4 outputs");
  threadgroup float x_tile[K_TILE][ROW_TILE + 2]; // the pitch spreads a staged row over the banks
  threadgroup float w_tile[K_TILE][COLUMN_TILE + 4];
  const uint first_row = group.y * ROW_TILE;
  const uint first_column = group.x * COLUMN_TILE;
  const uint staged_row = thread_index / PACKS_A_ROW;
  const uint staged_k = thread_index % PACKS_A_ROW * 8;
  const uint thread_row = thread_index / (COLUMN_TILE / 4) * 2;
  const uint thread_column = thread_index % (COLUMN_TILE / 4) * 4;

  float sums[2][4] = {};
  for (uint tile_k = 0; tile_k < k; tile_k += K_TILE) {
    // 1. Stage a tile of w, and of x by the first half of the threads.
    const uint first_k = tile_k + staged_k;
    stage(w, first_column + staged_row, n, first_k, k, w_tile, staged_row, staged_k);
    if (staged_row < ROW_TILE) stage(x, first_row + staged_row, rows, first_k, k, x_tile, staged_row, staged_k);
    threadgroup_barrier(mem_flags::mem_threadgroup); // the tile is staged

    // 2. Add its products.
    for (uint i = 0; i < K_TILE; i++) {
      for (uint r = 0; r < 2; r++) {
        for (uint c = 0; c < 4; c++) {
          sums[r][c] = fma(x_tile[i][thread_row + r], w_tile[i][thread_column + c], sums[r][c]);
        }
      }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup); // the tile is used
  }

  // 3. y, rounded once.
  for (uint r = 0; r < 2; r++) {
    for (uint c = 0; c < 4; c++) {
      const uint row = first_row + thread_row + r;
      const uint column = first_column + thread_column + c;
      if (row < rows && column < n) y[ulong(row) * n + column] = bfloat(sums[r][c]);
    }
  }
}
