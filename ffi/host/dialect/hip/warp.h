// The wave functions of HIP without a mask, and those of AMDGCN builtins that kernels use. Waves have TF_WARP lanes.
#ifndef TF_HIP_WARP_H
#define TF_HIP_WARP_H
#include "../cuda.h"

// A lane that does not take part reads as 0, as ds_bpermute gives it.
template <class T> TF_INLINE T tf_shuffle_active(T value, tf_u32 op, tf_u32 by, int width, TfSite site) {
  TfThread* t = tf_self();
  tf_u32 source = tf_source(op, t->lane, by, (tf_u32)width);
  return tf_pick<T>(tf_meet_active(t, tf_bits(value), op, site), source, tf_from_bits<T>(0));
}
template <class T> TF_INLINE T __shfl(T v, int lane, int width = warpSize, TfSite site = tf_here()) {
  return tf_shuffle_active(v, TF_OP_SHUFFLE, (tf_u32)lane, width, site);
}
template <class T> TF_INLINE T __shfl_xor(T v, int by, int width = warpSize, TfSite site = tf_here()) {
  return tf_shuffle_active(v, TF_OP_SHUFFLE_XOR, (tf_u32)by, width, site);
}
template <class T> TF_INLINE T __shfl_up(T v, unsigned by, int width = warpSize, TfSite site = tf_here()) {
  return tf_shuffle_active(v, TF_OP_SHUFFLE_UP, by, width, site);
}
template <class T> TF_INLINE T __shfl_down(T v, unsigned by, int width = warpSize, TfSite site = tf_here()) {
  return tf_shuffle_active(v, TF_OP_SHUFFLE_DOWN, by, width, site);
}
TF_INLINE unsigned long long __ballot(int predicate, TfSite site = tf_here()) {
  return tf_ballot_of(tf_meet_active(tf_self(), predicate != 0, TF_OP_BALLOT, site));
}
TF_INLINE int __any(int predicate, TfSite site = tf_here()) { return __ballot(predicate, site) != 0; }
TF_INLINE int __all(int predicate, TfSite site = tf_here()) { return __ballot(!predicate, site) == 0; }
TF_INLINE unsigned __lane_id() { return tf_self()->lane; }
#if TF_WARP == 64 // either is of one width alone
TF_INLINE unsigned long long __builtin_amdgcn_ballot_w64(bool p, TfSite site = tf_here()) { return __ballot(p, site); }
#else
TF_INLINE unsigned __builtin_amdgcn_ballot_w32(bool p, TfSite site = tf_here()) { return (unsigned)__ballot(p, site); }
#endif
TF_INLINE unsigned __builtin_amdgcn_wavefrontsize() { return TF_WARP; }

TF_INLINE unsigned __builtin_amdgcn_mbcnt_lo(unsigned mask, unsigned base) {
  tf_u32 lane = tf_self()->lane;
  return base + (unsigned)__builtin_popcount(lane < 32 ? mask & ((1u << lane) - 1) : mask);
}
TF_INLINE unsigned __builtin_amdgcn_mbcnt_hi(unsigned mask, unsigned base) {
  tf_u32 lane = tf_self()->lane;
  return lane < 32 ? base : base + (unsigned)__builtin_popcount(mask & ((1u << (lane - 32)) - 1));
}
TF_INLINE int __builtin_amdgcn_readfirstlane(int v, TfSite site = tf_here()) {
  TfLanes lanes = tf_meet_active(tf_self(), tf_bits(v), TF_OP_BROADCAST, site);
  return tf_pick<int>(lanes, (tf_u32)__builtin_ctzll(lanes.mask));
}
TF_INLINE int __builtin_amdgcn_readlane(int v, int lane, TfSite site = tf_here()) { return __shfl(v, lane, warpSize, site); }
TF_INLINE int __builtin_amdgcn_ds_bpermute(int address, int v, TfSite site = tf_here()) {
  return __shfl(v, address >> 2, warpSize, site);
}
TF_INLINE void __builtin_amdgcn_wave_barrier(TfSite site = tf_here()) {
  tf_meet_active(tf_self(), 0, TF_OP_SYNC, site);
}
TF_INLINE void __builtin_amdgcn_s_barrier(TfSite site = tf_here()) { tf_barrier(site); }
TF_INLINE void __builtin_amdgcn_s_waitcnt(int) {}
TF_INLINE void __builtin_amdgcn_sched_barrier(int) {}
TF_INLINE void __builtin_amdgcn_fence(int, const char*) { tf_fence(); }
TF_INLINE float __builtin_amdgcn_rcpf(float x) { return TF_LOOSE(amdgcn_rcp, 1.0f / x, x); }
TF_INLINE float __builtin_amdgcn_rsqf(float x) { return TF_LOOSE(amdgcn_rsq, tf_rsqrt(x), x); }
TF_INLINE float __builtin_amdgcn_sqrtf(float x) { return TF_LOOSE(amdgcn_sqrt, tf_sqrt(x), x); }
TF_INLINE float __builtin_amdgcn_exp2f(float x) { return TF_LOOSE(amdgcn_exp2, tf_exp2(x), x); }
TF_INLINE float __builtin_amdgcn_logf(float x) { return TF_LOOSE(amdgcn_log2, tf_log2(x), x); }
TF_INLINE float __builtin_amdgcn_fmed3f(float a, float b, float c) {
  return tf_fmax(tf_fmin(a, b), tf_fmin(tf_fmax(a, b), c));
}
TF_INLINE int __builtin_amdgcn_sdot4(int a, int b, int c, bool) { return __dp4a(a, b, c); }

#endif
