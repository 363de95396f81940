extern "C" __global__ void tf_endless(const float* x, float* y, unsigned width) {
  const unsigned i = blockIdx.x * width + threadIdx.x;
  const float value = x[i];
  for (volatile bool going = true; going;) {}
  y[i] = value;
}
