// One planted fault a kernel, for CUDA and HIP. The lines of a fault are marked with its name.
#if defined(__HIPCC__)
#define WARP_BARRIER() __builtin_amdgcn_wave_barrier()
#define SHUFFLE(v, by) __shfl_xor(v, by)
#else
#define WARP_BARRIER() __syncwarp()
#define SHUFFLE(v, by) __shfl_xor_sync(0xffffffffu, v, by)
#endif
#define KERNEL extern "C" __global__ void

KERNEL tree_right(const float* x, float* y, unsigned* count) {
  __shared__ float s[256];
  s[threadIdx.x] = x[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  for (int half_of = 128; half_of > 0; half_of /= 2) {
    if (threadIdx.x < half_of) s[threadIdx.x] += s[threadIdx.x + half_of];
    __syncthreads();
  }
  if (threadIdx.x == 0) y[blockIdx.x] = s[0];
}
KERNEL tree_race(const float* x, float* y, unsigned* count) {
  __shared__ float s[256]; // tree_race:variable
  s[threadIdx.x] = x[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  for (int half_of = 128; half_of > 0; half_of /= 2)
    if (threadIdx.x < half_of)
      s[threadIdx.x] +=
        s[threadIdx.x + half_of]; // tree_race:read
  if (threadIdx.x == 0) y[blockIdx.x] = s[0];
}
KERNEL partials_race(const float* x, float* y, unsigned* count) {
  __shared__ float partials[8]; // partials_race:variable
  if (threadIdx.x % 32 == 0) partials[threadIdx.x / 32] = x[threadIdx.x]; // partials_race:write
  float sum = 0;
  for (int i = 0; i < 8; i++) sum += partials[i]; // partials_race:read
  if (threadIdx.x == 0) y[blockIdx.x] = sum;
}
KERNEL warp_right(const float* x, float* y, unsigned* count) {
  __shared__ float s[256];
  s[threadIdx.x] = x[threadIdx.x];
  WARP_BARRIER();
  y[blockIdx.x * 256 + threadIdx.x] = s[threadIdx.x ^ 1];
}
KERNEL warp_race(const float* x, float* y, unsigned* count) {
  __shared__ float s[256]; // warp_race:variable
  s[threadIdx.x] = x[threadIdx.x]; // warp_race:write
  y[blockIdx.x * 256 + threadIdx.x] = s[threadIdx.x ^ 1]; // warp_race:read
}
// A shuffle lies between: it orders only its values.
KERNEL warp_strict(const float* x, float* y, unsigned* count) {
  __shared__ float s[256]; // warp_strict:variable
  s[threadIdx.x] = x[threadIdx.x]; // warp_strict:write
  float other = SHUFFLE(x[threadIdx.x], 1);
  y[blockIdx.x * 256 + threadIdx.x] = s[threadIdx.x ^ 1] + other; // warp_strict:read
}
// Right where a warp's lanes run together, as older kernels count on.
KERNEL lockstep_tree(const float* x, float* y, unsigned* count) {
  __shared__ volatile float s[64];
  if (threadIdx.x >= 32) return;
  s[threadIdx.x] = x[threadIdx.x];
  s[threadIdx.x + 32] = 0;
  for (int by = 16; by > 0; by /= 2) s[threadIdx.x] += s[threadIdx.x + by];
  if (threadIdx.x == 0) y[blockIdx.x] = s[0];
}
KERNEL update_race(const float* x, float* y, unsigned* count) {
  __shared__ unsigned sum; // update_race:variable
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  sum += 1; // update_race:read update_race:write
  __syncthreads();
  if (threadIdx.x == 0) y[blockIdx.x] = sum;
}
KERNEL update_groups(const float* x, float* y, unsigned* count) {
  if (threadIdx.x == 0) count[0] += 1; // update_groups:read update_groups:write
  y[blockIdx.x * 256 + threadIdx.x] = 0;
}
KERNEL groups_race(const float* x, float* y, unsigned* count) {
  if (threadIdx.x == 0) y[0] = x[blockIdx.x]; // groups_race:write
}
KERNEL global_race(const float* x, float* y, unsigned* count) {
  y[blockIdx.x * 256 + threadIdx.x] = x[threadIdx.x]; // global_race:write
  if (threadIdx.x == 0) y[blockIdx.x * 256] = y[blockIdx.x * 256 + 40]; // global_race:read
}
// The last group adds the partials of all; with the fence they are there.
#define LAST(name, fence)                                                                                             \
  KERNEL name(const float* x, float* y, unsigned* count) {                                                            \
    __shared__ bool last;                                                                                             \
    if (threadIdx.x == 0) {                                                                                           \
      y[1 + blockIdx.x] = x[blockIdx.x];                                                                              \
      fence;                                                                                                          \
      last = atomicAdd(count, 1u) == gridDim.x - 1;                                                                   \
    }                                                                                                                 \
    __syncthreads();                                                                                                  \
    if (!last || threadIdx.x != 0) return;                                                                            \
    float sum = 0;                                                                                                    \
    for (unsigned i = 0; i < gridDim.x; i++) sum += y[1 + i];                                                         \
    y[0] = sum;                                                                                                       \
  }
LAST(last_right, __threadfence())
LAST(last_race, ) // last_race:write last_race:read
KERNEL local_overrun(const float* x, float* y, unsigned* count) {
  __shared__ float s[256], neighbour[256]; // local_overrun:variable
  float* p = s;
  neighbour[threadIdx.x] = 0;
  p[threadIdx.x + 1] = x[threadIdx.x]; // local_overrun:write
  __syncthreads();
  y[blockIdx.x * 256 + threadIdx.x] = s[1 + threadIdx.x % 255] + neighbour[threadIdx.x];
}
KERNEL buffer_overrun(const float* x, float* y, unsigned* count) {
  y[blockIdx.x * 256 + threadIdx.x] = x[blockIdx.x * 256 + threadIdx.x + 1]; // buffer_overrun:read
}
KERNEL output_overrun(const float* x, float* y, unsigned* count) {
  y[blockIdx.x * 256 + threadIdx.x + 1] = x[threadIdx.x]; // output_overrun:write
}
KERNEL null_pointer(const float* x, float* y, unsigned* count) {
  const float* p = count[0] == 0 ? nullptr : x;
  y[threadIdx.x] = p[threadIdx.x]; // null_pointer:read
}
KERNEL misaligned(const float* x, float* y, unsigned* count) {
  const float4 v = *(const float4*)(x + 1 + threadIdx.x); // misaligned:read
  y[blockIdx.x * 256 + threadIdx.x] = v.x + v.w;
}
KERNEL local_unset(const float* x, float* y, unsigned* count) {
  __shared__ float s[257]; // local_unset:variable
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[blockIdx.x * 256 + threadIdx.x] = s[threadIdx.x + 1]; // local_unset:read
}
KERNEL sum_unset(const float* x, float* y, unsigned* count) {
  __shared__ float s[256]; // sum_unset:variable
  s[threadIdx.x] += x[threadIdx.x]; // sum_unset:read
  y[blockIdx.x * 256 + threadIdx.x] = s[threadIdx.x];
}
KERNEL output_unset(const float* x, float* y, unsigned* count) {
  y[blockIdx.x * 256 + threadIdx.x] += x[threadIdx.x]; // output_unset:read
}
KERNEL input_written(const float* x, float* y, unsigned* count) {
  if (threadIdx.x == 0) ((float*)x)[blockIdx.x] = 1; // input_written:write
  y[blockIdx.x * 256 + threadIdx.x] = 1;
}
KERNEL barrier_apart(const float* x, float* y, unsigned* count) {
  if (threadIdx.x < 100)
    __syncthreads(); // barrier_apart:one
  else
    __syncthreads(); // barrier_apart:other
  y[blockIdx.x * 256 + threadIdx.x] = 1;
}
