#include "reduce.h"

[[kernel]] void tf_fold(device const float* x [[buffer(0)]], device bfloat* y [[buffer(1)]],
                        constant uint& width [[buffer(2)]], constant float& eps [[buffer(3)]],
                        uint row [[threadgroup_position_in_grid]], uint thread_index [[thread_index_in_threadgroup]],
                        uint lane [[thread_index_in_simdgroup]], uint simd [[simdgroup_index_in_threadgroup]]) {
  threadgroup float partials[SIMDS];
  x += ulong(row) * width;
  float sum = 0.0f;
  float most = -INFINITY;
  for (uint i = thread_index; i < width; i += THREADS) {
    most = larger(most, x[i]);
    sum += precise::exp(x[i] - most);
  }
  put_partial(partials, simd_sum(sum), lane, simd);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (thread_index == 0) y[row] = bfloat(2.0f * float(bfloat(sum_partials(partials) + eps)));
}
