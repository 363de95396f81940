// Local memory (shared, LDS, threadgroup) of a group: where a static variable lies in it.
#ifndef TF_SIMT_LOCAL_H
#define TF_SIMT_LOCAL_H
#include "schedule.h"

TF_INLINE char* tf_local_in(TfThread* thread, TfLocalVariable* variable) {
  if (TF_UNLIKELY(variable->launch != thread->schedule->launch)) return tf_runtime.local(thread, variable);
  return thread->group->local_top - variable->offset;
}
#if defined(TF_STEPPED)
extern "C" __attribute__((weak, visibility("hidden"), noinline, used)) TF_TRUSTED char* tf_local_now(
    TfThread* thread, TfLocalVariable* variable) {
  return tf_local_in(thread, variable);
}
TF_INLINE char* tf_local(TfLocalVariable* variable) { return tf_local_of(variable); }
#else
TF_OUTLINED char* tf_local(TfLocalVariable* variable) { return tf_local_in(tf_self(), variable); }
#endif
TF_INLINE char* tf_local_dynamic() { return tf_self()->group->dynamic; }

// At least 16: vector accesses through a scalar array are common, and every vendor's compiler places arrays so.
constexpr tf_u32 tf_local_align(tf_u64 natural, tf_u64 asked) {
  tf_u64 most = natural > asked ? natural : asked;
  return (tf_u32)(most > 16 ? most : 16);
}

#endif
