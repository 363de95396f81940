#include "pack.h"
#include "reduce.h"

#define VALUES 8 // consecutive values of a work-item a step

/// The types of y.
enum { F32, BF16, F16 };

/// Stores y[i], rounded to its type once.
static inline void store_value(global void* y, ulong i, float v, const int type) {
  if (type == F32) ((global float*)y)[i] = v;
  if (type == BF16) ((global ushort*)y)[i] = to_bf16(v);
  if (type == F16) vstore_half_rte(v, i, (global half*)y);
}

/// y = x * rsqrt(mean(x²) + eps) * w, rounded to y's type: one work-group a row, scalar loads, any width.
/// A work-item's values and their order are those of tf_rms_rows_vec_bf16, which has the same bits.
static inline void rms_rows(global const ushort* x, global const ushort* w, global void* y, uint width, float eps,
                            const int type, local float* partials) {
  const uint thread = get_local_id(0);
  const ulong offset = get_group_id(0) * (ulong)width;
  x += offset;

  // 1. Σ x².
  float sum_squares = 0.0f;
  for (uint first = thread * VALUES; first < width; first += THREADS * VALUES) {
    const uint end = min(first + VALUES, width);
    for (uint i = first; i < end; i++) sum_squares = fma(from_bf16(x[i]), from_bf16(x[i]), sum_squares);
  }
  put_partial(partials, sub_group_reduce_add(sum_squares));
  barrier(CLK_LOCAL_MEM_FENCE);
  const float total = sum_partials(partials);

  // 2. The row's scale.
  const float scale = rsqrt(total / (float)width + eps);

  // 3. y, rounded once.
  for (uint first = thread * VALUES; first < width; first += THREADS * VALUES) {
    const uint end = min(first + VALUES, width);
    for (uint i = first; i < end; i++) store_value(y, offset + i, from_bf16(x[i]) * scale * from_bf16(w[i]), type);
  }
}

kernel GROUP_OF_THREADS void tf_rms_rows_f32(global const ushort* restrict x, global const ushort* restrict w,
                                             global float* restrict y, uint width, float eps) {
  local float partials[SUB_GROUPS];
  rms_rows(x, w, y, width, eps, F32, partials);
}

kernel GROUP_OF_THREADS void tf_rms_rows_bf16(global const ushort* restrict x, global const ushort* restrict w,
                                              global ushort* restrict y, uint width, float eps) {
  local float partials[SUB_GROUPS];
  rms_rows(x, w, y, width, eps, BF16, partials);
}

kernel GROUP_OF_THREADS void tf_rms_rows_f16(global const ushort* restrict x, global const ushort* restrict w,
                                             global half* restrict y, uint width, float eps) {
  local float partials[SUB_GROUPS];
  rms_rows(x, w, y, width, eps, F16, partials);
}
