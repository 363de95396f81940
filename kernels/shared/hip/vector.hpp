#pragma once

#include "round.hpp"

/** How many values of T one 16-byte access holds: 8 bf16, 4 fp32. */
template <class T>
constexpr unsigned VECTOR = 16 / sizeof(T);

/** N values that move as one: their alignment lets the compiler use a single global_load or ds_read. */
template <class T, unsigned N>
struct alignas(N * sizeof(T)) Packed {
  T values[N];
};

/** N values as fp32 by one load; `from` is aligned to all N. */
template <class T, unsigned N>
__device__ __forceinline__ void load_vector(const T* from, float (&values)[N]) {
  const Packed<T, N> packed = *reinterpret_cast<const Packed<T, N>*>(from);
#pragma unroll
  for (unsigned j = 0; j < N; j++) values[j] = to_f32(packed.values[j]);
}

/** N fp32, each rounded once to T, by one store; `to` is aligned to all N. */
template <class T, unsigned N>
__device__ __forceinline__ void store_vector(T* to, const float (&values)[N]) {
  Packed<T, N> packed;
#pragma unroll
  for (unsigned j = 0; j < N; j++) packed.values[j] = round_to<T>(values[j]);
  *reinterpret_cast<Packed<T, N>*>(to) = packed;
}
