// cooperative_groups: block, tiles, the lanes of a branch, cluster, grid.
#ifndef TF_CUDA_COOPERATIVE_GROUPS_H
#define TF_CUDA_COOPERATIVE_GROUPS_H
#include "warp.h"

namespace cooperative_groups {

struct thread_block {
  TF_MEMBER void sync(TfSite site = tf_here()) const { tf_barrier(site); }
  TF_MEMBER static unsigned thread_rank() { return tf_self()->linear; }
  TF_MEMBER static unsigned size() { return tf_self()->group->threads; }
  TF_MEMBER static unsigned num_threads() { return size(); }
  TF_MEMBER static dim3 thread_index() { return tf_thread_index(); }
  TF_MEMBER static dim3 group_index() { return tf_group_index(); }
  TF_MEMBER static dim3 group_dim() { return tf_group_size(); }
  TF_MEMBER static dim3 dim_threads() { return tf_group_size(); }
};
TF_INLINE thread_block this_thread_block() { return {}; }

template <unsigned N> struct thread_block_tile {
  static_assert(N >= 1 && N <= TF_WARP && (N & (N - 1)) == 0, "a tile has a power of two of lanes, at most a warp's");
  TF_MEMBER static unsigned thread_rank() { return tf_self()->lane % N; }
  TF_MEMBER static unsigned size() { return N; }
  TF_MEMBER static unsigned num_threads() { return N; }
  TF_MEMBER static unsigned meta_group_rank() { return tf_self()->linear / N; }
  TF_MEMBER static unsigned meta_group_size() { return (tf_self()->group->threads + N - 1) / N; }
  TF_MEMBER static unsigned first() { return tf_self()->lane / N * N; }
  TF_MEMBER static TfLaneBits mask() {
    return N == TF_WARP ? TF_EVERY_LANE : (((TfLaneBits)1 << N % TF_WARP) - 1) << first();
  }
  TF_MEMBER void sync(TfSite site = tf_here()) const { __syncwarp(mask(), site); }
  template <class T> TF_MEMBER T shfl(T v, int lane, TfSite site = tf_here()) const {
    return __shfl_sync(mask(), v, lane, N, site);
  }
  template <class T> TF_MEMBER T shfl_xor(T v, unsigned by, TfSite site = tf_here()) const {
    return __shfl_xor_sync(mask(), v, (int)by, N, site);
  }
  template <class T> TF_MEMBER T shfl_up(T v, unsigned by, TfSite site = tf_here()) const {
    return __shfl_up_sync(mask(), v, by, N, site);
  }
  template <class T> TF_MEMBER T shfl_down(T v, unsigned by, TfSite site = tf_here()) const {
    return __shfl_down_sync(mask(), v, by, N, site);
  }
  TF_MEMBER TfLaneBits ballot(int p, TfSite site = tf_here()) const {
    return __ballot_sync(mask(), p, site) >> first();
  }
  TF_MEMBER int any(int p, TfSite site = tf_here()) const { return __any_sync(mask(), p, site); }
  TF_MEMBER int all(int p, TfSite site = tf_here()) const { return __all_sync(mask(), p, site); }
};
template <unsigned N, class Parent> TF_INLINE thread_block_tile<N> tiled_partition(const Parent&) { return {}; }

struct coalesced_group {
  TfLaneBits lanes;
  TF_MEMBER void sync(TfSite site = tf_here()) const { __syncwarp(lanes, site); }
  TF_MEMBER unsigned size() const { return (unsigned)__builtin_popcountll(lanes); }
  TF_MEMBER unsigned num_threads() const { return size(); }
  TF_MEMBER unsigned thread_rank() const {
    return (unsigned)__builtin_popcountll(lanes & (((TfLaneBits)1 << tf_self()->lane) - 1));
  }
  template <class T> TF_MEMBER T shfl(T v, unsigned rank, TfSite site = tf_here()) const {
    TfLaneBits rest = lanes;
    for (unsigned i = 0; i < rank % size(); i++) rest &= rest - 1;
    return __shfl_sync(lanes, v, __builtin_ctzll(rest), warpSize, site);
  }
  TF_MEMBER int any(int p, TfSite site = tf_here()) const { return __any_sync(lanes, p, site); }
  TF_MEMBER int all(int p, TfSite site = tf_here()) const { return __all_sync(lanes, p, site); }
};
TF_INLINE coalesced_group coalesced_threads(TfSite site = tf_here()) { return { __activemask(site) }; }

struct cluster_group {
  TF_MEMBER static void sync(TfSite site = tf_here()) { tf_cluster_barrier(site); }
  TF_MEMBER static unsigned block_rank() { return tf_self()->group->rank; }
  TF_MEMBER static unsigned num_blocks() { return tf_self()->group->cluster_size; }
  TF_MEMBER static unsigned thread_rank() { return block_rank() * thread_block::size() + thread_block::thread_rank(); }
  TF_MEMBER static unsigned num_threads() { return num_blocks() * thread_block::size(); }
  // Variables lie at the same place below each group's local_top.
  template <class T> TF_MEMBER T* map_shared_rank(T* p, unsigned rank) const {
    TfGroup* own = tf_self()->group;
    return (T*)((char*)p - own->local_top + own->cluster_first[rank].local_top);
  }
};
TF_INLINE cluster_group this_cluster() { return {}; }

struct grid_group {
  TF_MEMBER static void sync(TfSite site = tf_here()) { tf_grid_barrier(site); }
  TF_MEMBER static bool is_valid() { return true; }
  TF_MEMBER static unsigned long long block_rank() { return tf_self()->group->linear; }
  TF_MEMBER static unsigned long long num_blocks() {
    TfGroup* g = tf_self()->group;
    return (unsigned long long)g->grid_x * g->grid_y * g->grid_z;
  }
  TF_MEMBER static unsigned long long thread_rank() {
    return block_rank() * thread_block::size() + thread_block::thread_rank();
  }
  TF_MEMBER static unsigned long long size() { return num_blocks() * thread_block::size(); }
};
TF_INLINE grid_group this_grid() { return {}; }

template <class T = void> struct plus { TF_MEMBER T operator()(T a, T b) const { return a + b; } };
template <class T = void> struct less { TF_MEMBER T operator()(T a, T b) const { return b < a ? b : a; } };
template <class T = void> struct greater { TF_MEMBER T operator()(T a, T b) const { return b > a ? b : a; } };
template <unsigned N, class T, class F>
TF_INLINE T reduce(const thread_block_tile<N>& tile, T v, F f, TfSite site = tf_here()) {
  TfLanes lanes = tf_meet(tf_self(), tile.mask(), tf_bits(v), TF_OP_ADD, site);
  return tf_reduce<T>(lanes, f);
}
template <class Group> TF_INLINE void sync(const Group& group, TfSite site = tf_here()) { group.sync(site); }

} // namespace cooperative_groups

#endif
