// The functions of fp32 that OpenCL takes from dialect/math.h, by their names there; read by C and by C++.
#ifndef TF_OPENCL_FUNCTIONS_H
#define TF_OPENCL_FUNCTIONS_H

// Those whose error the table of libraries states, then the exact ones.
#define TF_CL_LOOSE_FUNCTIONS1(X)                                                                                      \
  X(exp) X(exp2) X(exp10) X(expm1) X(log) X(log2) X(log10) X(log1p) X(sin) X(cos) X(tan) X(sinpi) X(cospi)             \
  X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh) X(asinh) X(acosh) X(atanh) X(erf) X(erfc) X(cbrt)                    \
  X(sqrt) X(rsqrt)
#define TF_CL_EXACT_FUNCTIONS1(X) X(fabs) X(floor) X(ceil) X(trunc) X(round) X(rint)
#define TF_CL_LOOSE_FUNCTIONS2(X) X(pow) X(atan2) X(hypot)
#define TF_CL_EXACT_FUNCTIONS2(X) X(fmod) X(remainder) X(fmax) X(fmin) X(copysign) X(nextafter)

#define TF_CL_FUNCTIONS1(X) TF_CL_LOOSE_FUNCTIONS1(X) TF_CL_EXACT_FUNCTIONS1(X)
#define TF_CL_FUNCTIONS2(X) TF_CL_LOOSE_FUNCTIONS2(X) TF_CL_EXACT_FUNCTIONS2(X)

// Those of double.
#define TF_CL_FUNCTIONS_DOUBLE(X) X(exp) X(exp2) X(log) X(log2)

// Combinations of a sub-group's values, and ways to move them.
#define TF_CL_ADD 0
#define TF_CL_MAX 1
#define TF_CL_MIN 2
#define TF_CL_MULTIPLY 3
#define TF_CL_AND 4
#define TF_CL_OR 5
#define TF_CL_XOR 6
#define TF_CL_TO_LANE 0
#define TF_CL_TO_XOR 1
#define TF_CL_TO_UP 2
#define TF_CL_TO_DOWN 3
#define TF_CL_TO_FIRST 4

#endif
