#pragma once

#include <hip/hip_runtime.h>

#include <hip/hip_bf16.h>
#include <hip/hip_fp16.h>

// Square roots and divisions are sqrtf and /, which hipcc rounds as IEEE asks unless told otherwise. Not __fsqrt_rn:
// without OCML_BASIC_ROUNDED_OPERATIONS the HIP headers map it to the hardware's approximation.

typedef __hip_bfloat16 bf16;
typedef __half f16;

__device__ __forceinline__ float to_f32(float value) { return value; }
__device__ __forceinline__ float to_f32(bf16 value) { return __bfloat162float(value); }

/** fp32 rounded once to T, to nearest even. A NaN stays a NaN. */
template <class T>
__device__ __forceinline__ T round_to(float value);

template <>
__device__ __forceinline__ float round_to<float>(float value) {
  return value;
}

template <>
__device__ __forceinline__ bf16 round_to<bf16>(float value) {
  return __float2bfloat16(value);
}

template <>
__device__ __forceinline__ f16 round_to<f16>(float value) {
  return __float2half_rn(value);
}

/** A rounding point between fp32 steps: the value that a bf16 tensor would have kept. */
__device__ __forceinline__ float round_bf16(float value) { return to_f32(round_to<bf16>(value)); }
