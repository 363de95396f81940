// Atomic functions, of OpenCL 1.x on plain integers and of 2.x on atomic types. One processor runs a device's threads
// and switches between them only where they wait, so a plain read-modify-write is indivisible; it is volatile because
// another thread may have written since.
#ifndef TF_OPENCL_ATOMIC_H
#define TF_OPENCL_ATOMIC_H
#include "workitem.h"

#define TF_CL_FETCH(name, expression, T, Q)                                                                            \
  TF_CL T atomic_##name(volatile Q T* p, T v) {                                                                        \
    const T old = *p;                                                                                                  \
    *p = (T)(expression);                                                                                              \
    return old;                                                                                                        \
  }                                                                                                                    \
  TF_CL T atom_##name(volatile Q T* p, T v) { return atomic_##name(p, v); }
#define TF_CL_ATOMICS(T, Q)                                                                                            \
  TF_CL_FETCH(add, old + v, T, Q) TF_CL_FETCH(sub, old - v, T, Q) TF_CL_FETCH(xchg, v, T, Q)                           \
  TF_CL_FETCH(min, v < old ? v : old, T, Q) TF_CL_FETCH(max, v > old ? v : old, T, Q)                                  \
  TF_CL_FETCH(and, old & v, T, Q) TF_CL_FETCH(or, old | v, T, Q) TF_CL_FETCH(xor, old ^ v, T, Q)                       \
  TF_CL T atomic_inc(volatile Q T* p) { return atomic_add(p, (T)1); }                                                  \
  TF_CL T atomic_dec(volatile Q T* p) { return atomic_sub(p, (T)1); }                                                  \
  TF_CL T atom_inc(volatile Q T* p) { return atomic_add(p, (T)1); }                                                    \
  TF_CL T atom_dec(volatile Q T* p) { return atomic_sub(p, (T)1); }                                                    \
  TF_CL T atomic_cmpxchg(volatile Q T* p, T expected, T v) {                                                           \
    const T old = *p;                                                                                                  \
    if (old == expected) *p = v;                                                                                       \
    else tf_cl_let_others_run();                                                                                       \
    return old;                                                                                                        \
  }                                                                                                                    \
  TF_CL T atom_cmpxchg(volatile Q T* p, T expected, T v) { return atomic_cmpxchg(p, expected, v); }
TF_CL_SPACES(TF_CL_ATOMICS, int)
TF_CL_SPACES(TF_CL_ATOMICS, uint)
TF_CL_SPACES(TF_CL_ATOMICS, long)
TF_CL_SPACES(TF_CL_ATOMICS, ulong)
TF_CL_SPACES(TF_CL_FETCH, xchg, v, float)

// Order and scope say nothing where one processor runs every thread.
#define TF_CL_ORDERED memory_order_seq_cst, memory_scope_device
#define atomic_init(p, v) __opencl_atomic_init(p, v)
#define atomic_store(p, v) __opencl_atomic_store(p, v, TF_CL_ORDERED)
#define atomic_store_explicit(p, v, ...) __opencl_atomic_store(p, v, TF_CL_ORDERED)
#define atomic_load(p) (tf_cl_let_others_run(), __opencl_atomic_load(p, TF_CL_ORDERED))
#define atomic_load_explicit(p, ...) atomic_load(p)
#define atomic_exchange(p, v) __opencl_atomic_exchange(p, v, TF_CL_ORDERED)
#define atomic_exchange_explicit(p, v, ...) __opencl_atomic_exchange(p, v, TF_CL_ORDERED)
#define atomic_fetch_add(p, v) __opencl_atomic_fetch_add(p, v, TF_CL_ORDERED)
#define atomic_fetch_add_explicit(p, v, ...) __opencl_atomic_fetch_add(p, v, TF_CL_ORDERED)
#define atomic_fetch_sub(p, v) __opencl_atomic_fetch_sub(p, v, TF_CL_ORDERED)
#define atomic_fetch_sub_explicit(p, v, ...) __opencl_atomic_fetch_sub(p, v, TF_CL_ORDERED)
#define atomic_fetch_min(p, v) __opencl_atomic_fetch_min(p, v, TF_CL_ORDERED)
#define atomic_fetch_min_explicit(p, v, ...) __opencl_atomic_fetch_min(p, v, TF_CL_ORDERED)
#define atomic_fetch_max(p, v) __opencl_atomic_fetch_max(p, v, TF_CL_ORDERED)
#define atomic_fetch_max_explicit(p, v, ...) __opencl_atomic_fetch_max(p, v, TF_CL_ORDERED)
#define atomic_fetch_and(p, v) __opencl_atomic_fetch_and(p, v, TF_CL_ORDERED)
#define atomic_fetch_and_explicit(p, v, ...) __opencl_atomic_fetch_and(p, v, TF_CL_ORDERED)
#define atomic_fetch_or(p, v) __opencl_atomic_fetch_or(p, v, TF_CL_ORDERED)
#define atomic_fetch_or_explicit(p, v, ...) __opencl_atomic_fetch_or(p, v, TF_CL_ORDERED)
#define atomic_fetch_xor(p, v) __opencl_atomic_fetch_xor(p, v, TF_CL_ORDERED)
#define atomic_fetch_xor_explicit(p, v, ...) __opencl_atomic_fetch_xor(p, v, TF_CL_ORDERED)
#define TF_CL_EXCHANGE(p, expected, v)                                                                                 \
  (__opencl_atomic_compare_exchange_strong(p, expected, v, memory_order_seq_cst, TF_CL_ORDERED)                        \
     ? 1 : (tf_cl_let_others_run(), 0))
#define atomic_compare_exchange_strong(p, expected, v) TF_CL_EXCHANGE(p, expected, v)
#define atomic_compare_exchange_weak(p, expected, v) TF_CL_EXCHANGE(p, expected, v)
#define atomic_compare_exchange_strong_explicit(p, expected, v, ...) TF_CL_EXCHANGE(p, expected, v)
#define atomic_compare_exchange_weak_explicit(p, expected, v, ...) TF_CL_EXCHANGE(p, expected, v)

#endif
