// ffi/ze_driver.h against the vendor's header: compiles where every size, offset, value and signature is the same.
#include "../../../ffi/ze_driver.h"
#include <level_zero/ze_api.h>

#define RESULT(name, value, status) _Static_assert(Z_##name == ZE_RESULT_##name && (value) == ZE_RESULT_##name, #name);
Z_RESULTS(RESULT)

#define STYPE(ours, theirs) _Static_assert(Z_##ours == ZE_STRUCTURE_TYPE_##theirs, #ours);
STYPE(DRIVER_PROPERTIES, DRIVER_PROPERTIES)
STYPE(DEVICE_PROPERTIES, DEVICE_PROPERTIES)
STYPE(DEVICE_COMPUTE_PROPERTIES, DEVICE_COMPUTE_PROPERTIES)
STYPE(QUEUE_GROUP_PROPERTIES, COMMAND_QUEUE_GROUP_PROPERTIES)
STYPE(DEVICE_MEMORY_PROPERTIES, DEVICE_MEMORY_PROPERTIES)
STYPE(CONTEXT_DESC, CONTEXT_DESC)
STYPE(QUEUE_DESC, COMMAND_QUEUE_DESC)
STYPE(EVENT_POOL_DESC, EVENT_POOL_DESC)
STYPE(EVENT_DESC, EVENT_DESC)
STYPE(DEVICE_ALLOC_DESC, DEVICE_MEM_ALLOC_DESC)
STYPE(MODULE_DESC, MODULE_DESC)
STYPE(KERNEL_DESC, KERNEL_DESC)
STYPE(KERNEL_PROPERTIES, KERNEL_PROPERTIES)
_Static_assert(Z_INIT_GPU_ONLY == ZE_INIT_FLAG_GPU_ONLY && Z_DEVICE_GPU == ZE_DEVICE_TYPE_GPU, "flags");
_Static_assert(Z_QUEUE_GROUP_COMPUTE == ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE, "flags");
_Static_assert(Z_ASYNCHRONOUS == ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS, "flags");
_Static_assert(Z_POOL_HOST_VISIBLE == ZE_EVENT_POOL_FLAG_HOST_VISIBLE && Z_SCOPE_HOST == ZE_EVENT_SCOPE_FLAG_HOST, "flags");
_Static_assert(Z_FORMAT_SPIRV == ZE_MODULE_FORMAT_IL_SPIRV && Z_FORMAT_NATIVE == ZE_MODULE_FORMAT_NATIVE, "flags");

#define SAME(ours, theirs)                                                                                            \
  _Static_assert(sizeof(ours) == sizeof(theirs) && _Alignof(ours) == _Alignof(theirs), #ours);
#define FIELD(ours, theirs, field)                                                                                    \
  _Static_assert(offsetof(ours, field) == offsetof(theirs, field), #ours "." #field);                                 \
  _Static_assert(sizeof(((ours*)0)->field) == sizeof(((theirs*)0)->field), #ours "." #field);
#define HEAD(ours, theirs) SAME(ours, theirs) FIELD(ours, theirs, stype) FIELD(ours, theirs, pNext)

HEAD(ZDriverProperties, ze_driver_properties_t)
FIELD(ZDriverProperties, ze_driver_properties_t, driverVersion)
HEAD(ZDeviceProperties, ze_device_properties_t)
FIELD(ZDeviceProperties, ze_device_properties_t, type)
FIELD(ZDeviceProperties, ze_device_properties_t, deviceId)
FIELD(ZDeviceProperties, ze_device_properties_t, maxMemAllocSize)
FIELD(ZDeviceProperties, ze_device_properties_t, numSubslicesPerSlice)
FIELD(ZDeviceProperties, ze_device_properties_t, numSlices)
FIELD(ZDeviceProperties, ze_device_properties_t, timerResolution)
FIELD(ZDeviceProperties, ze_device_properties_t, name)
HEAD(ZComputeProperties, ze_device_compute_properties_t)
FIELD(ZComputeProperties, ze_device_compute_properties_t, maxTotalGroupSize)
FIELD(ZComputeProperties, ze_device_compute_properties_t, maxGroupSizeX)
FIELD(ZComputeProperties, ze_device_compute_properties_t, maxGroupCountX)
FIELD(ZComputeProperties, ze_device_compute_properties_t, maxSharedLocalMemory)
FIELD(ZComputeProperties, ze_device_compute_properties_t, numSubGroupSizes)
FIELD(ZComputeProperties, ze_device_compute_properties_t, subGroupSizes)
HEAD(ZQueueGroupProperties, ze_command_queue_group_properties_t)
FIELD(ZQueueGroupProperties, ze_command_queue_group_properties_t, flags)
FIELD(ZQueueGroupProperties, ze_command_queue_group_properties_t, numQueues)
HEAD(ZMemoryProperties, ze_device_memory_properties_t)
FIELD(ZMemoryProperties, ze_device_memory_properties_t, totalSize)
HEAD(ZContextDesc, ze_context_desc_t)
HEAD(ZQueueDesc, ze_command_queue_desc_t)
FIELD(ZQueueDesc, ze_command_queue_desc_t, ordinal)
FIELD(ZQueueDesc, ze_command_queue_desc_t, index)
FIELD(ZQueueDesc, ze_command_queue_desc_t, mode)
HEAD(ZPoolDesc, ze_event_pool_desc_t)
FIELD(ZPoolDesc, ze_event_pool_desc_t, flags)
FIELD(ZPoolDesc, ze_event_pool_desc_t, count)
HEAD(ZEventDesc, ze_event_desc_t)
FIELD(ZEventDesc, ze_event_desc_t, index)
FIELD(ZEventDesc, ze_event_desc_t, signal)
HEAD(ZAllocDesc, ze_device_mem_alloc_desc_t)
FIELD(ZAllocDesc, ze_device_mem_alloc_desc_t, ordinal)
HEAD(ZModuleDesc, ze_module_desc_t)
FIELD(ZModuleDesc, ze_module_desc_t, format)
FIELD(ZModuleDesc, ze_module_desc_t, inputSize)
FIELD(ZModuleDesc, ze_module_desc_t, pInputModule)
FIELD(ZModuleDesc, ze_module_desc_t, pBuildFlags)
HEAD(ZKernelDesc, ze_kernel_desc_t)
FIELD(ZKernelDesc, ze_kernel_desc_t, pKernelName)
HEAD(ZKernelProperties, ze_kernel_properties_t)
FIELD(ZKernelProperties, ze_kernel_properties_t, numKernelArgs)
FIELD(ZKernelProperties, ze_kernel_properties_t, requiredGroupSizeX)
FIELD(ZKernelProperties, ze_kernel_properties_t, maxSubgroupSize)
FIELD(ZKernelProperties, ze_kernel_properties_t, maxNumSubgroups)
FIELD(ZKernelProperties, ze_kernel_properties_t, localMemSize)
FIELD(ZKernelProperties, ze_kernel_properties_t, spillMemSize)
SAME(ZGroupCount, ze_group_count_t)

// From here on the names of ours in the list of functions are theirs.
#define ZDriver ze_driver_handle_t
#define ZDevice ze_device_handle_t
#define ZContext ze_context_handle_t
#define ZList ze_command_list_handle_t
#define ZPool ze_event_pool_handle_t
#define ZEvent ze_event_handle_t
#define ZModule ze_module_handle_t
#define ZLog ze_module_build_log_handle_t
#define ZKernel ze_kernel_handle_t
#define ZVersion ze_api_version_t
#define ZDriverProperties ze_driver_properties_t
#define ZDeviceProperties ze_device_properties_t
#define ZComputeProperties ze_device_compute_properties_t
#define ZQueueGroupProperties ze_command_queue_group_properties_t
#define ZMemoryProperties ze_device_memory_properties_t
#define ZContextDesc ze_context_desc_t
#define ZQueueDesc ze_command_queue_desc_t
#define ZPoolDesc ze_event_pool_desc_t
#define ZEventDesc ze_event_desc_t
#define ZAllocDesc ze_device_mem_alloc_desc_t
#define ZModuleDesc ze_module_desc_t
#define ZKernelDesc ze_kernel_desc_t
#define ZKernelProperties ze_kernel_properties_t
#define ZGroupCount ze_group_count_t
#define FUNCTION(name, parameters) \
  _Static_assert(__builtin_types_compatible_p(__typeof__(&name), ze_result_t (*) parameters), #name);
Z_FUNCTIONS(FUNCTION)
