// How a C++ function of the image is called from its OpenCL C: joined at link time, where it inlines.
#ifndef TF_OPENCL_IMAGE_EXPORT_H
#define TF_OPENCL_IMAGE_EXPORT_H
#include "../../simt.h"

#define TF_CL_EXPORT __attribute__((visibility("hidden"), always_inline, nodebug))
#define TF_CL_C extern "C" TF_CL_EXPORT

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;

#endif
