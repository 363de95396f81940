// What a check image tells the runtime beside its plain accesses: atomic ones, fences. Nothing of it is left elsewhere.
#ifndef TF_SIMT_ACCESS_H
#define TF_SIMT_ACCESS_H
#include "schedule.h"

#if defined(TF_CHECK)
// The accesses to *p in its scope are one atomic one.
struct TfAtomicScope {
  TF_MEMBER TfAtomicScope(const volatile void* p, tf_u32 bytes, tf_u32 how) {
    tf_runtime.atomic_begin((const void*)p, bytes, how);
  }
  TF_MEMBER ~TfAtomicScope() { tf_runtime.atomic_end(); }
};
#else
struct TfAtomicScope {
  TF_MEMBER TfAtomicScope(const volatile void*, tf_u32, tf_u32) {}
};
#endif

// Orders a thread's accesses as other groups see them. Groups run on one processor, so elsewhere only the compiler must
// keep the order.
TF_INLINE void tf_fence() {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
#if defined(TF_CHECK)
  tf_runtime.fence();
#endif
}

#endif
