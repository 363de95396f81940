// The steps of a reduction over a work-group of THREADS, its barrier in the kernel's own hands:
//   put_partial(partials, sub_group_reduce_add(sum));
//   barrier(CLK_LOCAL_MEM_FENCE);
//   total = sum_partials(partials);
// A second reduction of a kernel has its own partials, so that none is overwritten while it is read. Every work-item
// gets the same bits.
#ifndef TF_REDUCE_H
#define TF_REDUCE_H

#include "arithmetic.h"

/// Keeps a sub-group's value, by its first lane. `partials`: SUB_GROUPS values.
static inline void __attribute__((overloadable)) put_partial(local float* partials, float v) {
  if (get_sub_group_local_id() == 0) partials[get_sub_group_id()] = v;
}

static inline void __attribute__((overloadable)) put_partial(local half* partials, half v) {
  if (get_sub_group_local_id() == 0) partials[get_sub_group_id()] = v;
}

/// The work-group's sum: its sub-groups' in order. A sum is held in half only where a kernel asks for it.
static inline float __attribute__((overloadable)) sum_partials(local const float* partials) {
  float total = partials[0];
  for (uint i = 1; i < SUB_GROUPS; i++) total = total + partials[i];
  return total;
}

static inline half __attribute__((overloadable)) sum_partials(local const half* partials) {
  half total = partials[0];
  for (uint i = 1; i < SUB_GROUPS; i++) total = total + partials[i];
  return total;
}

/// The larger of two; a NaN in either stays, which fmax and sub_group_reduce_max would drop.
static inline float larger(float m, float v) {
  return v > m || is_nan(v) ? v : m;
}

/// The largest of four and m, NaN if any is.
static inline float largest_of(float m, float4 v) {
  return larger(larger(larger(larger(m, v.s0), v.s1), v.s2), v.s3);
}

/// The sub-group's largest, in every lane; NaN if any lane has one.
static inline float sub_group_largest(float v) {
  for (uint offset = LANES / 2; offset > 0; offset /= 2) v = larger(v, sub_group_shuffle_xor(v, offset));
  return v;
}

/// The work-group's largest, of its sub-groups'; NaN if any is.
static inline float max_partials(local const float* partials) {
  float largest = partials[0];
  for (uint i = 1; i < SUB_GROUPS; i++) largest = larger(largest, partials[i]);
  return largest;
}

#endif
