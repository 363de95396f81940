#pragma once

#include <hip/hip_runtime.h>

struct __half {
  _Float16 data;

  __half() = default;
  __device__ __forceinline__ __half(_Float16 value) : data(value) {}
  __device__ __forceinline__ explicit __half(float value) : data(_Float16(value)) {}
  __device__ __forceinline__ operator float() const { return float(data); }
};

__device__ __forceinline__ __half __float2half(float value) { return __half(_Float16(value)); }
__device__ __forceinline__ __half __float2half_rn(float value) { return __half(_Float16(value)); }
__device__ __forceinline__ float __half2float(__half value) { return float(value.data); }
