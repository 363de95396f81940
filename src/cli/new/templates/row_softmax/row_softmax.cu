// m = max(x); e = exp(x - m); y = e / sum(e), over each row: x and y fp32 [rows, width]. A group of THREADS a row.
constexpr unsigned THREADS = 256;
constexpr unsigned LANES = 32;
constexpr unsigned WARPS = THREADS / LANES;

/** The larger of two; a NaN of either wins, as in the formula's max. fmaxf would drop it. */
__device__ float larger(float a, float b) {
  return a > b || isnan(a) ? a : b;
}

extern "C" __global__ void __launch_bounds__(THREADS)
tf_row_softmax(const float* __restrict__ x, float* __restrict__ y, unsigned width) {
  __shared__ float maxima[WARPS];
  __shared__ float sums[WARPS];
  const size_t row = size_t(blockIdx.x) * width;  // 64 bits: rows * width may pass 2^32
  const unsigned lane = threadIdx.x % LANES;
  const unsigned warp = threadIdx.x / LANES;

  // 1. The row's maximum: a thread's, its warp's, the group's.
  float m = -INFINITY;
  for (unsigned i = threadIdx.x; i < width; i += THREADS) m = larger(m, x[row + i]);
  for (int offset = LANES / 2; offset > 0; offset /= 2) m = larger(m, __shfl_xor_sync(0xffffffff, m, offset));
  if (lane == 0) maxima[warp] = m;
  __syncthreads();  // the maxima are whole
  m = maxima[0];
  for (unsigned i = 1; i < WARPS; i++) m = larger(m, maxima[i]);

  // 2. The sum of the exponentials, in the same steps.
  float sum = 0.0f;
  for (unsigned i = threadIdx.x; i < width; i += THREADS) sum += expf(x[row + i] - m);
  for (int offset = LANES / 2; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffff, sum, offset);
  if (lane == 0) sums[warp] = sum;
  __syncthreads();  // the sums are whole
  sum = sums[0];
  for (unsigned i = 1; i < WARPS; i++) sum += sums[i];

  // 3. The shares.
  for (unsigned i = threadIdx.x; i < width; i += THREADS) y[row + i] = expf(x[row + i] - m) / sum;
}
