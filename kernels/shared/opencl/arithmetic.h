// The arithmetic every kernel is written for: the operations of the text in their order, fused only where it says fma.
// Square roots and divisions are IEEE's under -cl-fp32-correctly-rounded-divide-sqrt; no relaxed or finite math.
#ifndef TF_ARITHMETIC_H
#define TF_ARITHMETIC_H

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL FP_CONTRACT OFF

#ifndef THREADS
#define THREADS 256 // work-items a group
#endif

#define LANES 32 // work-items a sub-group
#define SUB_GROUPS (THREADS / LANES)

#define GROUP_OF_THREADS                                                                                               \
  __attribute__((reqd_work_group_size(THREADS, 1, 1))) __attribute__((intel_reqd_sub_group_size(LANES)))

/// True for a NaN, read from the bits so that finite-math flags cannot fold it away.
static inline bool is_nan(float v) {
  return (as_uint(v) & 0x7fffffffu) > 0x7f800000u;
}

#endif
