extern "C" __global__ void tf_wild(const float* x, float* y, unsigned width) {
  const unsigned i = blockIdx.x * width + threadIdx.x;
  const float value = x[i];
  if (threadIdx.x == 7) y[1u << 24] = value;
  y[i] = value;
}
