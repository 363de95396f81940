#include "reduce.cuh"
#include "vector.cuh"

// y = bf16(sum(x * w)): x bf16 [rows, k], w bf16 [n, k], y bf16 [rows, n], fp32 sums, k a multiple of 8, any n.

/** The rows that tf_dense_rows_vec sums at once. */
constexpr unsigned MAX_ROWS = 8;

// The tile of tf_dense_rows_tile, and a thread's own part of it.
constexpr unsigned TILE_ROWS = 32;
constexpr unsigned TILE_COLUMNS = 64;
constexpr unsigned TILE_K = 32;
constexpr unsigned OWN_ROWS = 2;
constexpr unsigned OWN_COLUMNS = 4;
static_assert(THREADS == TILE_ROWS / OWN_ROWS * (TILE_COLUMNS / OWN_COLUMNS), "each thread owns one part of the tile");

/** 1 to MAX_ROWS rows. A warp a column, grid [ceil(n / WARPS)]; w is read once for all rows, 256 values of K a step. */
extern "C" __global__ void __launch_bounds__(THREADS)
tf_dense_rows_vec(const bf16* __restrict__ x, const bf16* __restrict__ w, bf16* __restrict__ y, unsigned rows,
                  unsigned k, unsigned n) {
  const unsigned lane = threadIdx.x % LANES;
  const unsigned column = blockIdx.x * WARPS + threadIdx.x / LANES;
  if (column >= n) return;  // whole warps, so the reduction below keeps every lane

  // 1. Each lane's own vectors of K, for every row.
  const bf16* weights = w + size_t(column) * k;
  float sums[MAX_ROWS] = {};
  for (unsigned first = lane * VECTOR<bf16>; first < k; first += LANES * VECTOR<bf16>) {
    float w_values[VECTOR<bf16>];
    load_vector(weights + first, w_values);
#pragma unroll
    for (unsigned row = 0; row < MAX_ROWS; row++) {
      if (row >= rows) break;
      float x_values[VECTOR<bf16>];
      load_vector(x + size_t(row) * k + first, x_values);
#pragma unroll
      for (unsigned j = 0; j < VECTOR<bf16>; j++) sums[row] = fmaf(x_values[j], w_values[j], sums[row]);
    }
  }

  // 2. The warp's sums.
#pragma unroll
  for (unsigned row = 0; row < MAX_ROWS; row++) {
    if (row >= rows) break;
    const float sum = warp_sum(sums[row]);
    if (lane == 0) y[size_t(row) * n + column] = round_to<bf16>(sum);
  }
}

/** Copies the eight values at `from` down column `line` of a K-major tile, zeros where they lie outside the matrix. */
template <unsigned PITCH>
__device__ __forceinline__ void fill_tile(float (&tile)[TILE_K][PITCH], unsigned line, unsigned first, bool inside,
                                          const bf16* from) {
  float values[VECTOR<bf16>] = {};
  if (inside) load_vector(from, values);
#pragma unroll
  for (unsigned j = 0; j < VECTOR<bf16>; j++) tile[first + j][line] = values[j];
}

/**
 * 9 rows and more. A group a TILE_ROWS x TILE_COLUMNS tile of y, grid [ceil(n / TILE_COLUMNS), ceil(rows / TILE_ROWS)];
 * TILE_K of K at a time goes through shared memory, K-major, so that a warp reads it as broadcasts and neighbours.
 */
extern "C" __global__ void __launch_bounds__(THREADS)
tf_dense_rows_tile(const bf16* __restrict__ x, const bf16* __restrict__ w, bf16* __restrict__ y, unsigned rows,
                   unsigned k, unsigned n) {
  __shared__ __align__(16) float x_tile[TILE_K][TILE_ROWS];
  __shared__ __align__(16) float w_tile[TILE_K][TILE_COLUMNS];
  const unsigned first_row = blockIdx.y * TILE_ROWS;
  const unsigned first_column = blockIdx.x * TILE_COLUMNS;
  const unsigned own_row = threadIdx.x / (TILE_COLUMNS / OWN_COLUMNS) * OWN_ROWS;
  const unsigned own_column = threadIdx.x % (TILE_COLUMNS / OWN_COLUMNS) * OWN_COLUMNS;

  // A thread fills one vector of w's tile, and half of the threads one of x's.
  const unsigned w_line = threadIdx.x % TILE_COLUMNS;
  const unsigned w_first = threadIdx.x / TILE_COLUMNS * VECTOR<bf16>;
  const unsigned x_line = threadIdx.x % TILE_ROWS;
  const unsigned x_first = threadIdx.x / TILE_ROWS * VECTOR<bf16>;
  const bf16* w_line_values = w + size_t(first_column + w_line) * k;
  const bf16* x_line_values = x + size_t(first_row + x_line) * k;

  float sums[OWN_ROWS][OWN_COLUMNS] = {};
  for (unsigned k0 = 0; k0 < k; k0 += TILE_K) {
    // 1. Fill both tiles.
    const unsigned k_end = k - k0;
    fill_tile(w_tile, w_line, w_first, first_column + w_line < n && w_first < k_end, w_line_values + k0 + w_first);
    if (x_first < TILE_K) {
      fill_tile(x_tile, x_line, x_first, first_row + x_line < rows && x_first < k_end, x_line_values + k0 + x_first);
    }
    __syncthreads();  // the tiles are whole

    // 2. Every thread's own products, K by K.
#pragma unroll 8
    for (unsigned i = 0; i < TILE_K; i++) {
      const float2 x_own = *reinterpret_cast<const float2*>(&x_tile[i][own_row]);
      const float4 w_own = *reinterpret_cast<const float4*>(&w_tile[i][own_column]);
      const float x_values[OWN_ROWS] = {x_own.x, x_own.y};
      const float w_values[OWN_COLUMNS] = {w_own.x, w_own.y, w_own.z, w_own.w};
#pragma unroll
      for (unsigned r = 0; r < OWN_ROWS; r++) {
#pragma unroll
        for (unsigned c = 0; c < OWN_COLUMNS; c++) sums[r][c] = fmaf(x_values[r], w_values[c], sums[r][c]);
      }
    }
    __syncthreads();  // the tiles are free again
  }

  // 3. y, where the tile lies inside it.
#pragma unroll
  for (unsigned r = 0; r < OWN_ROWS; r++) {
#pragma unroll
    for (unsigned c = 0; c < OWN_COLUMNS; c++) {
      const unsigned row = first_row + own_row + r;
      const unsigned column = first_column + own_column + c;
      if (row < rows && column < n) y[size_t(row) * n + column] = round_to<bf16>(sums[r][c]);
    }
  }
}
