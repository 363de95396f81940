#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

typedef __nv_bfloat16 bf16;
typedef __half f16;

/** fp32 rounded once to T, to nearest even. A NaN stays a NaN. */
template <class T>
__device__ __forceinline__ T round_to(float value);

template <>
__device__ __forceinline__ float round_to<float>(float value) {
  return value;
}

template <>
__device__ __forceinline__ bf16 round_to<bf16>(float value) {
  return __float2bfloat16_rn(value);
}

template <>
__device__ __forceinline__ f16 round_to<f16>(float value) {
  return __float2half_rn(value);
}

/** A rounding point between fp32 steps: the value that a bf16 tensor would have kept. */
__device__ __forceinline__ float round_bf16(float value) {
  return __bfloat162float(__float2bfloat16_rn(value));
}
