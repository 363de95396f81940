// The C++ side of an OpenCL image: the toolchain includes it before the table of the image's kernels and links both
// with the lowered OpenCL C.
#ifndef TF_OPENCL_IMAGE_H
#define TF_OPENCL_IMAGE_H

#include "lowered.h"
#include "opencl/image/kernel.h"
#include "opencl/image/math.h"
#include "opencl/image/subgroup.h"
#include "opencl/image/workitem.h"

// A work-item may not return while others of its group wait at a barrier.
static constexpr tf_u32 tf_image_flags = TF_IMAGE_STRICT_EXIT;

#endif
