#include "reduce.hpp"
#include "vector.hpp"

// m = max(x); e = exp(x - m); y = T(e / sum(e)): x and y T [rows, width], fp32 between. A group a row, 16-byte loads,
// width a multiple of 4 (fp32) or 8 (bf16). A NaN or +Inf makes its whole row NaN, as in the formula.

/** The values a thread holds in registers: rows to THREADS * HELD = 4096. */
constexpr unsigned HELD = 16;

/** The row read once and held in registers. */
template <class T>
__device__ __forceinline__ void softmax_held(const T* __restrict__ x, T* __restrict__ y, unsigned width) {
  constexpr unsigned STEPS = HELD / VECTOR<T>;
  __shared__ float largest_partials[WAVES];
  __shared__ float exp_partials[WAVES];
  const size_t row = size_t(blockIdx.x) * width;

  // 1. Hold the row. Past its end stands -Inf, which neither wins the max nor adds to the sum.
  float held[STEPS][VECTOR<T>];
  float largest = -INFINITY;
#pragma unroll
  for (unsigned step = 0; step < STEPS; step++) {
    const unsigned first = (step * THREADS + threadIdx.x) * VECTOR<T>;
#pragma unroll
    for (unsigned j = 0; j < VECTOR<T>; j++) held[step][j] = -INFINITY;
    if (first < width) load_vector(x + row + first, held[step]);
#pragma unroll
    for (unsigned j = 0; j < VECTOR<T>; j++) largest = larger(largest, held[step][j]);
  }
  put_partial(largest_partials, wave_max(largest));
  __syncthreads();  // the max is whole
  const float m = max_partials(largest_partials);

  // 2. e = exp(x - m), and its sum.
  float exp_sum = 0.0f;
#pragma unroll
  for (unsigned step = 0; step < STEPS; step++) {
#pragma unroll
    for (unsigned j = 0; j < VECTOR<T>; j++) {
      held[step][j] = expf(held[step][j] - m);
      exp_sum += held[step][j];
    }
  }
  put_partial(exp_partials, wave_sum(exp_sum));
  __syncthreads();  // the sum is whole
  exp_sum = sum_partials(exp_partials);

  // 3. y = T(e / sum(e)).
#pragma unroll
  for (unsigned step = 0; step < STEPS; step++) {
    const unsigned first = (step * THREADS + threadIdx.x) * VECTOR<T>;
#pragma unroll
    for (unsigned j = 0; j < VECTOR<T>; j++) held[step][j] = held[step][j] / exp_sum;
    if (first < width) store_vector(y + row + first, held[step]);
  }
}

/** A row of any width, read three times. */
template <class T>
__device__ __forceinline__ void softmax_looped(const T* __restrict__ x, T* __restrict__ y, unsigned width) {
  constexpr unsigned STRIDE = THREADS * VECTOR<T>;
  __shared__ float largest_partials[WAVES];
  __shared__ float exp_partials[WAVES];
  const size_t row = size_t(blockIdx.x) * width;
  float values[VECTOR<T>];

  // 1. m = max(x).
  float row_max = -INFINITY;
  for (unsigned first = threadIdx.x * VECTOR<T>; first < width; first += STRIDE) {
    load_vector(x + row + first, values);
#pragma unroll
    for (unsigned j = 0; j < VECTOR<T>; j++) row_max = larger(row_max, values[j]);
  }
  put_partial(largest_partials, wave_max(row_max));
  __syncthreads();  // the looped max is whole
  row_max = max_partials(largest_partials);

  // 2. sum(e).
  float row_sum = 0.0f;
  for (unsigned first = threadIdx.x * VECTOR<T>; first < width; first += STRIDE) {
    load_vector(x + row + first, values);
#pragma unroll
    for (unsigned j = 0; j < VECTOR<T>; j++) row_sum += expf(values[j] - row_max);
  }
  put_partial(exp_partials, wave_sum(row_sum));
  __syncthreads();  // the looped sum is whole
  row_sum = sum_partials(exp_partials);

  // 3. y = T(e / sum(e)), e once more from x.
  for (unsigned first = threadIdx.x * VECTOR<T>; first < width; first += STRIDE) {
    load_vector(x + row + first, values);
#pragma unroll
    for (unsigned j = 0; j < VECTOR<T>; j++) values[j] = expf(values[j] - row_max) / row_sum;
    store_vector(y + row + first, values);
  }
}

extern "C" __global__ void __launch_bounds__(THREADS)
tf_softmax_rows_f32(const float* __restrict__ x, float* __restrict__ y, unsigned width) {
  softmax_held<float>(x, y, width);
}

extern "C" __global__ void __launch_bounds__(THREADS)
tf_softmax_rows_bf16(const bf16* __restrict__ x, bf16* __restrict__ y, unsigned width) {
  softmax_held<bf16>(x, y, width);
}

extern "C" __global__ void __launch_bounds__(THREADS)
tf_softmax_rows_f32_looped(const float* __restrict__ x, float* __restrict__ y, unsigned width) {
  softmax_looped<float>(x, y, width);
}

extern "C" __global__ void __launch_bounds__(THREADS)
tf_softmax_rows_bf16_looped(const bf16* __restrict__ x, bf16* __restrict__ y, unsigned width) {
  softmax_looped<bf16>(x, y, width);
}
