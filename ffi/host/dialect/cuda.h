// CUDA C++ for the host device; included before a source by the toolchain.
#ifndef TF_CUDA_H
#define TF_CUDA_H

#if !defined(TF_HIP)
#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDA_ARCH__ 800
#define __CUDACC_VER_MAJOR__ 13
#define CUDART_VERSION 13000
#endif

#include "cuda/atomic.h"
#include "cuda/cooperative_groups.h"
#include "cuda/half.h"
#include "cuda/index.h"
#include "cuda/integer.h"
#include "cuda/math.h"
#include "cuda/ptx.h"
#include "cuda/std.h"
#include "cuda/vector.h"
#include "cuda/warp.h"

// A thread may return while others of its block go on to a barrier.
static constexpr tf_u32 tf_image_flags = 0;

#if !defined(TF_HIP)
typedef int tf_source_begin;
#endif

#endif
