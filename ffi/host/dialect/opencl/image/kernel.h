// The table of an OpenCL image's kernels.
#ifndef TF_OPENCL_IMAGE_KERNEL_H
#define TF_OPENCL_IMAGE_KERNEL_H
#include "export.h"

template <tf_u32 Kind, tf_u32 Bytes> struct TfClParameter {
  static constexpr TfParameter value = { Kind, Bytes };
};
#define TF_CL_BUFFER TfClParameter<TF_PARAMETER_BUFFER, sizeof(void*)>
#define TF_CL_LOCAL_POINTER TfClParameter<TF_PARAMETER_LOCAL, 0>
// A value of the source's own type, whose size is not known here, comes in a buffer.
#define TF_CL_BYTES(n) TfClParameter<(n) ? TF_PARAMETER_BYTES : TF_PARAMETER_REFERENCE, n>

template <class... P> struct TfClParameters {
  static constexpr tf_u32 count = sizeof...(P);
  static constexpr TfParameter list[sizeof...(P) + 1] = { P::value..., { TF_PARAMETER_NONE, 0 } };
};
template <class... P>
constexpr TfKernel tf_cl_kernel_of(
    const char* name, void (*body)(TfThread*, void**), tf_u32 x, tf_u32 y, tf_u32 z, tf_u32 sub_group) {
  return { name, body, nullptr, TfClParameters<P...>::list, TfClParameters<P...>::count, x * y * z,
           sub_group ? sub_group : TF_WARP, { x, y, z }, sub_group };
}

#define TF_CL_BODY(name) extern "C" void name(TfThread* thread, void** arguments);
#define TF_CL_KERNEL(name, body, x, y, z, sub_group, ...) tf_cl_kernel_of<__VA_ARGS__>(name, body, x, y, z, sub_group),

#endif
