// A kernel's entry in the image's table: the loop that runs threads through it, and how it takes its arguments.
#ifndef TF_SIMT_KERNEL_H
#define TF_SIMT_KERNEL_H
#include "schedule.h"

template <class T> struct TfValueOf { typedef T type; };
template <class T> struct TfValueOf<const T> { typedef T type; };
template <class T> struct TfValueOf<T&> : TfValueOf<T> {};
template <class T> struct TfIsPointer { static constexpr bool value = false; };
template <class T> struct TfIsPointer<T*> { static constexpr bool value = true; };

template <tf_u32... I> struct TfIndices {};
template <tf_u32 N, tf_u32... I> struct TfIndicesOf : TfIndicesOf<N - 1, N - 1, I...> {};
template <tf_u32... I> struct TfIndicesOf<0, I...> { typedef TfIndices<I...> type; };

template <class F> struct TfThunk;
template <class... A> struct TfThunk<void (*)(A...)> {
  static constexpr tf_u32 count = sizeof...(A);
  template <class T> static constexpr TfParameter parameter() {
    typedef typename TfValueOf<T>::type V;
    return { TfIsPointer<V>::value ? TF_PARAMETER_BUFFER : TF_PARAMETER_BYTES, (tf_u32)sizeof(V) };
  }
  static constexpr TfParameter parameters[sizeof...(A) + 1] = { parameter<A>()..., { TF_PARAMETER_NONE, 0 } };

  template <auto F, tf_u32... I> TF_INLINE void call(void** arguments, TfIndices<I...>) {
    F(*(typename TfValueOf<A>::type*)arguments[I]...);
  }
#if defined(TF_STEPPED)
// What the lowering knows of these structs, in src/device/toolchain/steps/layout.ts.
#define TF_FIXED(type, field, at) static_assert(__builtin_offsetof(type, field) == at, "layout.ts knows another place")
  TF_FIXED(TfThread, group, 40);
  TF_FIXED(TfThread, warp, 48);
  TF_FIXED(TfThread, schedule, 56);
  TF_FIXED(TfThread, x, 64);
  TF_FIXED(TfThread, y, 68);
  TF_FIXED(TfThread, z, 72);
  TF_FIXED(TfThread, linear, 76);
  TF_FIXED(TfThread, lane, 80);
  TF_FIXED(TfThread, kernel, 88);
  TF_FIXED(TfThread, mask, 96);
  TF_FIXED(TfThread, at, 104);
  TF_FIXED(TfGroup, cluster, 88);
  TF_FIXED(TfWarp, waiting, 12);
  TF_FIXED(TfWarp, full, 24);
  TF_FIXED(TfWarp, live, 32);
#undef TF_FIXED
  static_assert(sizeof(TfThread) == 128 && TF_TOGETHER == 8 && TF_STEP_TOGETHER == 1, "layout.ts knows other numbers");
  // The lowering makes steps of what has this in its name.
  template <auto F> TF_TRUSTED static void tf_whole(TfThread*, void** arguments) {
    call<F>(arguments, typename TfIndicesOf<sizeof...(A)>::type());
  }
#define TF_ENTRY(Thunk, F) nullptr, &Thunk::template tf_whole<F>
#else
#define TF_ENTRY(Thunk, F) &Thunk::template body<F>, nullptr
  // Arguments are read for every thread: a parked stack outlives the launch that parked it.
  template <auto F> TF_TRUSTED TF_UNCHECKED static void body(TfThread* thread, void** arguments) {
    while (tf_next(thread)) call<F>(arguments, typename TfIndicesOf<sizeof...(A)>::type());
  }
#endif
};

template <auto F, tf_u64 Bound> constexpr TfKernel tf_kernel_of(const char* name) {
  typedef TfThunk<decltype(F)> Thunk;
  return { name, TF_ENTRY(Thunk, F), Thunk::parameters, Thunk::count, (tf_u32)Bound, TF_WARP, {} };
}

#endif
