// What of NVIDIA's driver API the shim calls: types, numbers and functions as cuda.h has them. With TF_VENDOR_HEADER they are
// cuda.h's own; a test holds these against those where that header is installed.
#ifndef TF_CUDA_DRIVER_H
#define TF_CUDA_DRIVER_H
#include <stddef.h>
#include <stdint.h>

// Results by name, number and what they are to the harness; a result that is not here is TF_LOST.
#define CUDA_RESULTS(X)                                                                                               \
  X(CUDA_SUCCESS, 0, TF_OK)                                                                                           \
  X(CUDA_ERROR_INVALID_VALUE, 1, TF_BAD_ARGUMENT)                                                                     \
  X(CUDA_ERROR_OUT_OF_MEMORY, 2, TF_NO_MEMORY)                                                                        \
  X(CUDA_ERROR_NOT_INITIALIZED, 3, TF_ABSENT)                                                                         \
  X(CUDA_ERROR_STUB_LIBRARY, 34, TF_ABSENT)                                                                           \
  X(CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER, 36, TF_ABSENT)                                                             \
  X(CUDA_ERROR_DEVICE_UNAVAILABLE, 46, TF_ABSENT)                                                                     \
  X(CUDA_ERROR_NO_DEVICE, 100, TF_ABSENT)                                                                             \
  X(CUDA_ERROR_INVALID_DEVICE, 101, TF_ABSENT)                                                                        \
  X(CUDA_ERROR_INVALID_IMAGE, 200, TF_BAD_IMAGE)                                                                      \
  X(CUDA_ERROR_NO_BINARY_FOR_GPU, 209, TF_BAD_IMAGE)                                                                  \
  X(CUDA_ERROR_INVALID_PTX, 218, TF_BAD_IMAGE)                                                                        \
  X(CUDA_ERROR_JIT_COMPILER_NOT_FOUND, 221, TF_BAD_IMAGE)                                                             \
  X(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, 222, TF_BAD_IMAGE)                                                            \
  X(CUDA_ERROR_JIT_COMPILATION_DISABLED, 223, TF_BAD_IMAGE)                                                           \
  X(CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC, 225, TF_BAD_IMAGE)                                                           \
  X(CUDA_ERROR_INVALID_SOURCE, 300, TF_BAD_IMAGE)                                                                     \
  X(CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND, 302, TF_BAD_IMAGE)                                                     \
  X(CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, 303, TF_BAD_IMAGE)                                                          \
  X(CUDA_ERROR_INVALID_HANDLE, 400, TF_BAD_ARGUMENT)                                                                  \
  X(CUDA_ERROR_NOT_FOUND, 500, TF_BAD_ARGUMENT)                                                                       \
  X(CUDA_ERROR_NOT_READY, 600, TF_LOST)                                                                               \
  X(CUDA_ERROR_ILLEGAL_ADDRESS, 700, TF_FAULT)                                                                        \
  X(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, 701, TF_BAD_ARGUMENT)                                                         \
  X(CUDA_ERROR_LAUNCH_TIMEOUT, 702, TF_TIMEOUT)                                                                       \
  X(CUDA_ERROR_ASSERT, 710, TF_FAULT)                                                                                 \
  X(CUDA_ERROR_HARDWARE_STACK_ERROR, 714, TF_FAULT)                                                                   \
  X(CUDA_ERROR_ILLEGAL_INSTRUCTION, 715, TF_FAULT)                                                                    \
  X(CUDA_ERROR_MISALIGNED_ADDRESS, 716, TF_FAULT)                                                                     \
  X(CUDA_ERROR_INVALID_ADDRESS_SPACE, 717, TF_FAULT)                                                                  \
  X(CUDA_ERROR_INVALID_PC, 718, TF_FAULT)                                                                             \
  X(CUDA_ERROR_LAUNCH_FAILED, 719, TF_FAULT)                                                                          \
  X(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, 720, TF_BAD_ARGUMENT)                                                    \
  X(CUDA_ERROR_TENSOR_MEMORY_LEAK, 721, TF_FAULT)                                                                     \
  X(CUDA_ERROR_NOT_SUPPORTED, 801, TF_BAD_ARGUMENT)                                                                   \
  X(CUDA_ERROR_SYSTEM_NOT_READY, 802, TF_ABSENT)                                                                      \
  X(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, 803, TF_ABSENT)                                                                \
  X(CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE, 804, TF_ABSENT)                                                        \
  X(CUDA_ERROR_INVALID_CLUSTER_SIZE, 912, TF_BAD_ARGUMENT)

#if !defined(TF_VENDOR_HEADER)
#define TF_RESULT(name, value, status) name = value,
typedef enum CUresult { CUDA_RESULTS(TF_RESULT) } CUresult;

typedef enum CUjit_option {
  CU_JIT_INFO_LOG_BUFFER = 3,
  CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES = 4,
  CU_JIT_ERROR_LOG_BUFFER = 5,
  CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6
} CUjit_option;

typedef enum CUdevice_attribute {
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X = 2,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y = 3,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z = 4,
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X = 5,
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y = 6,
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z = 7,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = 8,
  CU_DEVICE_ATTRIBUTE_WARP_SIZE = 10,
  CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK = 12,
  CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97
} CUdevice_attribute;

typedef enum CUfunction_attribute {
  CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
  CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
  CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
  CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
  CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14
} CUfunction_attribute;

typedef enum CUlaunchAttributeID {
  CU_LAUNCH_ATTRIBUTE_COOPERATIVE = 2,
  CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION = 4
} CUlaunchAttributeID;

enum { CU_EVENT_DISABLE_TIMING = 2 };

typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st* CUcontext;
typedef struct CUmod_st* CUmodule;
typedef struct CUfunc_st* CUfunction;
typedef struct CUevent_st* CUevent;
typedef struct CUstream_st* CUstream;

typedef struct CUlaunchAttribute {
  CUlaunchAttributeID id;
  char pad[8 - sizeof(CUlaunchAttributeID)];
  union {
    char pad[64];
    struct { unsigned x, y, z; } clusterDim;
    int cooperative;
  } value;
} CUlaunchAttribute;

typedef struct CUlaunchConfig {
  unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
  CUstream hStream;
  CUlaunchAttribute* attrs;
  unsigned numAttrs;
} CUlaunchConfig;
#endif

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
