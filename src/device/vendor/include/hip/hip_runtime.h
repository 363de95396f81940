#pragma once

// What kernels use of HIP, over clang's own builtins: enough to compile a source for its registers, local memory and
// bounds where no ROCm is installed. The operations are those of the ROCm headers and device libraries, so that records
// are near to hipcc's; they are still records of this compiler with these headers, and are kept apart from hipcc's.

#ifndef __HIP_DEVICE_COMPILE__
#error "these headers are for the device's half of a compile: --offload-device-only"
#endif

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))

// The bound of a group, and the least waves a SIMD.
#define __launch_bounds_1__(threads) __attribute__((amdgpu_flat_work_group_size(1, threads)))
#define __launch_bounds_2__(threads, waves) __launch_bounds_1__(threads) __attribute__((amdgpu_waves_per_eu(waves)))
#define __launch_bounds_pick__(a, b, picked, ...) picked
#define __launch_bounds__(...) \
  __launch_bounds_pick__(__VA_ARGS__, __launch_bounds_2__, __launch_bounds_1__)(__VA_ARGS__)

#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")

typedef __SIZE_TYPE__ size_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;

// --- indices ---

#define TF_INDEX(name, X, Y, Z)                              \
  struct __tf_##name {                                       \
    __declspec(property(get = get_x)) unsigned x;            \
    __declspec(property(get = get_y)) unsigned y;            \
    __declspec(property(get = get_z)) unsigned z;            \
    __device__ __forceinline__ unsigned get_x() const { return X; } \
    __device__ __forceinline__ unsigned get_y() const { return Y; } \
    __device__ __forceinline__ unsigned get_z() const { return Z; } \
  };                                                         \
  static __device__ __constant__ const __tf_##name name = {};

TF_INDEX(threadIdx, __builtin_amdgcn_workitem_id_x(), __builtin_amdgcn_workitem_id_y(),
         __builtin_amdgcn_workitem_id_z())
TF_INDEX(blockIdx, __builtin_amdgcn_workgroup_id_x(), __builtin_amdgcn_workgroup_id_y(),
         __builtin_amdgcn_workgroup_id_z())
TF_INDEX(blockDim, __builtin_amdgcn_workgroup_size_x(), __builtin_amdgcn_workgroup_size_y(),
         __builtin_amdgcn_workgroup_size_z())
TF_INDEX(gridDim, __builtin_amdgcn_grid_size_x() / __builtin_amdgcn_workgroup_size_x(),
         __builtin_amdgcn_grid_size_y() / __builtin_amdgcn_workgroup_size_y(),
         __builtin_amdgcn_grid_size_z() / __builtin_amdgcn_workgroup_size_z())
#undef TF_INDEX

// --- a group and its lanes ---

__device__ __forceinline__ void __syncthreads() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

__device__ __forceinline__ unsigned __lane_id() {
  return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u));
}

static constexpr int warpSize = __AMDGCN_WAVEFRONT_SIZE;

template <class T>
__device__ __forceinline__ T __tf_of_lane(T value, int lane) {
  static_assert(sizeof(T) == 4, "lanes give each other 4 bytes");
  return __builtin_bit_cast(T, __builtin_amdgcn_ds_bpermute(lane << 2, __builtin_bit_cast(int, value)));
}

template <class T>
__device__ __forceinline__ T __shfl(T value, int lane, int width = warpSize) {
  const int self = __lane_id();
  return __tf_of_lane(value, (lane & (width - 1)) + (self & ~(width - 1)));
}

template <class T>
__device__ __forceinline__ T __shfl_up(T value, unsigned by, int width = warpSize) {
  const int self = __lane_id();
  const int other = self - int(by);
  return __tf_of_lane(value, other < (self & ~(width - 1)) ? self : other);
}

template <class T>
__device__ __forceinline__ T __shfl_down(T value, unsigned by, int width = warpSize) {
  const int self = __lane_id();
  return __tf_of_lane(value, int((self & (width - 1)) + by) >= width ? self : self + int(by));
}

template <class T>
__device__ __forceinline__ T __shfl_xor(T value, int mask, int width = warpSize) {
  const int self = __lane_id();
  const int other = self ^ mask;
  return __tf_of_lane(value, other >= ((self + width) & ~(width - 1)) ? self : other);
}

__device__ __forceinline__ unsigned long long __ballot(int predicate) {
#if __AMDGCN_WAVEFRONT_SIZE == 64
  return __builtin_amdgcn_ballot_w64(predicate != 0);
#else
  return __builtin_amdgcn_ballot_w32(predicate != 0);
#endif
}
__device__ __forceinline__ unsigned long long __activemask() { return __ballot(1); }
__device__ __forceinline__ int __any(int predicate) { return __ballot(predicate) != 0; }
__device__ __forceinline__ int __all(int predicate) { return __ballot(predicate == 0) == 0; }
__device__ __forceinline__ int __popc(unsigned bits) { return __builtin_popcount(bits); }
__device__ __forceinline__ int __popcll(unsigned long long bits) { return __builtin_popcountll(bits); }
__device__ __forceinline__ int __ffsll(unsigned long long bits) { return __builtin_ffsll((long long)bits); }

__device__ __forceinline__ float atomicAdd(float* address, float value) {
  return __hip_atomic_fetch_add(address, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

__device__ __forceinline__ unsigned atomicAdd(unsigned* address, unsigned value) {
  return __hip_atomic_fetch_add(address, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

// --- arithmetic ---

template <class T>
__device__ __forceinline__ T min(T a, T b) {
  return b < a ? b : a;
}

template <class T>
__device__ __forceinline__ T max(T a, T b) {
  return a < b ? b : a;
}

__device__ __forceinline__ bool isnan(float x) { return __builtin_isnan(x); }
__device__ __forceinline__ bool isinf(float x) { return __builtin_isinf(x); }
__device__ __forceinline__ float fabsf(float x) { return __builtin_fabsf(x); }
__device__ __forceinline__ float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
__device__ __forceinline__ float fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
__device__ __forceinline__ float fminf(float a, float b) { return __builtin_fminf(a, b); }
__device__ __forceinline__ float sqrtf(float x) { return __builtin_sqrtf(x); }
__device__ __forceinline__ float expf(float x) { return __builtin_expf(x); }
__device__ __forceinline__ float exp2f(float x) { return __builtin_exp2f(x); }
__device__ __forceinline__ float logf(float x) { return __builtin_logf(x); }
__device__ __forceinline__ float log2f(float x) { return __builtin_log2f(x); }

/** Subnormals are scaled into the range of the instruction, as OCML does. */
__device__ __forceinline__ float rsqrtf(float x) {
  const bool small = x < 0x1.0p-100f;
  const float root = __builtin_amdgcn_rsqf(x * (small ? 0x1.0p+24f : 1.0f));
  return root * (small ? 0x1.0p+12f : 1.0f);
}

__device__ __forceinline__ unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
__device__ __forceinline__ float __uint_as_float(unsigned bits) { return __builtin_bit_cast(float, bits); }
__device__ __forceinline__ int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
__device__ __forceinline__ float __int_as_float(int bits) { return __builtin_bit_cast(float, bits); }

// --- vectors ---

struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
struct alignas(8) float2 {
  float x, y;
};
struct alignas(16) float4 {
  float x, y, z, w;
};

__device__ __forceinline__ uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
__device__ __forceinline__ uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }
__device__ __forceinline__ float2 make_float2(float x, float y) { return {x, y}; }
__device__ __forceinline__ float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
