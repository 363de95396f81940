// vload and vstore, of vectors and of half, in every address space.
#ifndef TF_OPENCL_MEMORY_H
#define TF_OPENCL_MEMORY_H
#include "base.h"

ushort tf_cl_half_bits(float v);

#define TF_CL_LOAD(T, N, Q)                                                                                            \
  TF_CL T##N vload##N(size_t at, const Q T* p) {                                                                       \
    T##N r;                                                                                                            \
    for (int i = 0; i < N; i++) r[i] = p[at * N + i];                                                                  \
    return r;                                                                                                          \
  }
#define TF_CL_STORE(T, N, Q)                                                                                           \
  TF_CL void vstore##N(T##N v, size_t at, Q T* p) {                                                                    \
    for (int i = 0; i < N; i++) p[at * N + i] = v[i];                                                                  \
  }
#define TF_CL_LOAD_STORE(T, N)                                                                                         \
  TF_CL_SPACES(TF_CL_LOAD, T, N) TF_CL_LOAD(T, N, __constant) TF_CL_SPACES(TF_CL_STORE, T, N)
#define TF_CL_MEMORY(T) TF_CL_WIDTHS(TF_CL_LOAD_STORE, T)
TF_CL_SCALARS(TF_CL_MEMORY)

// A half in memory is read exactly, and written rounded to nearest even.
#define TF_CL_LOAD_HALF(T, Q)                                                                                       \
  TF_CL float vload_half(size_t at, const Q T* p) { return (float)p[at]; }                                             \
  TF_CL_LOAD_HALFS(2, Q) TF_CL_LOAD_HALFS(3, Q) TF_CL_LOAD_HALFS(4, Q) TF_CL_LOAD_HALFS(8, Q) TF_CL_LOAD_HALFS(16, Q)
#define TF_CL_LOAD_HALFS(N, Q)                                                                                         \
  TF_CL float##N vload_half##N(size_t at, const Q half* p) {                                                           \
    float##N r;                                                                                                        \
    for (int i = 0; i < N; i++) r[i] = (float)p[at * N + i];                                                           \
    return r;                                                                                                          \
  }                                                                                                                    \
  TF_CL float##N vloada_half##N(size_t at, const Q half* p) { return vload_half##N(0, p + at * (N == 3 ? 4 : N)); }
TF_CL_SPACES(TF_CL_LOAD_HALF, half)
TF_CL_LOAD_HALF(half, __constant)

#define TF_CL_STORE_HALF(suffix, Q)                                                                                    \
  TF_CL void vstore_half##suffix(float v, size_t at, Q half* p) { ((Q ushort*)p)[at] = tf_cl_half_bits(v); }           \
  TF_CL_STORE_HALFS(2, suffix, Q) TF_CL_STORE_HALFS(3, suffix, Q) TF_CL_STORE_HALFS(4, suffix, Q)                      \
  TF_CL_STORE_HALFS(8, suffix, Q) TF_CL_STORE_HALFS(16, suffix, Q)
#define TF_CL_STORE_HALFS(N, suffix, Q)                                                                                \
  TF_CL void vstore_half##N##suffix(float##N v, size_t at, Q half* p) {                                                \
    for (int i = 0; i < N; i++) ((Q ushort*)p)[at * N + i] = tf_cl_half_bits(v[i]);                                    \
  }                                                                                                                    \
  TF_CL void vstorea_half##N##suffix(float##N v, size_t at, Q half* p) {                                               \
    vstore_half##N##suffix(v, 0, p + at * (N == 3 ? 4 : N));                                                           \
  }
TF_CL_SPACES(TF_CL_STORE_HALF, )
TF_CL_SPACES(TF_CL_STORE_HALF, _rte)

#endif
