// The Metal Shading Language for the host device; included before a source by the toolchain. The lowering has turned
// kernels, address spaces, literals and vector constructors into C++.
#ifndef TF_METAL_H
#define TF_METAL_H

#include "metal/atomic.h"
#include "metal/integer.h"
#include "metal/kernel.h"
#include "metal/make.h"
#include "metal/math.h"
#include "metal/matrix.h"
#include "metal/simd.h"
#include "metal/simdgroup_matrix.h"
#include "metal/traits.h"
#include "metal/types.h"

// A thread may not return while others of its threadgroup wait at a barrier.
static constexpr tf_u32 tf_image_flags = TF_IMAGE_STRICT_EXIT;

// Metal takes `static const constant float x = 1;` in a class.
#pragma clang diagnostic ignored "-Wstatic-float-init"

typedef int tf_source_begin;

#endif
