extern "C" __global__ void tf_right(const float* x, float* y, unsigned width) {
  const unsigned i = blockIdx.x * width + threadIdx.x;
  const float value = x[i];
  y[i] = value;
}
