// OpenCL C for the host device; included before a source by the toolchain. It stays OpenCL C; what needs the runtime is
// in opencl_image.h.
#ifndef TF_OPENCL_H
#define TF_OPENCL_H

#include "opencl-c-base.h"

#include "opencl/atomic.h"
#include "opencl/convert.h"
#include "opencl/integer.h"
#include "opencl/math.h"
#include "opencl/memory.h"
#include "opencl/relational.h"
#include "opencl/subgroup.h"
#include "opencl/workitem.h"

typedef int tf_source_begin;

#endif
