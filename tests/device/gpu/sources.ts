/** Kernels that the shims launch, in both dialects the same text. */
export const SOURCE = `
extern "C" __global__ void add(const unsigned* x, unsigned* y, unsigned k) { y[threadIdx.x] = x[threadIdx.x] + k; }
extern "C" __global__ void __launch_bounds__(64) bounded(unsigned* y) { y[threadIdx.x] = blockIdx.x; }
extern "C" __global__ void last_of(unsigned* y, unsigned words) {
  extern __shared__ unsigned local[];
  local[words - 1 - threadIdx.x] = threadIdx.x;
  __syncthreads();
  y[threadIdx.x] = local[words - blockDim.x + threadIdx.x];
}
extern "C" __global__ void wild(unsigned* y, unsigned at) { y[at] = 1; }
extern "C" __global__ void endless(volatile unsigned* y) { while (y[0] == 0) {} }
extern "C" __global__ void many(
  unsigned* a, unsigned* b, unsigned* c, unsigned* d, float e, float f, unsigned g, unsigned h, int i, int j, unsigned* y) {
  y[0] = (unsigned)(e + f) + g + h + (unsigned)(i + j) + a[0] + b[0] + c[0] + d[0];
}
`;
