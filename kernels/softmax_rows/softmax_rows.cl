#include "pack.h"
#include "reduce.h"

#define HELD 4 // quads of a work-item held in registers: rows to 4 * HELD * THREADS = 4,096

/// The types of x and y. Both are read and written four values, a quad, at a time.
enum { F32, BF16 };

static inline float4 load_values(global const void* x, ulong quad, const int type) {
  if (type == F32) return ((global const float4*)x)[quad];
  return from_bf16(((global const ushort4*)x)[quad]);
}

/// Stores a quad, each value rounded to its type once.
static inline void store_values(global void* y, ulong quad, float4 v, const int type) {
  if (type == F32) ((global float4*)y)[quad] = v;
  else ((global ushort4*)y)[quad] = to_bf16(v);
}

/// e = exp(x - m): at most 1, whatever x is.
static inline float4 exp_below(float4 x, float m) {
  return exp(x - m);
}

/// m = max(x); e = exp(x - m); y = e / Σ e: the row in registers, read once. `type`: a constant of each kernel.
/// One work-group a row. width: multiple of 4, at most 4 * HELD * THREADS.
static inline void softmax_held(global const void* x, global void* y, uint width, const int type,
                                local float* max_of_sub_group, local float* sum_of_sub_group) {
  const uint thread = get_local_id(0);
  const uint quads = width / 4;
  const ulong first_quad = get_group_id(0) * (ulong)quads;

  // 1. The row's largest. A place past the row holds -inf: below every m, and 0 as an exponential.
  float4 v[HELD];
  float largest = -INFINITY;
#pragma unroll
  for (uint i = 0; i < HELD; i++) {
    const uint quad = i * THREADS + thread;
    v[i] = quad < quads ? load_values(x, first_quad + quad, type) : (float4)(-INFINITY);
    largest = largest_of(largest, v[i]);
  }
  put_partial(max_of_sub_group, sub_group_largest(largest));
  barrier(CLK_LOCAL_MEM_FENCE); // the held row's largest
  const float m = max_partials(max_of_sub_group);

  // 2. Exponentials and their sum.
  float sum_exp = 0.0f;
#pragma unroll
  for (uint i = 0; i < HELD; i++) {
    v[i] = exp_below(v[i], m);
    sum_exp = add_each(sum_exp, v[i]);
  }
  put_partial(sum_of_sub_group, sub_group_reduce_add(sum_exp));
  barrier(CLK_LOCAL_MEM_FENCE); // the held row's sum
  const float total = sum_partials(sum_of_sub_group);

  // 3. y, rounded once.
#pragma unroll
  for (uint i = 0; i < HELD; i++) {
    const uint quad = i * THREADS + thread;
    if (quad < quads) store_values(y, first_quad + quad, v[i] / total, type);
  }
}

/// The same over rows of any length: three passes over x. width: multiple of 4.
static inline void softmax_looped(global const void* x, global void* y, uint width, const int type,
                                  local float* max_of_sub_group, local float* sum_of_sub_group) {
  const uint thread = get_local_id(0);
  const uint quads = width / 4;
  const ulong first_quad = get_group_id(0) * (ulong)quads;

  // 1. The row's largest.
  float largest = -INFINITY;
  for (uint quad = thread; quad < quads; quad += THREADS) {
    largest = largest_of(largest, load_values(x, first_quad + quad, type));
  }
  put_partial(max_of_sub_group, sub_group_largest(largest));
  barrier(CLK_LOCAL_MEM_FENCE); // the looped row's largest
  const float m = max_partials(max_of_sub_group);

  // 2. The sum of the exponentials.
  float sum_exp = 0.0f;
  for (uint quad = thread; quad < quads; quad += THREADS) {
    sum_exp = add_each(sum_exp, exp_below(load_values(x, first_quad + quad, type), m));
  }
  put_partial(sum_of_sub_group, sub_group_reduce_add(sum_exp));
  barrier(CLK_LOCAL_MEM_FENCE); // the looped row's sum
  const float total = sum_partials(sum_of_sub_group);

  // 3. y, rounded once.
  for (uint quad = thread; quad < quads; quad += THREADS) {
    const float4 e = exp_below(load_values(x, first_quad + quad, type), m);
    store_values(y, first_quad + quad, e / total, type);
  }
}

kernel GROUP_OF_THREADS void tf_softmax_rows_f32(global const float* restrict x, global float* restrict y,
                                                 uint width) {
  local float max_of_sub_group[SUB_GROUPS], sum_of_sub_group[SUB_GROUPS];
  softmax_held(x, y, width, F32, max_of_sub_group, sum_of_sub_group);
}

kernel GROUP_OF_THREADS void tf_softmax_rows_bf16(global const ushort* restrict x, global ushort* restrict y,
                                                  uint width) {
  local float max_of_sub_group[SUB_GROUPS], sum_of_sub_group[SUB_GROUPS];
  softmax_held(x, y, width, BF16, max_of_sub_group, sum_of_sub_group);
}

kernel GROUP_OF_THREADS void tf_softmax_rows_f32_looped(global const float* restrict x, global float* restrict y,
                                                        uint width) {
  local float max_of_sub_group[SUB_GROUPS], sum_of_sub_group[SUB_GROUPS];
  softmax_looped(x, y, width, F32, max_of_sub_group, sum_of_sub_group);
}

kernel GROUP_OF_THREADS void tf_softmax_rows_bf16_looped(global const ushort* restrict x, global ushort* restrict y,
                                                         uint width) {
  local float max_of_sub_group[SUB_GROUPS], sum_of_sub_group[SUB_GROUPS];
  softmax_looped(x, y, width, BF16, max_of_sub_group, sum_of_sub_group);
}
