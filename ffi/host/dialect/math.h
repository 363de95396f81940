// The mathematical functions of every dialect, under names of their own; a dialect's header gives them its names.
#ifndef TF_MATH_H
#define TF_MATH_H
#include "ulps.h"
#include "math/basic.h"
#include "math/error.h"
#include "math/exponential.h"
#include "math/hyperbolic.h"
#include "math/trigonometric.h"
#endif
