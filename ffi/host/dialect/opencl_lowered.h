// Included before lowered OpenCL C: its text has every builtin already, but no pragma of the preprocessor's run.
#ifndef TF_OPENCL_LOWERED_H
#define TF_OPENCL_LOWERED_H

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL FP_CONTRACT OFF

#endif
