#include "reduce.cuh"

/** Set in the id of a row that holds a NaN. */
constexpr unsigned NAN_FLAG = 0x80000000u;
constexpr unsigned NO_ID = 0xffffffffu;

struct Candidate {
  float value;
  unsigned id;
};

/** Whether a wins over b: a NaN over a number, then the larger value, then the lower id. +0 and -0 tie. */
__device__ __forceinline__ bool wins(const Candidate& a, const Candidate& b) {
  const bool a_is_nan = isnan(a.value);
  const bool b_is_nan = isnan(b.value);
  if (a_is_nan != b_is_nan) return a_is_nan;
  if (!a_is_nan && a.value != b.value) return a.value > b.value;
  return a.id < b.id;
}

/** The warp's winner, in every lane. */
__device__ __forceinline__ Candidate warp_winner(Candidate best) {
#pragma unroll
  for (int offset = LANES / 2; offset > 0; offset /= 2) {
    const float value = __shfl_xor_sync(ALL_LANES, best.value, offset);
    const unsigned id = __shfl_xor_sync(ALL_LANES, best.id, offset);
    const Candidate other = {value, id};
    if (wins(other, best)) best = other;
  }
  return best;
}

/**
 * id[row] = argmax(x[row]): the lowest id of the largest value; of a row with a NaN, the first NaN's id with bit 31
 * set. x fp32 [rows, width], id u32 [rows]. A group a row, any width below 2^31.
 */
extern "C" __global__ void __launch_bounds__(THREADS)
tf_argmax_rows(const float* __restrict__ x, unsigned* __restrict__ id, unsigned width) {
  __shared__ Candidate partials[WARPS];
  const float* row = x + size_t(blockIdx.x) * width;

  // 1. Each thread's winner; a thread without values holds a candidate that loses to every value.
  Candidate best = {-INFINITY, NO_ID};
  for (unsigned i = threadIdx.x; i < width; i += THREADS) {
    const Candidate next = {row[i], i};
    if (wins(next, best)) best = next;
  }

  // 2. Then the warp's, then the group's.
  put_partial(partials, warp_winner(best));
  __syncthreads();
  if (threadIdx.x == 0) {
    best = partials[0];
    for (unsigned warp = 1; warp < WARPS; warp++) {
      if (wins(partials[warp], best)) best = partials[warp];
    }
    id[blockIdx.x] = isnan(best.value) ? best.id | NAN_FLAG : best.id;
  }
}
