#pragma OPENCL FP_CONTRACT OFF

// m = max(x); e = exp(x - m); y = e / sum(e), over each row: x and y fp32 [rows, width]. A work-group of THREADS a row.
// Divisions are IEEE's under -cl-fp32-correctly-rounded-divide-sqrt.
#define THREADS 256
#define LANES 32
#define SUB_GROUPS (THREADS / LANES)

/// The larger of two; a NaN of either wins, as in the formula's max. fmax and sub_group_reduce_max would drop it.
static inline float larger(float a, float b) {
  return a > b || isnan(a) ? a : b;
}

__attribute__((reqd_work_group_size(THREADS, 1, 1))) __attribute__((intel_reqd_sub_group_size(LANES)))
kernel void tf_row_softmax(global const float* restrict x, global float* restrict y, uint width) {
  local float maxima[SUB_GROUPS];
  local float sums[SUB_GROUPS];
  const ulong row = (ulong)get_group_id(0) * width;  // 64 bits: rows * width may pass 2^32
  const uint thread = get_local_id(0);
  const uint lane = get_sub_group_local_id();
  const uint sub_group = get_sub_group_id();

  // 1. The row's maximum: a work-item's, its sub-group's, the work-group's.
  float m = -INFINITY;
  for (uint i = thread; i < width; i += THREADS) m = larger(m, x[row + i]);
  for (uint offset = LANES / 2; offset > 0; offset /= 2) m = larger(m, sub_group_shuffle_xor(m, offset));
  if (lane == 0) maxima[sub_group] = m;
  barrier(CLK_LOCAL_MEM_FENCE);  // the maxima are whole
  m = maxima[0];
  for (uint i = 1; i < SUB_GROUPS; i++) m = larger(m, maxima[i]);

  // 2. The sum of the exponentials, in the same steps.
  float sum = 0.0f;
  for (uint i = thread; i < width; i += THREADS) sum += exp(x[row + i] - m);
  sum = sub_group_reduce_add(sum);
  if (lane == 0) sums[sub_group] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);  // the sums are whole
  sum = sums[0];
  for (uint i = 1; i < SUB_GROUPS; i++) sum += sums[i];

  // 3. The shares.
  for (uint i = thread; i < width; i += THREADS) y[row + i] = exp(x[row + i] - m) / sum;
}
