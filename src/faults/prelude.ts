/** Functions that planted faults call: fp32 that passes through a narrower type. */
import type { Dialect } from '../families/formula/functions.ts';

/** fp32 rounded to half, to bf16, and cut to bf16's bits; each gives fp32 back. */
export const NARROW = { f16: 'tf_fault_f16', bf16: 'tf_fault_bf16', cut: 'tf_fault_cut' } as const;

const CUDA = `
static __device__ __forceinline__ float tf_fault_f16(float v) { return __half2float(__float2half_rn(v)); }
static __device__ __forceinline__ float tf_fault_bf16(float v) { return __bfloat162float(__float2bfloat16(v)); }
static __device__ __forceinline__ float tf_fault_cut(float v) { return __uint_as_float(__float_as_uint(v) & 0xffff0000u); }
`;

const METAL = `
#include <metal_stdlib>
static inline float tf_fault_f16(float v) { return float(half(v)); }
static inline float tf_fault_bf16(float v) { return float(bfloat(v)); }
static inline float tf_fault_cut(float v) { return metal::as_type<float>(metal::as_type<uint>(v) & 0xffff0000u); }
`;

/** OpenCL C has no bf16: its bits are rounded by hand. The vector forms are those that kernels convert whole. */
const OPENCL = `
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define TF_FAULT static inline __attribute__((overloadable))
TF_FAULT float tf_fault_f16(float v) { return convert_float(convert_half_rte(v)); }
TF_FAULT float tf_fault_bf16(float v) {
  const uint bits = as_uint(v);
  const uint nearest = bits + 0x7fffu + (bits >> 16 & 1u);
  return as_float(((bits & 0x7fffffffu) > 0x7f800000u ? bits | 0x400000u : nearest) & 0xffff0000u);
}
#define TF_FAULT_WIDE(f) \\
  TF_FAULT float2 f(float2 v) { return (float2)(f(v.x), f(v.y)); } \\
  TF_FAULT float4 f(float4 v) { return (float4)(f(v.lo), f(v.hi)); } \\
  TF_FAULT float8 f(float8 v) { return (float8)(f(v.lo), f(v.hi)); }
TF_FAULT_WIDE(tf_fault_f16)
TF_FAULT_WIDE(tf_fault_bf16)
TF_FAULT float tf_fault_cut(float v) { return as_float(as_uint(v) & 0xffff0000u); }
TF_FAULT_WIDE(tf_fault_cut)
`;

export const PRELUDES: Readonly<Record<Dialect, string>> = {
  cuda: `#include <cuda_bf16.h>\n#include <cuda_fp16.h>${CUDA}`,
  hip: `#include <hip/hip_runtime.h>\n#include <hip/hip_bf16.h>\n#include <hip/hip_fp16.h>${CUDA}`,
  metal: METAL,
  xpu: OPENCL,
};
