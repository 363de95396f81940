#pragma once

#include <hip/hip_runtime.h>

/** The upper half of an fp32. */
struct __hip_bfloat16 {
  unsigned short data;
};

__device__ __forceinline__ float __bfloat162float(__hip_bfloat16 value) {
  return __uint_as_float(unsigned(value.data) << 16);
}

/** To nearest, ties to even; a NaN stays quiet. */
__device__ __forceinline__ __hip_bfloat16 __float2bfloat16(float value) {
  const unsigned bits = __float_as_uint(value);
  if (~bits & 0x7f800000u) return {(unsigned short)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16)};
  return {(unsigned short)(bits >> 16 | ((bits & 0xffffu) != 0u ? 1u : 0u))};
}
