// The functions of dialect/math.h for OpenCL C.
#ifndef TF_OPENCL_IMAGE_MATH_H
#define TF_OPENCL_IMAGE_MATH_H
#include "../../math.h"
#include "../functions.h"
#include "export.h"

#define TF_CL_DEFINE1(name) TF_CL_C float tf_cl_##name(float x) { return tf_##name(x); }
#define TF_CL_DEFINE2(name) TF_CL_C float tf_cl_##name(float x, float y) { return tf_##name(x, y); }
TF_CL_FUNCTIONS1(TF_CL_DEFINE1)
TF_CL_FUNCTIONS2(TF_CL_DEFINE2)
#define TF_CL_DEFINE_DOUBLE(name) TF_CL_C double tf_cl_double_##name(double x) { return tf_##name##_double(x); }
TF_CL_FUNCTIONS_DOUBLE(TF_CL_DEFINE_DOUBLE)
#undef TF_CL_DEFINE_DOUBLE
#if defined(TF_ULPS)
TF_CL_C float tf_cl_loose(
    float exact, float x, float y, uint id, double steps, double slope, double error, double from, double to) {
  return tf_loose(exact, { id, steps, slope, error, from, to }, x, y);
}
// The operator, which the toolchain makes a call of.
TF_CL_C float tf_cl_divide(float x, float y) { return TF_LOOSE(div, x / y, x, y); }
#endif
#undef TF_CL_DEFINE1
#undef TF_CL_DEFINE2
TF_CL_C float tf_cl_ldexp(float x, int n) { return tf_ldexp(x, n); }
TF_CL_C float tf_cl_frexp(float x, int* n) { return tf_frexp(x, n); }
TF_CL_C float tf_cl_fma_odd(float a, float b, float c) { return tf_fma16_odd(a, b, c); }
TF_CL_C ushort tf_cl_half_bits(float v) { return tf_f32_to_f16(v); }

#endif
