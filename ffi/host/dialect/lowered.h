// The macros that lowered text uses. The compiler of the lowered text includes this file before it (-include): that
// text has been through the preprocessor, so a macro of the dialect's own header is gone by then.
#ifndef TF_LOWERED_H
#define TF_LOWERED_H

#pragma clang fp contract(off) // until the author's own text, which a fused image fuses

#define TF_UNWRAP(...) __VA_ARGS__

// What an image of the kind `ulps` keeps of its functions (ulps.h).
#if defined(TF_ULPS)
#define TF_ULPS_STATE &tf_ulps
#define TF_ULPS_DEFINE __attribute__((visibility("hidden"))) TfUlps tf_ulps;
#else
#define TF_ULPS_STATE nullptr
#define TF_ULPS_DEFINE
#endif

// Where the accesses of a check image need no judging.
#if defined(TF_CHECK)
#define TF_CHECK_RANGES tf_ranges
#else
#define TF_CHECK_RANGES nullptr
#endif

// Type, dimensions and alignment come in parentheses, since each may hold commas.
#define TF_LOCAL(TYPE, name, DIMS, ALIGN, line)                                                                       \
  typedef TF_UNWRAP TYPE tf_local_type_##name TF_UNWRAP DIMS;                                                         \
  static TfLocalVariable tf_local_variable_##name = { sizeof(tf_local_type_##name),                                   \
    tf_local_align(alignof(tf_local_type_##name), TF_UNWRAP ALIGN), #name, __FILE__, line, 0, 0, 0 };                 \
  tf_local_type_##name& name = *(tf_local_type_##name*)tf_local(&tf_local_variable_##name)
#define TF_CHECKED_MEMBER [[no_unique_address]] TfChecked tf_checked;
#define TF_LOCAL_DYNAMIC(TYPE, name, line) TF_UNWRAP TYPE* name = (TF_UNWRAP TYPE*)tf_local_dynamic()

// TF_KERNEL("symbol", function, bound): the last two are one template argument list, for `f<float, 128>` holds a comma.
#define TF_KERNELS_BEGIN static constexpr TfKernel tf_kernel_table[] = {
#define TF_KERNEL(name, ...) tf_kernel_of<__VA_ARGS__>(name),
#define TF_METAL_KERNEL(name, ...) tf_metal_kernel_of<__VA_ARGS__>(name),
#define TF_KERNELS_END                                                                                                \
  { nullptr, nullptr, nullptr, nullptr, 0, 0, 0, 0 } };                                                                      \
  extern "C" {                                                                                                        \
  TF_ULPS_DEFINE                                                                                                       \
  __attribute__((visibility("hidden"))) TfRuntime tf_runtime;                                                         \
  __attribute__((visibility("default"))) const TfImage* tf_image(void) {                                              \
    static const TfImage image = { TF_IMAGE_ABI, tf_image_flags | TF_IMAGE_KIND, tf_layout(), tf_kernel_table,        \
      sizeof tf_kernel_table / sizeof *tf_kernel_table - 1, 0, &tf_runtime, TF_ULPS_STATE, TF_CHECK_RANGES };         \
    return &image;                                                                                                    \
  }                                                                                                                   \
  }

#endif
