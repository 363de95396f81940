#include <metal_stdlib>
using namespace metal;

kernel void tf_copy_rows(device const float* x [[buffer(0)]], device float* y [[buffer(1)]], constant uint& width [[buffer(2)]],
    uint row [[threadgroup_position_in_grid]], uint thread_index [[thread_index_in_threadgroup]]) {
  const uint i = row * width + thread_index;
  y[i] = x[i];
}
