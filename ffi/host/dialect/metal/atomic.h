// metal_atomic. One processor runs a device's threads and switches between them only where they wait, so a plain
// read-modify-write is indivisible; it is volatile because another thread may have written since.
#ifndef TF_METAL_ATOMIC_H
#define TF_METAL_ATOMIC_H
#include "simd.h"

namespace metal {

enum memory_order {
  memory_order_relaxed, memory_order_acquire, memory_order_release, memory_order_acq_rel, memory_order_seq_cst
};
enum thread_scope { thread_scope_thread, thread_scope_simdgroup, thread_scope_threadgroup, thread_scope_device };

template <class T> struct atomic {
  T tf_value;
};
template <class T> using _atomic = atomic<T>;
typedef atomic<int> atomic_int;
typedef atomic<uint> atomic_uint;
typedef atomic<float> atomic_float;
typedef atomic<bool> atomic_bool;
typedef atomic<long> atomic_long;
typedef atomic<ulong> atomic_ulong;

} // namespace metal

namespace tf_metal {

template <class T> struct Same { typedef T type; };
template <class T> using Value = typename Same<T>::type; // an argument that T is not deduced from

// What another group writes can only come if it runs: who waits for it lets it, where groups run side by side.
TF_INLINE void let_others_run() {
  TfThread* t = tf_self();
  if (TF_UNLIKELY(t->schedule->wide)) tf_runtime.yield(t);
}

// Every order but relaxed is that of a fence, which the host device has one of.
TF_INLINE constexpr tf_u32 fenced(metal::memory_order order) {
  return order == metal::memory_order_relaxed ? 0 : TF_ATOMIC_FENCED;
}

template <class T, class F> TF_INLINE T update(volatile metal::atomic<T>* p, metal::memory_order order, F next) {
  TfAtomicScope scope(p, sizeof *p, TF_ATOMIC_UPDATE | fenced(order));
  T old = p->tf_value;
  p->tf_value = next(old);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  return old;
}

} // namespace tf_metal

namespace metal {

template <class T> TF_INLINE T atomic_load_explicit(const volatile atomic<T>* p, memory_order order) {
  tf_metal::let_others_run();
  TfAtomicScope scope(p, sizeof *p, TF_ATOMIC_LOAD | tf_metal::fenced(order));
  return p->tf_value;
}
template <class T> TF_INLINE void atomic_store_explicit(volatile atomic<T>* p, tf_metal::Value<T> v, memory_order order) {
  TfAtomicScope scope(p, sizeof *p, TF_ATOMIC_STORE | tf_metal::fenced(order));
  p->tf_value = v;
}
template <class T> TF_INLINE T atomic_exchange_explicit(volatile atomic<T>* p, tf_metal::Value<T> v, memory_order order) {
  return tf_metal::update(p, order, [v](T) __attribute__((always_inline)) { return v; });
}

// It never fails without a cause.
template <class T>
TF_INLINE bool atomic_compare_exchange_weak_explicit(volatile atomic<T>* p, T* expected, tf_metal::Value<T> v,
                                                     memory_order order, memory_order) {
  TfAtomicScope scope(p, sizeof *p, TF_ATOMIC_UPDATE | tf_metal::fenced(order));
  T old = p->tf_value;
  bool same = __builtin_memcmp(&old, expected, sizeof old) == 0;
  if (same) p->tf_value = v;
  else {
    *expected = old;
    tf_metal::let_others_run();
  }
  return same;
}

#define TF_FETCH(name, expression)                                                                                     \
  template <class T>                                                                                                   \
  TF_INLINE T atomic_fetch_##name##_explicit(volatile atomic<T>* p, tf_metal::Value<T> v, memory_order order) {        \
    return tf_metal::update(p, order, [v](T old) __attribute__((always_inline)) { return (T)(expression); });          \
  }
TF_FETCH(add, old + v)
TF_FETCH(sub, old - v)
TF_FETCH(max, metal::max(old, v))
TF_FETCH(min, metal::min(old, v))
TF_FETCH(and, old & v)
TF_FETCH(or, old | v)
TF_FETCH(xor, old ^ v)
#undef TF_FETCH
TF_INLINE void atomic_max_explicit(volatile atomic_ulong* p, ulong v, memory_order order) {
  atomic_fetch_max_explicit(p, v, order);
}
TF_INLINE void atomic_min_explicit(volatile atomic_ulong* p, ulong v, memory_order order) {
  atomic_fetch_min_explicit(p, v, order);
}

TF_INLINE void atomic_thread_fence(mem_flags, memory_order order, thread_scope scope = thread_scope_device) {
  if (scope == thread_scope_device && order != memory_order_relaxed) tf_fence();
  else __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

} // namespace metal

#endif
