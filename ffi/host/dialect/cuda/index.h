// Qualifiers, dim3 and where a thread is.
#ifndef TF_CUDA_INDEX_H
#define TF_CUDA_INDEX_H
#include "../simt.h"

#define __device__
#define __host__
#define __constant__
#define __managed__
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
#define __restrict__ __restrict
#define __cluster_dims__(...)

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef __INT8_TYPE__ int8_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __INT16_TYPE__ int16_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __INT32_TYPE__ int32_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT64_TYPE__ uint64_t;
typedef __INTPTR_TYPE__ intptr_t;
typedef __UINTPTR_TYPE__ uintptr_t;
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;

struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return { x, y, z }; }
};

TF_INLINE uint3 tf_thread_index() {
  TfThread* t = tf_self();
  return { t->x, t->y, t->z };
}
TF_INLINE uint3 tf_group_index() {
  TfGroup* g = tf_self()->group;
  return { g->x, g->y, g->z };
}
TF_INLINE dim3 tf_group_size() {
  TfGroup* g = tf_self()->group;
  return { g->size_x, g->size_y, g->size_z };
}
TF_INLINE dim3 tf_grid_size() {
  TfGroup* g = tf_self()->group;
  return { g->grid_x, g->grid_y, g->grid_z };
}
#define threadIdx (tf_thread_index())
#define blockIdx (tf_group_index())
#define blockDim (tf_group_size())
#define gridDim (tf_grid_size())
static constexpr int warpSize = TF_WARP;

#endif
