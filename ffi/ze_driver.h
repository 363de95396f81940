// The part of Level Zero 1.0 that xpu.c and its stand-in for tests speak: the specification's own layouts, values and
// signatures under names of ours. tests/device/gpu/ze-abi.c compares each with the vendor's ze_api.h where that is installed.
#ifndef TF_ZE_DRIVER_H
#define TF_ZE_DRIVER_H
#include "shim.h"
#include <stddef.h>

// Results by name, value and what they are to the harness; a result that is not here is TF_LOST.
#define Z_RESULTS(X)                                                                                                  \
  X(SUCCESS, 0, TF_OK)                                                                                                \
  X(NOT_READY, 1, TF_TIMEOUT)                                                                                         \
  X(ERROR_DEVICE_LOST, 0x70000001, TF_LOST)                                                                           \
  X(ERROR_OUT_OF_HOST_MEMORY, 0x70000002, TF_NO_MEMORY)                                                               \
  X(ERROR_OUT_OF_DEVICE_MEMORY, 0x70000003, TF_NO_MEMORY)                                                             \
  X(ERROR_MODULE_BUILD_FAILURE, 0x70000004, TF_BAD_IMAGE)                                                             \
  X(ERROR_MODULE_LINK_FAILURE, 0x70000005, TF_BAD_IMAGE)                                                              \
  X(ERROR_DEVICE_REQUIRES_RESET, 0x70000006, TF_LOST)                                                                 \
  X(ERROR_DEVICE_IN_LOW_POWER_STATE, 0x70000007, TF_LOST)                                                             \
  X(ERROR_INSUFFICIENT_PERMISSIONS, 0x70010000, TF_ABSENT)                                                            \
  X(ERROR_NOT_AVAILABLE, 0x70010001, TF_ABSENT)                                                                       \
  X(ERROR_DEPENDENCY_UNAVAILABLE, 0x70020000, TF_ABSENT)                                                              \
  X(ERROR_UNINITIALIZED, 0x78000001, TF_ABSENT)                                                                       \
  X(ERROR_UNSUPPORTED_VERSION, 0x78000002, TF_ABSENT)                                                                 \
  X(ERROR_UNSUPPORTED_FEATURE, 0x78000003, TF_BAD_ARGUMENT)                                                           \
  X(ERROR_INVALID_ARGUMENT, 0x78000004, TF_BAD_ARGUMENT)                                                              \
  X(ERROR_INVALID_NULL_HANDLE, 0x78000005, TF_BAD_ARGUMENT)                                                           \
  X(ERROR_HANDLE_OBJECT_IN_USE, 0x78000006, TF_BAD_ARGUMENT)                                                          \
  X(ERROR_INVALID_NULL_POINTER, 0x78000007, TF_BAD_ARGUMENT)                                                          \
  X(ERROR_INVALID_SIZE, 0x78000008, TF_BAD_ARGUMENT)                                                                  \
  X(ERROR_UNSUPPORTED_SIZE, 0x78000009, TF_NO_MEMORY)                                                                 \
  X(ERROR_UNSUPPORTED_ALIGNMENT, 0x7800000a, TF_BAD_ARGUMENT)                                                         \
  X(ERROR_INVALID_SYNCHRONIZATION_OBJECT, 0x7800000b, TF_BAD_ARGUMENT)                                                \
  X(ERROR_INVALID_ENUMERATION, 0x7800000c, TF_BAD_ARGUMENT)                                                           \
  X(ERROR_UNSUPPORTED_ENUMERATION, 0x7800000d, TF_BAD_ARGUMENT)                                                       \
  X(ERROR_INVALID_NATIVE_BINARY, 0x7800000f, TF_BAD_IMAGE)                                                            \
  X(ERROR_INVALID_KERNEL_NAME, 0x78000011, TF_BAD_ARGUMENT)                                                           \
  X(ERROR_INVALID_GROUP_SIZE_DIMENSION, 0x78000013, TF_BAD_ARGUMENT)                                                  \
  X(ERROR_INVALID_GLOBAL_WIDTH_DIMENSION, 0x78000014, TF_BAD_ARGUMENT)                                                \
  X(ERROR_INVALID_KERNEL_ARGUMENT_INDEX, 0x78000015, TF_BAD_ARGUMENT)                                                 \
  X(ERROR_INVALID_KERNEL_ARGUMENT_SIZE, 0x78000016, TF_BAD_ARGUMENT)                                                  \
  X(ERROR_INVALID_KERNEL_ATTRIBUTE_VALUE, 0x78000017, TF_BAD_ARGUMENT)                                                \
  X(ERROR_INVALID_MODULE_UNLINKED, 0x78000018, TF_BAD_IMAGE)                                                          \
  X(ERROR_INVALID_COMMAND_LIST_TYPE, 0x78000019, TF_BAD_ARGUMENT)                                                     \
  X(ERROR_OVERLAPPING_REGIONS, 0x7800001a, TF_BAD_ARGUMENT)                                                           \
  X(ERROR_UNKNOWN, 0x7ffffffe, TF_LOST)

#define Z_RESULT(name, value, status) Z_##name = value,
enum { Z_RESULTS(Z_RESULT) };
#undef Z_RESULT

// The type that each struct says of itself.
enum {
  Z_DRIVER_PROPERTIES = 0x1,
  Z_DEVICE_PROPERTIES = 0x3,
  Z_DEVICE_COMPUTE_PROPERTIES = 0x4,
  Z_QUEUE_GROUP_PROPERTIES = 0x6,
  Z_DEVICE_MEMORY_PROPERTIES = 0x7,
  Z_CONTEXT_DESC = 0xd,
  Z_QUEUE_DESC = 0xe,
  Z_EVENT_POOL_DESC = 0x10,
  Z_EVENT_DESC = 0x11,
  Z_DEVICE_ALLOC_DESC = 0x15,
  Z_MODULE_DESC = 0x1b,
  Z_KERNEL_DESC = 0x1d,
  Z_KERNEL_PROPERTIES = 0x1e
};
enum { Z_INIT_GPU_ONLY = 1, Z_DEVICE_GPU = 1, Z_QUEUE_GROUP_COMPUTE = 1, Z_ASYNCHRONOUS = 2 };
enum { Z_POOL_HOST_VISIBLE = 1, Z_SCOPE_HOST = 4, Z_FORMAT_SPIRV = 0, Z_FORMAT_NATIVE = 1 };

typedef void *ZDriver, *ZDevice, *ZContext, *ZList, *ZPool, *ZEvent, *ZModule, *ZLog, *ZKernel;

#define Z_HEAD                                                                                                        \
  uint32_t stype;                                                                                                     \
  const void* pNext

typedef struct { Z_HEAD; uint8_t uuid[16]; uint32_t driverVersion; } ZDriverProperties;

typedef struct {
  Z_HEAD;
  uint32_t type, vendorId, deviceId, flags, subdeviceId, coreClockRate;
  uint64_t maxMemAllocSize;
  uint32_t maxHardwareContexts, maxCommandQueuePriority, numThreadsPerEU, physicalEUSimdWidth, numEUsPerSubslice;
  uint32_t numSubslicesPerSlice, numSlices;
  uint64_t timerResolution;
  uint32_t timestampValidBits, kernelTimestampValidBits;
  uint8_t uuid[16];
  char name[256];
} ZDeviceProperties;

typedef struct {
  Z_HEAD;
  uint32_t maxTotalGroupSize, maxGroupSizeX, maxGroupSizeY, maxGroupSizeZ;
  uint32_t maxGroupCountX, maxGroupCountY, maxGroupCountZ;
  uint32_t maxSharedLocalMemory, numSubGroupSizes, subGroupSizes[8];
} ZComputeProperties;

typedef struct { Z_HEAD; uint32_t flags; size_t maxMemoryFillPatternSize; uint32_t numQueues; } ZQueueGroupProperties;

typedef struct {
  Z_HEAD;
  uint32_t flags, maxClockRate, maxBusWidth;
  uint64_t totalSize;
  char name[256];
} ZMemoryProperties;

typedef struct { Z_HEAD; uint32_t flags; } ZContextDesc;
typedef struct { Z_HEAD; uint32_t ordinal, index, flags, mode, priority; } ZQueueDesc;
typedef struct { Z_HEAD; uint32_t flags, count; } ZPoolDesc;
typedef struct { Z_HEAD; uint32_t index, signal, wait; } ZEventDesc;
typedef struct { Z_HEAD; uint32_t flags, ordinal; } ZAllocDesc;

typedef struct {
  Z_HEAD;
  uint32_t format;
  size_t inputSize;
  const uint8_t* pInputModule;
  const char* pBuildFlags;
  const void* pConstants;
} ZModuleDesc;

typedef struct { Z_HEAD; uint32_t flags; const char* pKernelName; } ZKernelDesc;

typedef struct {
  Z_HEAD;
  uint32_t numKernelArgs, requiredGroupSizeX, requiredGroupSizeY, requiredGroupSizeZ;
  uint32_t requiredNumSubGroups, requiredSubgroupSize, maxSubgroupSize, maxNumSubgroups;
  uint32_t localMemSize, privateMemSize, spillMemSize;
  uint8_t uuid[32];
} ZKernelProperties;

typedef struct { uint32_t groupCountX, groupCountY, groupCountZ; } ZGroupCount;

// Every function that is called, with its parameters.
#define Z_FUNCTIONS(X)                                                                                                \
  X(zeInit, (uint32_t))                                                                                               \
  X(zeDriverGet, (uint32_t*, ZDriver*))                                                                               \
  X(zeDriverGetApiVersion, (ZDriver, ZVersion*))                                                                      \
  X(zeDriverGetProperties, (ZDriver, ZDriverProperties*))                                                             \
  X(zeDeviceGet, (ZDriver, uint32_t*, ZDevice*))                                                                      \
  X(zeDeviceGetProperties, (ZDevice, ZDeviceProperties*))                                                             \
  X(zeDeviceGetComputeProperties, (ZDevice, ZComputeProperties*))                                                     \
  X(zeDeviceGetCommandQueueGroupProperties, (ZDevice, uint32_t*, ZQueueGroupProperties*))                             \
  X(zeDeviceGetMemoryProperties, (ZDevice, uint32_t*, ZMemoryProperties*))                                            \
  X(zeContextCreate, (ZDriver, const ZContextDesc*, ZContext*))                                                       \
  X(zeContextDestroy, (ZContext))                                                                                     \
  X(zeCommandListCreateImmediate, (ZContext, ZDevice, const ZQueueDesc*, ZList*))                                     \
  X(zeCommandListDestroy, (ZList))                                                                                    \
  X(zeCommandListAppendBarrier, (ZList, ZEvent, uint32_t, ZEvent*))                                                   \
  X(zeCommandListAppendMemoryCopy, (ZList, void*, const void*, size_t, ZEvent, uint32_t, ZEvent*))                    \
  X(zeCommandListAppendMemoryFill, (ZList, void*, const void*, size_t, size_t, ZEvent, uint32_t, ZEvent*))            \
  X(zeCommandListAppendLaunchKernel, (ZList, ZKernel, const ZGroupCount*, ZEvent, uint32_t, ZEvent*))                 \
  X(zeCommandListAppendLaunchCooperativeKernel, (ZList, ZKernel, const ZGroupCount*, ZEvent, uint32_t, ZEvent*))      \
  X(zeEventPoolCreate, (ZContext, const ZPoolDesc*, uint32_t, ZDevice*, ZPool*))                                      \
  X(zeEventPoolDestroy, (ZPool))                                                                                      \
  X(zeEventCreate, (ZPool, const ZEventDesc*, ZEvent*))                                                               \
  X(zeEventDestroy, (ZEvent))                                                                                         \
  X(zeEventHostSynchronize, (ZEvent, uint64_t))                                                                       \
  X(zeEventHostReset, (ZEvent))                                                                                       \
  X(zeMemAllocDevice, (ZContext, const ZAllocDesc*, size_t, size_t, ZDevice, void**))                                 \
  X(zeMemFree, (ZContext, void*))                                                                                     \
  X(zeModuleCreate, (ZContext, ZDevice, const ZModuleDesc*, ZModule*, ZLog*))                                         \
  X(zeModuleDestroy, (ZModule))                                                                                       \
  X(zeModuleBuildLogGetString, (ZLog, size_t*, char*))                                                                \
  X(zeModuleBuildLogDestroy, (ZLog))                                                                                  \
  X(zeKernelCreate, (ZModule, const ZKernelDesc*, ZKernel*))                                                          \
  X(zeKernelDestroy, (ZKernel))                                                                                       \
  X(zeKernelGetProperties, (ZKernel, ZKernelProperties*))                                                             \
  X(zeKernelSetGroupSize, (ZKernel, uint32_t, uint32_t, uint32_t))                                                    \
  X(zeKernelSetArgumentValue, (ZKernel, uint32_t, size_t, const void*))

typedef uint32_t ZVersion; // major << 16 | minor

// PCI device ids of served chips, as Intel's compute runtime lists them: first, last, chip.
#define Z_CHIPS(X)                                                                                                    \
  X(0x4f80, 0x4f84, "acm-g10") X(0x5690, 0x5692, "acm-g10") X(0x56a0, 0x56a2, "acm-g10") X(0x56be, 0x56c0, "acm-g10") \
  X(0x56c2, 0x56c2, "acm-g10") X(0x0b69, 0x0b69, "pvc") X(0x0b6e, 0x0b6e, "pvc") X(0x0bd0, 0x0bdb, "pvc")             \
  X(0xe202, 0xe216, "bmg") X(0xe220, 0xe223, "bmg")

#endif
