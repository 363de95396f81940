// What of AMD's HIP runtime the shim calls: types, numbers and functions as hip_runtime_api.h has them, under names of its own. A
// test holds them against that header where it is installed.
#ifndef TF_HIP_DRIVER_H
#define TF_HIP_DRIVER_H
#include <stddef.h>
#include <stdint.h>

#if !defined(TF_VENDOR_HEADER)
typedef int hipError_t;
typedef int hipDevice_t;
typedef int hipDeviceAttribute_t;
typedef int hipFunction_attribute;
typedef int hipJitOption;
typedef void* hipDeviceptr_t;
typedef struct ihipModule_t* hipModule_t;
typedef struct ihipModuleSymbol_t* hipFunction_t;
typedef struct ihipEvent_t* hipEvent_t;
typedef struct ihipStream_t* hipStream_t;
#endif

enum {
  NOT_READY = 600,
  EVENT_DISABLE_TIMING = 2,
  // hipDeviceProp_t comes in two forms, by the name of the function that fills it. The shim reads the chip's name alone.
  PROPERTIES_BYTES = 4096, // more than either has
  CHIP_AT_R0600 = 1160, CHIP_AT_R0000 = 396, CHIP_BYTES = 256
};

enum { // hipDeviceAttribute_t, the same since ROCm 5.0
  COMPUTE_CAPABILITY_MAJOR = 23, MAX_BLOCK_DIM_X = 26, MAX_GRID_DIM_X = 29, MAX_THREADS_PER_BLOCK = 56,
  MULTIPROCESSOR_COUNT = 63, MAX_REGISTERS_PER_BLOCK = 71, MAX_SHARED_MEMORY_PER_BLOCK = 74,
  MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 75, WARP_SIZE = 87
};

enum { // hipFunction_attribute
  FUNC_MAX_THREADS_PER_BLOCK = 0, FUNC_SHARED_SIZE_BYTES = 1, FUNC_LOCAL_SIZE_BYTES = 3, FUNC_NUM_REGS = 4
};

// Each function with the first ROCm that has it.
#define DRIVER(X, OPTIONAL)                                                                                                  \
  X("5.0", hipError_t, hipInit, unsigned flags)                                                                              \
  X("5.0", hipError_t, hipRuntimeGetVersion, int*)                                                                           \
  X("5.0", const char*, hipGetErrorName, hipError_t)                                                                         \
  X("5.0", const char*, hipGetErrorString, hipError_t)                                                                       \
  X("5.0", hipError_t, hipGetDeviceCount, int*)                                                                              \
  X("5.0", hipError_t, hipSetDevice, int)                                                                                    \
  X("5.0", hipError_t, hipDeviceReset, void)                                                                                 \
  X("5.0", hipError_t, hipDeviceGetName, char*, int bytes, hipDevice_t)                                                      \
  X("5.0", hipError_t, hipDeviceGetAttribute, int*, hipDeviceAttribute_t, int device)                                        \
  X("5.0", hipError_t, hipDeviceTotalMem, size_t*, hipDevice_t)                                                              \
  X("5.0", hipError_t, hipMalloc, void**, size_t)                                                                            \
  X("5.0", hipError_t, hipFree, void*)                                                                                       \
  X("5.0", hipError_t, hipMemcpyHtoD, hipDeviceptr_t, void*, size_t)                                                         \
  X("5.0", hipError_t, hipMemcpyDtoH, void*, hipDeviceptr_t, size_t)                                                         \
  X("5.0", hipError_t, hipMemsetD8, hipDeviceptr_t, unsigned char, size_t)                                                   \
  X("5.0", hipError_t, hipMemsetD32, hipDeviceptr_t, int word, size_t words)                                                 \
  X("5.0", hipError_t, hipModuleLoadDataEx, hipModule_t*, const void*, unsigned count, hipJitOption*, void** values)         \
  X("5.0", hipError_t, hipModuleUnload, hipModule_t)                                                                         \
  X("5.0", hipError_t, hipModuleGetFunction, hipFunction_t*, hipModule_t, const char*)                                       \
  X("5.0", hipError_t, hipFuncGetAttribute, int*, hipFunction_attribute, hipFunction_t)                                      \
  X("5.0", hipError_t, hipModuleLaunchKernel, hipFunction_t, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, \
    unsigned bz, unsigned shared_bytes, hipStream_t, void** arguments, void** extra)                                         \
  X("5.0", hipError_t, hipEventCreateWithFlags, hipEvent_t*, unsigned flags)                                                 \
  X("5.0", hipError_t, hipEventDestroy, hipEvent_t)                                                                          \
  X("5.0", hipError_t, hipEventRecord, hipEvent_t, hipStream_t)                                                              \
  X("5.0", hipError_t, hipEventQuery, hipEvent_t)                                                                            \
  OPTIONAL("6.0", hipError_t, hipGetDevicePropertiesR0600, void*, int device)                                                \
  OPTIONAL("5.0", hipError_t, hipGetDeviceProperties, void*, int device)                                                     \
  OPTIONAL("5.5", hipError_t, hipModuleLaunchCooperativeKernel, hipFunction_t, unsigned gx, unsigned gy, unsigned gz,        \
    unsigned bx, unsigned by, unsigned bz, unsigned shared_bytes, hipStream_t, void** arguments)

#endif
