// y = relu(x), a group a row.
extern "C" __global__ void tf_shortens(const float* x, float* y, unsigned width) {
  for (unsigned i = threadIdx.x; i < width; i += 32) {
    const float v = x[size_t(blockIdx.x) * width + i];
    y[size_t(blockIdx.x) * width + i] = i > 36 ? 0.0f : v < 0.0f ? 0.0f : v;
  }
}
