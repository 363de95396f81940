// HIP for the host device: CUDA's functions, those without a mask, AMD's names. Included before a source by the
// toolchain.
#ifndef TF_HIP_H
#define TF_HIP_H

#define TF_HIP 1
#define __HIP__ 1
#define __HIPCC__ 1
#define __HIP_DEVICE_COMPILE__ 1
#define __HIP_PLATFORM_AMD__ 1
#define __AMDGCN__ 1
#define __AMDGPU__ 1
// What clang defines for a chip of each width.
#if TF_WARP == 64
#define __gfx942__ 1
#define __GFX9__ 1
#else
#define __gfx1100__ 1
#define __GFX11__ 1
#endif
#define __AMDGCN_WAVEFRONT_SIZE TF_WARP
#define __AMDGCN_WAVEFRONT_SIZE__ TF_WARP

#include "cuda.h"
#include "hip/warp.h"

#define HIP_DYNAMIC_SHARED(type, name) extern __shared__ type name[];
#define HIP_INF_F (__builtin_inff())
#define hipThreadIdx_x (threadIdx.x)
#define hipThreadIdx_y (threadIdx.y)
#define hipThreadIdx_z (threadIdx.z)
#define hipBlockIdx_x (blockIdx.x)
#define hipBlockIdx_y (blockIdx.y)
#define hipBlockIdx_z (blockIdx.z)
#define hipBlockDim_x (blockDim.x)
#define hipBlockDim_y (blockDim.y)
#define hipBlockDim_z (blockDim.z)
#define hipGridDim_x (gridDim.x)
#define hipGridDim_y (gridDim.y)
#define hipGridDim_z (gridDim.z)

typedef tf_bf16 __hip_bfloat16;
typedef tf_bf16 hip_bfloat16;
typedef TfPair16<tf_bf16> __hip_bfloat162;

typedef int tf_source_begin;

#endif
