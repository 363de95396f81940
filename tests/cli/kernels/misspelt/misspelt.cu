extern "C" __global__ void tf_misspelt(const float* x, float* y, unsigned width) {
  const unsigned i = blockIdx.x * width + threadIdx.x;
  const float value = x[i];
  const float other = valeu;
  y[i] = value;
}
