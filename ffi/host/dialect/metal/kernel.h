// A Metal kernel's parameters: where the launch finds each. A launch gives the buffers by their index, then the
// threadgroup memory by its own.
#ifndef TF_METAL_KERNEL_H
#define TF_METAL_KERNEL_H
#include "make.h"

template <tf_u32 Index> struct TfBuffer {
  static constexpr tf_u32 buffers = Index + 1, locals = 0;
  static constexpr tf_u32 place(tf_u32) { return Index; }
};
template <tf_u32 Index> struct TfThreadgroup {
  static constexpr tf_u32 buffers = 0, locals = Index + 1;
  static constexpr tf_u32 place(tf_u32 buffer_count) { return buffer_count + Index; }
};

// The inputs of a compute kernel, section 5.2.3.6 of Metal's specification.
enum class tf_builtin {
  dispatch_quadgroups_per_threadgroup, dispatch_simdgroups_per_threadgroup, dispatch_threads_per_threadgroup,
  grid_origin, grid_size, quadgroup_index_in_threadgroup, quadgroups_per_threadgroup, simdgroup_index_in_threadgroup,
  simdgroups_per_threadgroup, thread_execution_width, thread_index_in_quadgroup, thread_index_in_simdgroup,
  thread_index_in_threadgroup, thread_position_in_grid, thread_position_in_threadgroup, threadgroup_position_in_grid,
  threadgroups_per_grid, threads_per_grid, threads_per_simdgroup, threads_per_threadgroup
};
template <tf_builtin B> struct TfBuiltin {
  static constexpr tf_u32 buffers = 0, locals = 0;
};

namespace tf_metal {

TF_INLINE uint3 builtin(tf_builtin which) {
  const TfThread* t = tf_self();
  const TfGroup* g = t->group;
  const uint3 thread = { t->x, t->y, t->z }, group = { g->x, g->y, g->z };
  const uint3 threads = { g->size_x, g->size_y, g->size_z }, groups = { g->grid_x, g->grid_y, g->grid_z };
  switch (which) {
  case tf_builtin::thread_position_in_grid: return group * threads + thread;
  case tf_builtin::thread_position_in_threadgroup: return thread;
  case tf_builtin::threadgroup_position_in_grid: return group;
  case tf_builtin::threadgroups_per_grid: return groups;
  case tf_builtin::grid_origin: return uint3(0u);
  case tf_builtin::grid_size:
  case tf_builtin::threads_per_grid: return groups * threads;
  case tf_builtin::dispatch_threads_per_threadgroup:
  case tf_builtin::threads_per_threadgroup: return threads;
  case tf_builtin::thread_index_in_threadgroup: return uint3(t->linear);
  case tf_builtin::thread_index_in_simdgroup: return uint3(t->lane);
  case tf_builtin::simdgroup_index_in_threadgroup: return uint3(t->warp->index);
  case tf_builtin::dispatch_simdgroups_per_threadgroup:
  case tf_builtin::simdgroups_per_threadgroup: return uint3(g->warp_count);
  case tf_builtin::thread_execution_width:
  case tf_builtin::threads_per_simdgroup: return uint3(g->warp_width);
  case tf_builtin::thread_index_in_quadgroup: return uint3(t->linear % 4);
  case tf_builtin::quadgroup_index_in_threadgroup: return uint3(t->linear / 4);
  case tf_builtin::dispatch_quadgroups_per_threadgroup:
  case tf_builtin::quadgroups_per_threadgroup: return uint3((g->threads + 3) / 4);
  }
  return uint3(0u);
}

// The value of one parameter; A is its declared type, P where it comes from.
template <class A, class P> struct Parameter {
  static constexpr bool is_argument = true;
  typedef typename TfValueOf<A>::type V;
  static constexpr bool is_local = P::locals != 0, is_pointer = TfIsPointer<V>::value;
  static constexpr TfParameter described = is_local ? TfParameter{ TF_PARAMETER_LOCAL, 0 }
    : is_pointer ? TfParameter{ TF_PARAMETER_BUFFER, (tf_u32)sizeof(void*) }
                 : TfParameter{ TF_PARAMETER_REFERENCE, (tf_u32)sizeof(V) };
  TF_INLINE A value(void** arguments, tf_u32 buffer_count) {
    void* argument = arguments[P::place(buffer_count)];
    if constexpr (is_pointer) return *(V*)argument;
    else if constexpr (is_local) return **(V**)argument;
    else return *(V*)argument;
  }
};
template <class A, tf_builtin B> struct Parameter<A, TfBuiltin<B>> {
  static constexpr bool is_argument = false;
  typedef typename TfValueOf<A>::type V;
  TF_INLINE V value(void**, tf_u32) {
    const uint3 all = builtin(B);
    V v;
    if constexpr (TfVector<V>::size == 1) v = (V)all.x;
    else
      for (int i = 0; i < TfVector<V>::size; i++) v[i] = (typename TfVector<V>::Element)all[i];
    return v;
  }
};

constexpr tf_u32 most(tf_u32 a, tf_u32 b) { return a > b ? a : b; }
template <class... P> constexpr tf_u32 buffers_of() {
  tf_u32 count = 0;
  ((count = most(count, P::buffers)), ...);
  return count;
}
template <class... P> constexpr tf_u32 locals_of() {
  tf_u32 count = 0;
  ((count = most(count, P::locals)), ...);
  return count;
}

template <tf_u32 N> struct ParameterList {
  TfParameter at[N + 1];
};
template <class F, class... P> struct Thunk;
template <class... A, class... P> struct Thunk<void (*)(A...), P...> {
  static constexpr tf_u32 buffers = buffers_of<P...>(), count = buffers + locals_of<P...>();
  static constexpr ParameterList<count> list() {
    ParameterList<count> list{};
    (put<A, P>(list), ...);
    return list;
  }
  template <class T, class Q> static constexpr void put(ParameterList<count>& list) {
    if constexpr (Parameter<T, Q>::is_argument) list.at[Q::place(buffers)] = Parameter<T, Q>::described;
  }
  static constexpr ParameterList<count> parameters = list();

#if defined(TF_STEPPED)
  template <auto F> static void tf_whole(TfThread*, void** arguments) { F(Parameter<A, P>::value(arguments, buffers)...); }
#else
  // Arguments are read for every thread: a parked stack outlives the launch that parked it.
  template <auto F> TF_UNCHECKED static void body(TfThread* thread, void** arguments) {
    while (tf_next(thread)) F(Parameter<A, P>::value(arguments, buffers)...);
  }
#endif
};

} // namespace tf_metal

template <auto F, tf_u64 Bound, class... P> constexpr TfKernel tf_metal_kernel_of(const char* name) {
  typedef tf_metal::Thunk<decltype(F), P...> Thunk;
  return { name, TF_ENTRY(Thunk, F), Thunk::parameters.at, Thunk::count, (tf_u32)Bound, TF_WARP, {} };
}

#endif
