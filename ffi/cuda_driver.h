// What of NVIDIA's driver API the shim calls: types, numbers and functions as cuda.h has them, under names of its own. A test holds
// them against cuda.h where that is installed.
#ifndef TF_CUDA_DRIVER_H
#define TF_CUDA_DRIVER_H
#include <stddef.h>
#include <stdint.h>

#if !defined(TF_VENDOR_HEADER)
typedef int CUresult;
typedef int CUjit_option;
typedef int CUdevice_attribute;
typedef int CUfunction_attribute;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st* CUcontext;
typedef struct CUmod_st* CUmodule;
typedef struct CUfunc_st* CUfunction;
typedef struct CUevent_st* CUevent;
typedef struct CUstream_st* CUstream;

typedef struct CUlaunchAttribute {
  int id;
  int pad;
  union {
    char bytes[64];
    struct { unsigned x, y, z; } cluster;
    int cooperative;
  } value;
} CUlaunchAttribute;

typedef struct CUlaunchConfig {
  unsigned grid[3], block[3], shared_bytes;
  CUstream stream;
  CUlaunchAttribute* attributes;
  unsigned attribute_count;
} CUlaunchConfig;
#endif

enum {
  NOT_READY = 600,
  JIT_INFO_LOG_BUFFER = 3, JIT_INFO_LOG_BUFFER_SIZE_BYTES = 4,
  JIT_ERROR_LOG_BUFFER = 5, JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
  EVENT_DISABLE_TIMING = 2,
  LAUNCH_COOPERATIVE = 2, LAUNCH_CLUSTER_DIMENSION = 4,
  PORTABLE_CLUSTER = 8 // groups; more than these are an option of a function
};

enum { // CUdevice_attribute
  MAX_THREADS_PER_BLOCK = 1, MAX_BLOCK_DIM_X = 2, MAX_GRID_DIM_X = 5, MAX_SHARED_MEMORY_PER_BLOCK = 8, WARP_SIZE = 10,
  MAX_REGISTERS_PER_BLOCK = 12, MULTIPROCESSOR_COUNT = 16, COMPUTE_CAPABILITY_MAJOR = 75, COMPUTE_CAPABILITY_MINOR = 76,
  MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97
};

enum { // CUfunction_attribute
  FUNC_MAX_THREADS_PER_BLOCK = 0, FUNC_SHARED_SIZE_BYTES = 1, FUNC_LOCAL_SIZE_BYTES = 3, FUNC_NUM_REGS = 4,
  FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8, FUNC_NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14
};

// Each function under its exported name, with the release whose driver has it first.
#define DRIVER(X, OPTIONAL)                                                                                          \
  X("9.0", cuInit, unsigned flags)                                                                                   \
  X("9.0", cuDriverGetVersion, int*)                                                                                 \
  X("9.0", cuGetErrorName, CUresult, const char**)                                                                   \
  X("9.0", cuGetErrorString, CUresult, const char**)                                                                 \
  X("9.0", cuDeviceGetCount, int*)                                                                                   \
  X("9.0", cuDeviceGet, CUdevice*, int ordinal)                                                                      \
  X("9.0", cuDeviceGetName, char*, int bytes, CUdevice)                                                              \
  X("9.0", cuDeviceGetAttribute, int*, CUdevice_attribute, CUdevice)                                                      \
  X("9.0", cuDeviceTotalMem_v2, size_t*, CUdevice)                                                                   \
  X("9.0", cuCtxCreate_v2, CUcontext*, unsigned flags, CUdevice)                                                     \
  X("9.0", cuCtxDestroy_v2, CUcontext)                                                                               \
  X("9.0", cuCtxSetCurrent, CUcontext)                                                                               \
  X("9.0", cuMemAlloc_v2, CUdeviceptr*, size_t)                                                                      \
  X("9.0", cuMemFree_v2, CUdeviceptr)                                                                                \
  X("9.0", cuMemcpyHtoD_v2, CUdeviceptr, const void*, size_t)                                                        \
  X("9.0", cuMemcpyDtoH_v2, void*, CUdeviceptr, size_t)                                                              \
  X("9.0", cuMemsetD8_v2, CUdeviceptr, unsigned char, size_t)                                                        \
  X("9.0", cuMemsetD32_v2, CUdeviceptr, unsigned, size_t words)                                                      \
  X("9.0", cuModuleLoadDataEx, CUmodule*, const void*, unsigned count, CUjit_option* options, void** values)                  \
  X("9.0", cuModuleUnload, CUmodule)                                                                                 \
  X("9.0", cuModuleGetFunction, CUfunction*, CUmodule, const char*)                                                  \
  X("9.0", cuFuncGetAttribute, int*, CUfunction_attribute, CUfunction)                                                      \
  X("9.0", cuFuncSetAttribute, CUfunction, CUfunction_attribute, int value)                                                 \
  X("9.0", cuLaunchKernel, CUfunction, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, \
    unsigned shared_bytes, CUstream, void** arguments, void** extra)                                                 \
  X("9.0", cuLaunchCooperativeKernel, CUfunction, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,   \
    unsigned bz, unsigned shared_bytes, CUstream, void** arguments)                                                  \
  X("9.0", cuEventCreate, CUevent*, unsigned flags)                                                                  \
  X("9.0", cuEventDestroy_v2, CUevent)                                                                               \
  X("9.0", cuEventRecord, CUevent, CUstream)                                                                         \
  X("9.0", cuEventQuery, CUevent)                                                                                    \
  OPTIONAL("11.8", cuLaunchKernelEx, const CUlaunchConfig*, CUfunction, void** arguments, void** extra)              \
  OPTIONAL("12.4", cuFuncGetParamInfo, CUfunction, size_t index, size_t* offset, size_t* bytes)

#endif
