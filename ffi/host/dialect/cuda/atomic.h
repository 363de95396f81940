// Atomic functions. One processor runs a device's threads and switches between them only where they wait, so a plain
// read-modify-write is indivisible; it is volatile because another thread may have written since.
#ifndef TF_CUDA_ATOMIC_H
#define TF_CUDA_ATOMIC_H
#include "half.h"

// What another group writes can only come if it runs: a failed exchange lets it, where groups run side by side.
TF_INLINE void tf_let_others_run() {
  TfThread* t = tf_self();
  if (TF_UNLIKELY(t->schedule->wide)) tf_runtime.yield(t);
}

template <class T, class F> TF_ACCESS T tf_atomic(T* p, F next) {
  TfAtomicScope scope(p, sizeof *p, TF_ATOMIC_UPDATE);
  T old = *p;
  *p = next(old);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  return old;
}

#define TF_ATOMIC(name, T, expression)                                                                                \
  TF_INLINE T name(T* p, T v) {                                                                                       \
    return tf_atomic(p, [v](T old) __attribute__((always_inline)) { return (T)(expression); });                       \
  }                                                                                                                   \
  TF_INLINE T name##_block(T* p, T v) { return name(p, v); }                                                          \
  TF_INLINE T name##_system(T* p, T v) { return name(p, v); }
#define TF_ATOMIC_INTEGERS(name, expression)                                                                          \
  TF_ATOMIC(name, int, expression)                                                                                    \
  TF_ATOMIC(name, unsigned, expression)                                                                               \
  TF_ATOMIC(name, long long, expression)                                                                              \
  TF_ATOMIC(name, unsigned long long, expression)                                                                     \
  TF_ATOMIC(name, unsigned long, expression)

TF_ATOMIC_INTEGERS(atomicAdd, old + v)
TF_ATOMIC(atomicAdd, float, old + v)
TF_ATOMIC(atomicAdd, double, old + v)
TF_ATOMIC(atomicAdd, __half, old + v)
TF_ATOMIC(atomicAdd, __nv_bfloat16, old + v)
TF_ATOMIC(atomicAdd, __half2, old + v)
TF_ATOMIC(atomicAdd, __nv_bfloat162, old + v)
TF_ATOMIC_INTEGERS(atomicSub, old - v)
TF_ATOMIC_INTEGERS(atomicMin, v < old ? v : old)
TF_ATOMIC_INTEGERS(atomicMax, v > old ? v : old)
TF_ATOMIC_INTEGERS(atomicAnd, old & v)
TF_ATOMIC_INTEGERS(atomicOr, old | v)
TF_ATOMIC_INTEGERS(atomicXor, old ^ v)
TF_ATOMIC_INTEGERS(atomicExch, ((void)old, v))
TF_ATOMIC(atomicExch, float, ((void)old, v))
TF_ATOMIC(atomicInc, unsigned, old >= v ? 0 : old + 1)
TF_ATOMIC(atomicDec, unsigned, old == 0 || old > v ? v : old - 1)
#undef TF_ATOMIC_INTEGERS
#undef TF_ATOMIC

#define TF_ATOMIC_CAS(T)                                                                                              \
  TF_ACCESS T atomicCAS(T* p, T expected, T v) {                                                                      \
    TfAtomicScope scope(p, sizeof *p, TF_ATOMIC_UPDATE);                                                              \
    T old = *(volatile T*)p;                                                                                          \
    if (old == expected) *(volatile T*)p = v;                                                                         \
    else tf_let_others_run();                                                                                         \
    return old;                                                                                                       \
  }                                                                                                                   \
  TF_INLINE T atomicCAS_block(T* p, T expected, T v) { return atomicCAS(p, expected, v); }                            \
  TF_INLINE T atomicCAS_system(T* p, T expected, T v) { return atomicCAS(p, expected, v); }
TF_ATOMIC_CAS(int)
TF_ATOMIC_CAS(unsigned)
TF_ATOMIC_CAS(unsigned short)
TF_ATOMIC_CAS(unsigned long long)
TF_ATOMIC_CAS(unsigned long)
#undef TF_ATOMIC_CAS

#endif
