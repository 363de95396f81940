// Inline PTX: the lowering turns `asm("op ..." : outs : ins)` into tf_ptx_<op>(operands in the instruction's order,
// line). An instruction that is not here compiles to tf_unsupported, which faults by name where it is reached.
#ifndef TF_CUDA_PTX_H
#define TF_CUDA_PTX_H
#include "math.h"
#include "warp.h"

TF_INLINE void tf_unsupported(const char* what, tf_u32 line, const char* file = __builtin_FILE()) {
  static const char START[] = "the host device does not know ";
  char text[128];
  tf_u32 n = 0;
  for (const char* p = START; *p; p++) text[n++] = *p;
  for (const char* p = what; *p && n < sizeof text - 1; p++) text[n++] = *p;
  text[n] = 0;
  tf_fault(text, tf_site(file, line));
}

#if defined(TF_HIP) // AMD's compilers know no PTX
#define TF_PTX_LOOSE(limit, exact, x) (exact)
#else
#define TF_PTX_LOOSE(limit, exact, x) TF_LOOSE(limit, exact, x)
#endif
#define TF_PTX1(name, limit, f)                                                                                       \
  TF_INLINE void tf_ptx_##name(float& d, float a, tf_u32) { d = TF_PTX_LOOSE(ptx_##limit, f(a), a); }
TF_PTX1(ex2_approx_f32, ex2_approx, tf_exp2) TF_PTX1(ex2_approx_ftz_f32, ex2_approx, tf_exp2)
TF_PTX1(lg2_approx_f32, lg2_approx, tf_log2) TF_PTX1(lg2_approx_ftz_f32, lg2_approx, tf_log2)
TF_PTX1(rsqrt_approx_f32, rsqrt_approx, tf_rsqrt) TF_PTX1(rsqrt_approx_ftz_f32, rsqrt_approx, tf_rsqrt)
TF_PTX1(sqrt_approx_f32, sqrt_approx, tf_sqrt) TF_PTX1(sqrt_approx_ftz_f32, sqrt_approx, tf_sqrt)
TF_PTX1(sqrt_rn_f32, sqrt_rn, tf_sqrt)
TF_PTX1(rcp_approx_f32, rcp_approx, 1.0f /) TF_PTX1(rcp_approx_ftz_f32, rcp_approx, 1.0f /)
TF_PTX1(rcp_rn_f32, rcp_rn, 1.0f /)
TF_PTX1(sin_approx_f32, sin_approx, tf_sin) TF_PTX1(cos_approx_f32, cos_approx, tf_cos)
TF_PTX1(tanh_approx_f32, tanh_approx, tf_tanh)
#undef TF_PTX1
TF_INLINE void tf_ptx_fma_rn_f32(float& d, float a, float b, float c, tf_u32) { d = tf_fma(a, b, c); }
TF_INLINE void tf_ptx_max_NaN_f32(float& d, float a, float b, tf_u32) {
  d = tf_isnan(a) || tf_isnan(b) ? TF_NAN : tf_fmax(a, b);
}
TF_INLINE void tf_ptx_min_NaN_f32(float& d, float a, float b, tf_u32) {
  d = tf_isnan(a) || tf_isnan(b) ? TF_NAN : tf_fmin(a, b);
}

template <class T>
TF_INLINE void tf_ptx_shfl_sync_bfly_b32(
    T& d, T a, int by, int, unsigned mask, tf_u32 line, const char* file = __builtin_FILE()) {
  d = tf_shuffle(mask, a, TF_OP_SHUFFLE_XOR, (tf_u32)by, 32, tf_site(file, line));
}
TF_INLINE void tf_ptx_trap(tf_u32 line, const char* file = __builtin_FILE()) { tf_fault("trap", tf_site(file, line)); }
TF_INLINE void tf_ptx_bar_sync(int barrier, tf_u32 line, const char* file = __builtin_FILE()) {
  if (barrier) tf_unsupported("a numbered barrier", line, file);
  tf_barrier(tf_site(file, line));
}

#endif
