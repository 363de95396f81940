// The emulated driver behind the real loader and its validation layer: the tables that a loader asks a driver for. Built only where the
// vendor's headers are installed.
#if __has_include(<level_zero/ze_ddi.h>)
#include <level_zero/ze_ddi.h>

// Functions that neither the shim nor the stand-in has are left out of their tables.
#define TABLE(name, table, ...)                                                                         \
  extern "C" __attribute__((visibility("default"))) ze_result_t name(ze_api_version_t version, table* t) { \
    if (version > ZE_API_VERSION_CURRENT) return ZE_RESULT_ERROR_UNSUPPORTED_VERSION;                   \
    *t = {};                                                                                            \
    __VA_ARGS__                                                                                         \
    return ZE_RESULT_SUCCESS;                                                                           \
  }

TABLE(zeGetGlobalProcAddrTable, ze_global_dditable_t, t->pfnInit = zeInit;)
TABLE(zeGetDriverProcAddrTable, ze_driver_dditable_t, t->pfnGet = zeDriverGet; t->pfnGetApiVersion = zeDriverGetApiVersion;
      t->pfnGetProperties = zeDriverGetProperties;)
TABLE(zeGetDeviceProcAddrTable, ze_device_dditable_t, t->pfnGet = zeDeviceGet; t->pfnGetProperties = zeDeviceGetProperties;
      t->pfnGetComputeProperties = zeDeviceGetComputeProperties;
      t->pfnGetCommandQueueGroupProperties = zeDeviceGetCommandQueueGroupProperties;
      t->pfnGetMemoryProperties = zeDeviceGetMemoryProperties;)
TABLE(zeGetContextProcAddrTable, ze_context_dditable_t, t->pfnCreate = zeContextCreate; t->pfnDestroy = zeContextDestroy;)
TABLE(zeGetCommandListProcAddrTable, ze_command_list_dditable_t, t->pfnCreateImmediate = zeCommandListCreateImmediate;
      t->pfnDestroy = zeCommandListDestroy; t->pfnAppendBarrier = zeCommandListAppendBarrier;
      t->pfnAppendMemoryCopy = zeCommandListAppendMemoryCopy; t->pfnAppendMemoryFill = zeCommandListAppendMemoryFill;
      t->pfnAppendLaunchKernel = zeCommandListAppendLaunchKernel;
      t->pfnAppendLaunchCooperativeKernel = zeCommandListAppendLaunchCooperativeKernel;)
TABLE(zeGetEventPoolProcAddrTable, ze_event_pool_dditable_t, t->pfnCreate = zeEventPoolCreate;
      t->pfnDestroy = zeEventPoolDestroy;)
TABLE(zeGetEventProcAddrTable, ze_event_dditable_t, t->pfnCreate = zeEventCreate; t->pfnDestroy = zeEventDestroy;
      t->pfnHostSynchronize = zeEventHostSynchronize; t->pfnHostReset = zeEventHostReset;)
TABLE(zeGetMemProcAddrTable, ze_mem_dditable_t, t->pfnAllocDevice = zeMemAllocDevice; t->pfnFree = zeMemFree;)
TABLE(zeGetModuleProcAddrTable, ze_module_dditable_t, t->pfnCreate = zeModuleCreate; t->pfnDestroy = zeModuleDestroy;)
TABLE(zeGetModuleBuildLogProcAddrTable, ze_module_build_log_dditable_t, t->pfnDestroy = zeModuleBuildLogDestroy;
      t->pfnGetString = zeModuleBuildLogGetString;)
TABLE(zeGetKernelProcAddrTable, ze_kernel_dditable_t, t->pfnCreate = zeKernelCreate; t->pfnDestroy = zeKernelDestroy;
      t->pfnSetGroupSize = zeKernelSetGroupSize; t->pfnSetArgumentValue = zeKernelSetArgumentValue;
      t->pfnGetProperties = zeKernelGetProperties;)
TABLE(zeGetCommandQueueProcAddrTable, ze_command_queue_dditable_t)
TABLE(zeGetFenceProcAddrTable, ze_fence_dditable_t)
TABLE(zeGetImageProcAddrTable, ze_image_dditable_t)
TABLE(zeGetPhysicalMemProcAddrTable, ze_physical_mem_dditable_t)
TABLE(zeGetSamplerProcAddrTable, ze_sampler_dditable_t)
TABLE(zeGetVirtualMemProcAddrTable, ze_virtual_mem_dditable_t)
TABLE(zeGetDeviceExpProcAddrTable, ze_device_exp_dditable_t)
TABLE(zeGetEventExpProcAddrTable, ze_event_exp_dditable_t)
TABLE(zeGetImageExpProcAddrTable, ze_image_exp_dditable_t)
TABLE(zeGetKernelExpProcAddrTable, ze_kernel_exp_dditable_t)
TABLE(zeGetFabricEdgeExpProcAddrTable, ze_fabric_edge_exp_dditable_t)
TABLE(zeGetFabricVertexExpProcAddrTable, ze_fabric_vertex_exp_dditable_t)

// Tools and system management, which a loader asks for too.
#define EMPTY(name) \
  extern "C" __attribute__((visibility("default"))) ze_result_t name(ze_api_version_t, void*) { return ZE_RESULT_SUCCESS; }
EMPTY(zetGetDeviceProcAddrTable)
EMPTY(zetGetContextProcAddrTable)
EMPTY(zetGetCommandListProcAddrTable)
EMPTY(zetGetModuleProcAddrTable)
EMPTY(zetGetKernelProcAddrTable)
EMPTY(zetGetMetricGroupProcAddrTable)
EMPTY(zetGetMetricGroupExpProcAddrTable)
EMPTY(zetGetTracerExpProcAddrTable)
EMPTY(zetGetMetricProcAddrTable)
EMPTY(zetGetMetricStreamerProcAddrTable)
EMPTY(zetGetMetricQueryPoolProcAddrTable)
EMPTY(zetGetMetricQueryProcAddrTable)
EMPTY(zetGetDebugProcAddrTable)
EMPTY(zesGetDriverProcAddrTable)
EMPTY(zesGetDeviceProcAddrTable)
EMPTY(zesGetSchedulerProcAddrTable)
EMPTY(zesGetPerformanceFactorProcAddrTable)
EMPTY(zesGetPowerProcAddrTable)
EMPTY(zesGetFrequencyProcAddrTable)
EMPTY(zesGetEngineProcAddrTable)
EMPTY(zesGetStandbyProcAddrTable)
EMPTY(zesGetFirmwareProcAddrTable)
EMPTY(zesGetMemoryProcAddrTable)
EMPTY(zesGetFabricPortProcAddrTable)
EMPTY(zesGetTemperatureProcAddrTable)
EMPTY(zesGetPsuProcAddrTable)
EMPTY(zesGetFanProcAddrTable)
EMPTY(zesGetLedProcAddrTable)
EMPTY(zesGetRasProcAddrTable)
EMPTY(zesGetDiagnosticsProcAddrTable)
#endif
