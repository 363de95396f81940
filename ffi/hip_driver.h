// What of AMD's HIP runtime the shim calls: types, numbers and functions as hip_runtime_api.h has them. With TF_VENDOR_HEADER
// they are that header's own; a test holds these against those where it is installed.
#ifndef TF_HIP_DRIVER_H
#define TF_HIP_DRIVER_H
#include <stddef.h>
#include <stdint.h>

// Results by name, number and what they are to the harness; a result that is not here is TF_LOST.
#define HIP_RESULTS(X)                                                                                                \
  X(hipSuccess, 0, TF_OK)                                                                                             \
  X(hipErrorInvalidValue, 1, TF_BAD_ARGUMENT)                                                                         \
  X(hipErrorOutOfMemory, 2, TF_NO_MEMORY)                                                                             \
  X(hipErrorNotInitialized, 3, TF_ABSENT)                                                                             \
  X(hipErrorInvalidConfiguration, 9, TF_BAD_ARGUMENT)                                                                 \
  X(hipErrorInvalidSymbol, 13, TF_BAD_ARGUMENT)                                                                       \
  X(hipErrorInvalidDevicePointer, 17, TF_BAD_ARGUMENT)                                                                \
  X(hipErrorInsufficientDriver, 35, TF_ABSENT)                                                                        \
  X(hipErrorInvalidDeviceFunction, 98, TF_BAD_ARGUMENT)                                                               \
  X(hipErrorNoDevice, 100, TF_ABSENT)                                                                                 \
  X(hipErrorInvalidDevice, 101, TF_ABSENT)                                                                            \
  X(hipErrorInvalidImage, 200, TF_BAD_IMAGE)                                                                          \
  X(hipErrorNoBinaryForGpu, 209, TF_BAD_IMAGE)                                                                        \
  X(hipErrorInvalidKernelFile, 218, TF_BAD_IMAGE)                                                                     \
  X(hipErrorInvalidSource, 300, TF_BAD_IMAGE)                                                                         \
  X(hipErrorSharedObjectSymbolNotFound, 302, TF_BAD_IMAGE)                                                            \
  X(hipErrorSharedObjectInitFailed, 303, TF_BAD_IMAGE)                                                                \
  X(hipErrorInvalidHandle, 400, TF_BAD_ARGUMENT)                                                                      \
  X(hipErrorNotFound, 500, TF_BAD_ARGUMENT)                                                                           \
  X(hipErrorNotReady, 600, TF_LOST)                                                                                   \
  X(hipErrorIllegalAddress, 700, TF_FAULT)                                                                            \
  X(hipErrorLaunchOutOfResources, 701, TF_BAD_ARGUMENT)                                                               \
  X(hipErrorLaunchTimeOut, 702, TF_TIMEOUT)                                                                           \
  X(hipErrorAssert, 710, TF_FAULT)                                                                                    \
  X(hipErrorLaunchFailure, 719, TF_FAULT)                                                                             \
  X(hipErrorCooperativeLaunchTooLarge, 720, TF_BAD_ARGUMENT)                                                          \
  X(hipErrorNotSupported, 801, TF_BAD_ARGUMENT)

#if !defined(TF_VENDOR_HEADER)
#define TF_RESULT(name, value, status) name = value,
typedef enum hipError_t { HIP_RESULTS(TF_RESULT) } hipError_t;

typedef enum hipDeviceAttribute_t { // the same since ROCm 5.0
  hipDeviceAttributeMaxBlockDimX = 26,
  hipDeviceAttributeMaxBlockDimY = 27,
  hipDeviceAttributeMaxBlockDimZ = 28,
  hipDeviceAttributeMaxGridDimX = 29,
  hipDeviceAttributeMaxGridDimY = 30,
  hipDeviceAttributeMaxGridDimZ = 31,
  hipDeviceAttributeMaxThreadsPerBlock = 56,
  hipDeviceAttributeMultiprocessorCount = 63,
  hipDeviceAttributeMaxRegistersPerBlock = 71,
  hipDeviceAttributeMaxSharedMemoryPerBlock = 74,
  hipDeviceAttributeSharedMemPerBlockOptin = 75,
  hipDeviceAttributeWarpSize = 87
} hipDeviceAttribute_t;

typedef enum hipFunction_attribute {
  HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
  HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
  HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
  HIP_FUNC_ATTRIBUTE_NUM_REGS = 4
} hipFunction_attribute;

enum { hipEventDisableTiming = 2 };

typedef int hipDevice_t;
typedef enum hipJitOption { hipJitOptionNone } hipJitOption; // none is given
typedef void* hipDeviceptr_t;
typedef struct ihipModule_t* hipModule_t;
typedef struct ihipModuleSymbol_t* hipFunction_t;
typedef struct ihipEvent_t* hipEvent_t;
typedef struct ihipStream_t* hipStream_t;
#endif

// hipDeviceProp_t comes in two forms, by the name of the function that fills it. The shim reads the chip's name alone.
enum { PROPERTIES_BYTES = 4096, CHIP_AT_R0600 = 1160, CHIP_AT_R0000 = 396, CHIP_BYTES = 256 };

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
