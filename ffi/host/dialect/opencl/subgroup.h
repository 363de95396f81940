// cl_khr_subgroups, its shuffle, ballot and arithmetic extensions, cl_intel_subgroups. A sum is a butterfly's, the
// largest distance first, in every schedule. A lane that does not take part reads as a NaN, or as a wild index.
#ifndef TF_OPENCL_SUBGROUP_H
#define TF_OPENCL_SUBGROUP_H
#include "functions.h"
#include "workitem.h"

#define cl_khr_subgroup_shuffle 1
#define cl_khr_subgroup_shuffle_relative 1
#define cl_khr_subgroup_ballot 1
#define cl_khr_subgroup_non_uniform_arithmetic 1
#define cl_khr_subgroup_non_uniform_vote 1
#define cl_khr_subgroup_extended_types 1

uint tf_cl_lane(void);
uint tf_cl_sub_group(void);
uint tf_cl_sub_group_width(void);
uint tf_cl_sub_group_size(void);
uint tf_cl_sub_group_count(void);
uint tf_cl_ballot(int predicate, ulong file, uint line);

TF_CL uint get_sub_group_local_id(void) { return tf_cl_lane(); }
TF_CL uint get_sub_group_id(void) { return tf_cl_sub_group(); }
TF_CL uint get_sub_group_size(void) { return tf_cl_sub_group_size(); }
TF_CL uint get_max_sub_group_size(void) { return tf_cl_sub_group_width(); }
TF_CL uint get_num_sub_groups(void) { return tf_cl_sub_group_count(); }
TF_CL uint get_enqueued_num_sub_groups(void) { return tf_cl_sub_group_count(); }

#define TF_CL_MOVE_VECTOR(T, N)                                                                                        \
  TF_CL T##N tf_cl_move(T##N v, uint how, uint by, ulong file, uint line) {                                            \
    T##N r;                                                                                                            \
    for (int i = 0; i < N; i++) r[i] = tf_cl_move((T)v[i], how, by, file, line);                                       \
    return r;                                                                                                          \
  }
// Lane `by` places on, of `first` and `second` laid end to end.
#define TF_CL_JOIN(T)                                                                                                  \
  TF_CL T tf_cl_join(T first, T second, uint at, ulong file, uint line) {                                              \
    const uint size = tf_cl_sub_group_width();                                                                         \
    const T a = tf_cl_move(first, TF_CL_TO_LANE, at % size, file, line);                                               \
    const T b = tf_cl_move(second, TF_CL_TO_LANE, at % size, file, line);                                              \
    return at < size ? a : b;                                                                                          \
  }
#define TF_CL_JOIN_VECTOR(T, N) TF_CL_JOIN(T##N)
#define TF_CL_SUB_GROUP(T)                                                                                             \
  T TF_CL_CPP tf_cl_reduce(T v, uint how, ulong file, uint line);                                                      \
  T TF_CL_CPP tf_cl_scan(T v, uint how, uint inclusive, ulong file, uint line);                                        \
  T TF_CL_CPP tf_cl_move(T v, uint how, uint by, ulong file, uint line);                                               \
  TF_CL_WIDTHS(TF_CL_MOVE_VECTOR, T)                                                                                   \
  TF_CL_JOIN(T)                                                                                                        \
  TF_CL_WIDTHS(TF_CL_JOIN_VECTOR, T)
TF_CL_SCALARS(TF_CL_SUB_GROUP)

#define sub_group_reduce_add(v) tf_cl_reduce(v, TF_CL_ADD, TF_CL_HERE)
#define sub_group_reduce_max(v) tf_cl_reduce(v, TF_CL_MAX, TF_CL_HERE)
#define sub_group_reduce_min(v) tf_cl_reduce(v, TF_CL_MIN, TF_CL_HERE)
#define sub_group_scan_inclusive_add(v) tf_cl_scan(v, TF_CL_ADD, 1, TF_CL_HERE)
#define sub_group_scan_inclusive_max(v) tf_cl_scan(v, TF_CL_MAX, 1, TF_CL_HERE)
#define sub_group_scan_inclusive_min(v) tf_cl_scan(v, TF_CL_MIN, 1, TF_CL_HERE)
#define sub_group_scan_exclusive_add(v) tf_cl_scan(v, TF_CL_ADD, 0, TF_CL_HERE)
#define sub_group_scan_exclusive_max(v) tf_cl_scan(v, TF_CL_MAX, 0, TF_CL_HERE)
#define sub_group_scan_exclusive_min(v) tf_cl_scan(v, TF_CL_MIN, 0, TF_CL_HERE)
#define sub_group_non_uniform_reduce_add(v) tf_cl_reduce(v, TF_CL_ADD, TF_CL_HERE)
#define sub_group_non_uniform_reduce_mul(v) tf_cl_reduce(v, TF_CL_MULTIPLY, TF_CL_HERE)
#define sub_group_non_uniform_reduce_max(v) tf_cl_reduce(v, TF_CL_MAX, TF_CL_HERE)
#define sub_group_non_uniform_reduce_min(v) tf_cl_reduce(v, TF_CL_MIN, TF_CL_HERE)
#define sub_group_non_uniform_reduce_and(v) tf_cl_reduce(v, TF_CL_AND, TF_CL_HERE)
#define sub_group_non_uniform_reduce_or(v) tf_cl_reduce(v, TF_CL_OR, TF_CL_HERE)
#define sub_group_non_uniform_reduce_xor(v) tf_cl_reduce(v, TF_CL_XOR, TF_CL_HERE)

#define sub_group_broadcast(v, lane) tf_cl_move(v, TF_CL_TO_LANE, lane, TF_CL_HERE)
#define sub_group_non_uniform_broadcast(v, lane) tf_cl_move(v, TF_CL_TO_LANE, lane, TF_CL_HERE)
#define sub_group_broadcast_first(v) tf_cl_move(v, TF_CL_TO_FIRST, 0, TF_CL_HERE)
#define sub_group_shuffle(v, lane) tf_cl_move(v, TF_CL_TO_LANE, lane, TF_CL_HERE)
#define sub_group_shuffle_xor(v, by) tf_cl_move(v, TF_CL_TO_XOR, by, TF_CL_HERE)
#define sub_group_shuffle_up(v, by) tf_cl_move(v, TF_CL_TO_UP, by, TF_CL_HERE)
#define sub_group_shuffle_down(v, by) tf_cl_move(v, TF_CL_TO_DOWN, by, TF_CL_HERE)
#define intel_sub_group_shuffle(v, lane) tf_cl_move(v, TF_CL_TO_LANE, lane, TF_CL_HERE)
#define intel_sub_group_shuffle_xor(v, by) tf_cl_move(v, TF_CL_TO_XOR, by, TF_CL_HERE)
#define intel_sub_group_shuffle_down(now, next, by) tf_cl_join(now, next, tf_cl_lane() + (by), TF_CL_HERE)
#define intel_sub_group_shuffle_up(before, now, by)                                                                    \
  tf_cl_join(before, now, tf_cl_lane() + tf_cl_sub_group_width() - (by), TF_CL_HERE)

#define sub_group_any(p) (tf_cl_ballot((p) != 0, TF_CL_HERE) != 0)
#define sub_group_all(p) (tf_cl_ballot((p) == 0, TF_CL_HERE) == 0)
#define sub_group_non_uniform_any(p) sub_group_any(p)
#define sub_group_non_uniform_all(p) sub_group_all(p)
#define sub_group_elect() ((tf_cl_ballot(1, TF_CL_HERE) & ((1u << tf_cl_lane()) - 1)) == 0)
#define sub_group_ballot(p) ((uint4)(tf_cl_ballot((p) != 0, TF_CL_HERE), 0, 0, 0))
TF_CL int sub_group_ballot_bit_extract(uint4 v, uint lane) { return (v.x >> lane & 1) != 0; }
TF_CL int sub_group_inverse_ballot(uint4 v) { return (v.x >> tf_cl_lane() & 1) != 0; }
TF_CL uint sub_group_ballot_bit_count(uint4 v) { return __builtin_popcount(v.x); }
TF_CL uint sub_group_ballot_find_lsb(uint4 v) { return __builtin_ctz(v.x); }

// A lane's words of a block lie a sub-group apart.
#define TF_CL_BLOCK(T, suffix, Q)                                                                                      \
  TF_CL T intel_sub_group_block_read##suffix(const Q T* p) { return p[tf_cl_lane()]; }                                 \
  TF_CL void intel_sub_group_block_write##suffix(Q T* p, T v) { p[tf_cl_lane()] = v; }                                 \
  TF_CL_BLOCK_VECTOR(T, suffix, Q, 2) TF_CL_BLOCK_VECTOR(T, suffix, Q, 4) TF_CL_BLOCK_VECTOR(T, suffix, Q, 8)
#define TF_CL_BLOCK_VECTOR(T, suffix, Q, N)                                                                            \
  TF_CL T##N intel_sub_group_block_read##suffix##N(const Q T* p) {                                                     \
    T##N r;                                                                                                            \
    for (int i = 0; i < N; i++) r[i] = p[i * tf_cl_sub_group_width() + tf_cl_lane()];                                  \
    return r;                                                                                                          \
  }                                                                                                                    \
  TF_CL void intel_sub_group_block_write##suffix##N(Q T* p, T##N v) {                                                  \
    for (int i = 0; i < N; i++) p[i * tf_cl_sub_group_width() + tf_cl_lane()] = v[i];                                  \
  }
TF_CL_SPACES(TF_CL_BLOCK, uint, )
TF_CL_SPACES(TF_CL_BLOCK, uint, _ui)
TF_CL_SPACES(TF_CL_BLOCK, ushort, _us)

#endif
