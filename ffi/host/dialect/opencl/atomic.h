// Atomic functions, of OpenCL 1.x on plain integers and of 2.x on atomic types. One processor runs a device's threads
// and switches between them only where they wait, so a plain read-modify-write is indivisible; it is volatile because
// another thread may have written since.
#ifndef TF_OPENCL_ATOMIC_H
#define TF_OPENCL_ATOMIC_H
#include "workitem.h"

// The accesses to *p between the two are one atomic one; a check image is told so. `how`: TF_ATOMIC_ of image.h.
#define TF_CL_ATOMIC_LOAD 0
#define TF_CL_ATOMIC_STORE 1
#define TF_CL_ATOMIC_UPDATE 2
#if defined(TF_CHECK)
void tf_cl_atomic_begin(ulong p, uint bytes, uint how);
void tf_cl_atomic_end(void);
#define TF_CL_BEGIN(p, how) tf_cl_atomic_begin((ulong)(p), sizeof(*(p)), how)
#define TF_CL_END() tf_cl_atomic_end()
#else
#define TF_CL_BEGIN(p, how) ((void)0)
#define TF_CL_END() ((void)0)
#endif

#define TF_CL_FETCH(name, expression, T, Q)                                                                            \
  TF_CL T atomic_##name(volatile Q T* p, T v) {                                                                        \
    TF_CL_BEGIN(p, TF_CL_ATOMIC_UPDATE);                                                                               \
    const T old = *p;                                                                                                  \
    *p = (T)(expression);                                                                                              \
    TF_CL_END();                                                                                                       \
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
    TF_CL_BEGIN(p, TF_CL_ATOMIC_UPDATE);                                                                               \
    const T old = *p;                                                                                                  \
    if (old == expected) *p = v;                                                                                       \
    TF_CL_END();                                                                                                       \
    if (old != expected) tf_cl_let_others_run();                                                                       \
    return old;                                                                                                        \
  }                                                                                                                    \
  TF_CL T atom_cmpxchg(volatile Q T* p, T expected, T v) { return atomic_cmpxchg(p, expected, v); }
TF_CL_SPACES(TF_CL_ATOMICS, int)
TF_CL_SPACES(TF_CL_ATOMICS, uint)
TF_CL_SPACES(TF_CL_ATOMICS, long)
TF_CL_SPACES(TF_CL_ATOMICS, ulong)
TF_CL_SPACES(TF_CL_FETCH, xchg, v, float)

// Scope says nothing where one processor runs every thread, and order only whether a check image sees a fence.
#define TF_CL_ATOMIC_FENCED 4
#define TF_CL_FENCE_OF(order) ((order) == memory_order_relaxed ? 0 : TF_CL_ATOMIC_FENCED)
#define TF_CL_FENCED_BY(order, ...) TF_CL_FENCE_OF(order)
#define TF_CL_ORDERED memory_order_seq_cst, memory_scope_device
// The value of an atomic call on *p, and a call without one.
#define TF_CL_VALUE(p, how, call)                                                                                      \
  ({                                                                                                                   \
    TF_CL_BEGIN(p, how);                                                                                               \
    __auto_type tf_cl_value = call;                                                                                    \
    TF_CL_END();                                                                                                       \
    tf_cl_value;                                                                                                       \
  })
#define TF_CL_SET(p, v, how) (TF_CL_BEGIN(p, how), __opencl_atomic_store(p, v, TF_CL_ORDERED), TF_CL_END())
#define TF_CL_GET(p, how)                                                                                              \
  (tf_cl_let_others_run(), TF_CL_VALUE(p, TF_CL_ATOMIC_LOAD | (how), __opencl_atomic_load(p, TF_CL_ORDERED)))
#define TF_CL_UPDATED(name, p, v, how)                                                                                 \
  TF_CL_VALUE(p, TF_CL_ATOMIC_UPDATE | (how), __opencl_atomic_##name(p, v, TF_CL_ORDERED))
#define atomic_init(p, v) (TF_CL_BEGIN(p, TF_CL_ATOMIC_STORE), __opencl_atomic_init(p, v), TF_CL_END())
#define atomic_store(p, v) TF_CL_SET(p, v, TF_CL_ATOMIC_STORE | TF_CL_ATOMIC_FENCED)
#define atomic_store_explicit(p, v, ...) TF_CL_SET(p, v, TF_CL_ATOMIC_STORE | TF_CL_FENCED_BY(__VA_ARGS__, 0))
#define atomic_load(p) TF_CL_GET(p, TF_CL_ATOMIC_FENCED)
#define atomic_load_explicit(p, ...) TF_CL_GET(p, TF_CL_FENCED_BY(__VA_ARGS__, 0))
#define atomic_exchange(p, v) TF_CL_UPDATED(exchange, p, v, TF_CL_ATOMIC_FENCED)
#define atomic_exchange_explicit(p, v, ...) TF_CL_UPDATED(exchange, p, v, TF_CL_FENCED_BY(__VA_ARGS__, 0))
#define atomic_fetch_add(p, v) TF_CL_UPDATED(fetch_add, p, v, TF_CL_ATOMIC_FENCED)
#define atomic_fetch_add_explicit(p, v, ...) TF_CL_UPDATED(fetch_add, p, v, TF_CL_FENCED_BY(__VA_ARGS__, 0))
#define atomic_fetch_sub(p, v) TF_CL_UPDATED(fetch_sub, p, v, TF_CL_ATOMIC_FENCED)
#define atomic_fetch_sub_explicit(p, v, ...) TF_CL_UPDATED(fetch_sub, p, v, TF_CL_FENCED_BY(__VA_ARGS__, 0))
#define atomic_fetch_min(p, v) TF_CL_UPDATED(fetch_min, p, v, TF_CL_ATOMIC_FENCED)
#define atomic_fetch_min_explicit(p, v, ...) TF_CL_UPDATED(fetch_min, p, v, TF_CL_FENCED_BY(__VA_ARGS__, 0))
#define atomic_fetch_max(p, v) TF_CL_UPDATED(fetch_max, p, v, TF_CL_ATOMIC_FENCED)
#define atomic_fetch_max_explicit(p, v, ...) TF_CL_UPDATED(fetch_max, p, v, TF_CL_FENCED_BY(__VA_ARGS__, 0))
#define atomic_fetch_and(p, v) TF_CL_UPDATED(fetch_and, p, v, TF_CL_ATOMIC_FENCED)
#define atomic_fetch_and_explicit(p, v, ...) TF_CL_UPDATED(fetch_and, p, v, TF_CL_FENCED_BY(__VA_ARGS__, 0))
#define atomic_fetch_or(p, v) TF_CL_UPDATED(fetch_or, p, v, TF_CL_ATOMIC_FENCED)
#define atomic_fetch_or_explicit(p, v, ...) TF_CL_UPDATED(fetch_or, p, v, TF_CL_FENCED_BY(__VA_ARGS__, 0))
#define atomic_fetch_xor(p, v) TF_CL_UPDATED(fetch_xor, p, v, TF_CL_ATOMIC_FENCED)
#define atomic_fetch_xor_explicit(p, v, ...) TF_CL_UPDATED(fetch_xor, p, v, TF_CL_FENCED_BY(__VA_ARGS__, 0))
#define TF_CL_EXCHANGE(p, expected, v, how)                                                                            \
  (TF_CL_VALUE(p, TF_CL_ATOMIC_UPDATE | (how), __opencl_atomic_compare_exchange_strong(p, expected, v, memory_order_seq_cst, \
                                                                               TF_CL_ORDERED))                         \
     ? 1 : (tf_cl_let_others_run(), 0))
#define TF_CL_EXCHANGE_ORDERED(p, expected, v, ...) TF_CL_EXCHANGE(p, expected, v, TF_CL_FENCED_BY(__VA_ARGS__, 0))
#define atomic_compare_exchange_strong(p, expected, v) TF_CL_EXCHANGE(p, expected, v, TF_CL_ATOMIC_FENCED)
#define atomic_compare_exchange_weak(p, expected, v) TF_CL_EXCHANGE(p, expected, v, TF_CL_ATOMIC_FENCED)
#define atomic_compare_exchange_strong_explicit(p, expected, v, ...) TF_CL_EXCHANGE_ORDERED(p, expected, v, __VA_ARGS__)
#define atomic_compare_exchange_weak_explicit(p, expected, v, ...) TF_CL_EXCHANGE_ORDERED(p, expected, v, __VA_ARGS__)

#endif
