// Groups that run side by side. The lines of a fault are marked with its name.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
#define KERNEL extern "C" __global__ void

#define GRID(name, barrier)                                                                                           \
  KERNEL name(const float* x, float* y, unsigned* count) {                                                            \
    y[blockIdx.x * 256 + threadIdx.x] = x[threadIdx.x] + blockIdx.x;                                                  \
    barrier;                                                                                                          \
    const unsigned other = (blockIdx.x + 1) % gridDim.x;                                                              \
    if (y[other * 256 + threadIdx.x] != x[threadIdx.x] + other) count[0] = 1;                                         \
  }
GRID(grid_right, cg::this_grid().sync())
GRID(grid_race, __syncthreads()) // grid_race:write grid_race:read

#define CLUSTER(name, barrier)                                                                                        \
  KERNEL name(const float* x, float* y, unsigned* count) {                                                            \
    __shared__ float mine[256];                                                                                       \
    mine[threadIdx.x] = x[threadIdx.x] + blockIdx.x;                                                                  \
    barrier;                                                                                                          \
    const float* theirs = cg::this_cluster().map_shared_rank(mine, cg::this_cluster().block_rank() ^ 1);              \
    y[blockIdx.x * 256 + threadIdx.x] = theirs[threadIdx.x];                                                          \
    cg::this_cluster().sync();                                                                                        \
  }
CLUSTER(cluster_right, cg::this_cluster().sync())
CLUSTER(cluster_race, __syncthreads()) // cluster_race:write cluster_race:read

// Group 0 waits for what the last group writes and tells of.
#define FLAG(name, fence)                                                                                             \
  KERNEL name(const float* x, float* y, unsigned* count) {                                                            \
    if (threadIdx.x != 0) return;                                                                                     \
    if (blockIdx.x == gridDim.x - 1) {                                                                                \
      y[1] = x[7];                                                                                                    \
      fence;                                                                                                          \
      atomicExch(count, 1u);                                                                                          \
    } else if (blockIdx.x == 0) {                                                                                     \
      while (atomicAdd(count, 0u) == 0) __nanosleep(20);                                                              \
      y[0] = y[1];                                                                                                    \
    }                                                                                                                 \
  }
FLAG(flag_right, __threadfence())
FLAG(flag_race, ) // flag_race:write flag_race:read
// An exchange that fails lets others run, without a word from the source.
KERNEL lock_right(const float* x, float* y, unsigned* count) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(count, blockIdx.x, ~0u) != blockIdx.x) {}
  __threadfence();
  y[0] = blockIdx.x == 0 ? x[0] : y[0] + x[blockIdx.x];
  __threadfence();
  atomicExch(count, blockIdx.x + 1);
}
KERNEL asleep_for_ever(const float* x, float* y, unsigned* count) {
  while (atomicAdd(count, 0u) == 0) __nanosleep(20);
}
