// y = sum(x * w): x f32 [m, k], w f32 [n, k], y f32 [m, n]; tiles of 64 x 64 outputs in steps of 16 along k, which all
// three sizes fit. A thread owns 4 x 4 outputs; grid [n / 64, m / 64].

constexpr unsigned TILE = 64, STEP = 16, OWNED = 4;

extern "C" __global__ void __launch_bounds__(256)
matmul(const float* __restrict__ x, const float* __restrict__ w, float* __restrict__ y, unsigned n, unsigned k) {
  __shared__ float x_tile[STEP][TILE];
  __shared__ float w_tile[STEP][TILE];
  const unsigned tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  const float* x_rows = x + size_t(blockIdx.y) * TILE * k;
  const float* w_rows = w + size_t(blockIdx.x) * TILE * k;
  float sum[OWNED][OWNED] = {};

  for (unsigned first = 0; first < k; first += STEP) {
    // Four consecutive values a thread: row threadIdx.x / 4, columns from threadIdx.x % 4 * 4.
    const unsigned row = threadIdx.x / 4, column = threadIdx.x % 4 * 4;
    const float4 a = *reinterpret_cast<const float4*>(x_rows + size_t(row) * k + first + column);
    const float4 b = *reinterpret_cast<const float4*>(w_rows + size_t(row) * k + first + column);
    x_tile[column][row] = a.x, x_tile[column + 1][row] = a.y, x_tile[column + 2][row] = a.z, x_tile[column + 3][row] = a.w;
    w_tile[column][row] = b.x, w_tile[column + 1][row] = b.y, w_tile[column + 2][row] = b.z, w_tile[column + 3][row] = b.w;
    __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < STEP; i++) {
      float xs[OWNED], ws[OWNED];
#pragma unroll
      for (unsigned j = 0; j < OWNED; j++) xs[j] = x_tile[i][ty * OWNED + j], ws[j] = w_tile[i][tx * OWNED + j];
#pragma unroll
      for (unsigned r = 0; r < OWNED; r++)
#pragma unroll
        for (unsigned c = 0; c < OWNED; c++) sum[r][c] = fmaf(xs[r], ws[c], sum[r][c]);
    }
    __syncthreads();
  }

#pragma unroll
  for (unsigned r = 0; r < OWNED; r++) {
    float* to = y + (size_t(blockIdx.y) * TILE + ty * OWNED + r) * n + blockIdx.x * TILE + tx * OWNED;
    *reinterpret_cast<float4*>(to) = make_float4(sum[r][0], sum[r][1], sum[r][2], sum[r][3]);
  }
}
