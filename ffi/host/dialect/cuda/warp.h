// Barriers of a block, shuffles, votes, matches and reductions of a warp.
#ifndef TF_CUDA_WARP_H
#define TF_CUDA_WARP_H
#include "index.h"

TF_INLINE void __syncthreads(TfSite site = tf_here()) { tf_barrier(site); }
// The number of threads whose predicate holds, known to all. A thread takes its vote back once all have read.
TF_INLINE int __syncthreads_count(int predicate, TfSite site = tf_here()) {
  TfGroup* g = tf_self()->group;
  g->votes += predicate != 0;
  tf_barrier(site);
  int count = (int)g->votes;
  tf_barrier(site);
  g->votes -= predicate != 0;
  return count;
}
TF_INLINE int __syncthreads_or(int predicate, TfSite site = tf_here()) {
  return __syncthreads_count(predicate, site) != 0;
}
TF_INLINE int __syncthreads_and(int predicate, TfSite site = tf_here()) {
  return __syncthreads_count(!predicate, site) == 0;
}

// The lanes of a warp, a bit each: 32 bits in CUDA; in HIP 64, and a mask of fewer is refused, as its headers do.
#if defined(TF_HIP)
typedef unsigned long long TfLaneBits;
struct TfLaneMask {
  TfLaneBits bits;
  template <class T> TF_MEMBER constexpr TfLaneMask(T mask) : bits((TfLaneBits)mask) {
    static_assert(sizeof(T) == 8, "HIP's lane masks have 64 bits, at 32 lanes as well");
  }
  TF_MEMBER constexpr operator TfLaneBits() const { return bits; }
};
#else
typedef unsigned TfLaneBits, TfLaneMask;
#endif
static constexpr TfLaneBits TF_EVERY_LANE = (TfLaneBits)TF_ALL_LANES;

TF_INLINE void __syncwarp(TfLaneMask mask = TF_EVERY_LANE, TfSite site = tf_here()) {
  tf_meet(tf_self(), mask, 0, TF_OP_SYNC, site);
}
TF_INLINE TfLaneBits __activemask(TfSite site = tf_here()) {
  return (TfLaneBits)tf_meet_active(tf_self(), 0, TF_OP_ACTIVE_MASK, site).mask;
}
TF_INLINE unsigned tf_lane() { return tf_self()->lane; }

// A masked shuffle. A source outside the mask has no value on a GPU; here it reads a pattern that shows.
template <class T> TF_INLINE T tf_shuffle(TfLaneMask mask, T value, tf_u32 op, tf_u32 by, int width, TfSite site) {
  TfThread* t = tf_self();
  tf_u32 source = tf_source(op, t->lane, by, (tf_u32)width);
  return tf_pick<T>(tf_meet(t, mask, tf_bits(value), op, site), source);
}
template <class T> TF_INLINE T __shfl_sync(TfLaneMask mask, T v, int lane, int width = warpSize, TfSite site = tf_here()) {
  return tf_shuffle(mask, v, TF_OP_SHUFFLE, (tf_u32)lane, width, site);
}
template <class T> TF_INLINE T __shfl_xor_sync(TfLaneMask mask, T v, int by, int width = warpSize, TfSite site = tf_here()) {
  return tf_shuffle(mask, v, TF_OP_SHUFFLE_XOR, (tf_u32)by, width, site);
}
template <class T>
TF_INLINE T __shfl_up_sync(TfLaneMask mask, T v, unsigned by, int width = warpSize, TfSite site = tf_here()) {
  return tf_shuffle(mask, v, TF_OP_SHUFFLE_UP, by, width, site);
}
template <class T>
TF_INLINE T __shfl_down_sync(TfLaneMask mask, T v, unsigned by, int width = warpSize, TfSite site = tf_here()) {
  return tf_shuffle(mask, v, TF_OP_SHUFFLE_DOWN, by, width, site);
}

TF_INLINE TfLaneBits __ballot_sync(TfLaneMask mask, int predicate, TfSite site = tf_here()) {
  return (TfLaneBits)tf_ballot_of(tf_meet(tf_self(), mask, predicate != 0, TF_OP_BALLOT, site));
}
TF_INLINE int __any_sync(TfLaneMask mask, int predicate, TfSite site = tf_here()) {
  return __ballot_sync(mask, predicate, site) != 0;
}
TF_INLINE int __all_sync(TfLaneMask mask, int predicate, TfSite site = tf_here()) {
  return __ballot_sync(mask, !predicate, site) == 0;
}
template <class T> TF_INLINE TfLaneBits __match_any_sync(TfLaneMask mask, T value, TfSite site = tf_here()) {
  TfLanes lanes = tf_meet(tf_self(), mask, tf_bits(value), TF_OP_MATCH, site);
  TfLaneBits same = 0;
  for (tf_u32 lane = 0; lane < TF_WARP; lane++)
    if (tf_came(lanes, lane) && lanes.value[lane] == tf_bits(value)) same |= (TfLaneBits)1 << lane;
  return same;
}
template <class T>
TF_INLINE TfLaneBits __match_all_sync(TfLaneMask mask, T value, int* all, TfSite site = tf_here()) {
  TfLaneBits same = __match_any_sync(mask, value, site), there = mask & (TfLaneBits)tf_self()->warp->full;
  *all = same == there;
  return *all ? (TfLaneBits)mask : 0;
}

#define TF_REDUCE(name, op, expression)                                                                               \
  template <class T> TF_INLINE T __reduce_##name##_sync(TfLaneMask mask, T value, TfSite site = tf_here()) {          \
    TfLanes lanes = tf_meet(tf_self(), mask, tf_bits(value), op, site);                                               \
    return tf_reduce<T>(lanes, [](T a, T b) __attribute__((always_inline)) { return (T)(expression); });              \
  }
TF_REDUCE(add, TF_OP_ADD, a + b)
TF_REDUCE(min, TF_OP_MIN, b < a ? b : a)
TF_REDUCE(max, TF_OP_MAX, b > a ? b : a)
TF_REDUCE(and, TF_OP_AND, a & b)
TF_REDUCE(or, TF_OP_OR, a | b)
TF_REDUCE(xor, TF_OP_XOR, a ^ b)
#undef TF_REDUCE

// Order between memory accesses, in a block and between blocks.
TF_INLINE void __threadfence_block() { __atomic_signal_fence(__ATOMIC_SEQ_CST); }
TF_INLINE void __threadfence() { tf_fence(); }
TF_INLINE void __threadfence_system() { tf_fence(); }
TF_INLINE void __nanosleep(unsigned) { tf_yield(); }
TF_INLINE void __trap(TfSite site = tf_here()) { tf_fault("trap", site); }

#endif
