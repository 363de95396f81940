// The C ABI of ffi/shim.h over NVIDIA's driver API, opened at run time.
#include "cuda_device.h"

enum { PORTABLE_CLUSTER = 8 }; // groups; more than these are an option of a function

TF_EXPORT uint32_t tf_abi_version(void) { return TF_ABI_VERSION; }

TF_EXPORT int32_t tf_open(uint32_t index, uint64_t* device) {
  CUdevice found = 0;
  int32_t status = load_driver();
  if (!status) status = find_device(index, &found);
  if (status) return status;
  Device* d = take_device();
  if (!d) return fail(NULL, TF_NO_MEMORY, "%d devices are open", TF_DEVICES_MAX);
  d->device = found;
  status = CALL(NULL, cuCtxCreate_v2, &d->context, 0, found); // and makes it the thread's
  if (!status) status = CALL(NULL, cuEventCreate, &d->done, CU_EVENT_DISABLE_TIMING);
  if (!status) return *device = handle_of(d), TF_OK;
  if (d->context) cu.cuCtxDestroy_v2(d->context);
  leave_device(d);
  return status == TF_FAULT ? TF_LOST : status;
}

TF_EXPORT int32_t tf_info(uint64_t device, char* text, uint64_t capacity) {
  Device* d;
  int release = 0;
  size_t memory = 0;
  char name[256] = "", module[80], driver[120], chip[24];
  int32_t status = enter(device, &d);
  if (!status) status = CALL(d, cuDeviceGetName, name, sizeof name, d->device);
  if (!status) status = CALL(d, cuDriverGetVersion, &release);
  if (!status) status = CALL(d, cuDeviceTotalMem_v2, &memory, d->device);
  if (status) return status;
  module_version(module, sizeof module);
  snprintf(driver, sizeof driver, "%sCUDA %d.%d", module, release / 1000, release % 1000 / 10);
  snprintf(chip, sizeof chip, "sm_%u%u", (unsigned)LIMIT(COMPUTE_CAPABILITY_MAJOR), (unsigned)LIMIT(COMPUTE_CAPABILITY_MINOR));
  Info info = { .name = name, .driver = driver, .chip = chip, .max_threads = LIMIT(MAX_THREADS_PER_BLOCK),
    .max_group = { LIMIT(MAX_BLOCK_DIM_X), LIMIT(MAX_BLOCK_DIM_Y), LIMIT(MAX_BLOCK_DIM_Z) },
    .max_grid = { LIMIT(MAX_GRID_DIM_X), LIMIT(MAX_GRID_DIM_Y), LIMIT(MAX_GRID_DIM_Z) }, .warp = LIMIT(WARP_SIZE),
    .registers = LIMIT(MAX_REGISTERS_PER_BLOCK), .local_bytes = LIMIT(MAX_SHARED_MEMORY_PER_BLOCK),
    .local_bytes_optin = LIMIT(MAX_SHARED_MEMORY_PER_BLOCK_OPTIN), .multiprocessors = LIMIT(MULTIPROCESSOR_COUNT),
    .memory_bytes = memory };
  return write_info(&info, text, capacity);
}

TF_EXPORT int32_t tf_alloc(uint64_t device, uint64_t bytes, uint64_t* buffer) {
  Device* d;
  CUdeviceptr address = 0;
  int32_t status = enter(device, &d);
  if (!status) status = CALL(d, cuMemAlloc_v2, &address, bytes ? bytes : 1);
  *buffer = address;
  return status;
}

TF_EXPORT int32_t tf_free(uint64_t device, uint64_t buffer) {
  Device* d;
  int32_t status = enter(device, &d);
  return status ? status : CALL(d, cuMemFree_v2, buffer);
}

TF_EXPORT int32_t tf_upload(uint64_t device, uint64_t address, const void* from, uint64_t bytes) {
  Device* d;
  int32_t status = enter(device, &d);
  return status ? status : CALL(d, cuMemcpyHtoD_v2, address, from, bytes);
}

TF_EXPORT int32_t tf_download(uint64_t device, uint64_t address, void* to, uint64_t bytes) {
  Device* d;
  int32_t status = enter(device, &d);
  return status ? status : CALL(d, cuMemcpyDtoH_v2, to, address, bytes);
}

static int32_t fill8(Device* d, uint64_t address, uint32_t byte, uint64_t count) {
  return CALL(d, cuMemsetD8_v2, address, (unsigned char)byte, count);
}

static int32_t fill32(Device* d, uint64_t address, uint32_t word, uint64_t count) {
  return CALL(d, cuMemsetD32_v2, address, word, count);
}

TF_EXPORT int32_t tf_fill(uint64_t device, uint64_t address, uint32_t word, uint64_t bytes) {
  Device* d;
  int32_t status = enter(device, &d);
  return status ? status : fill_by(d, fill8, fill32, address, word, bytes);
}

TF_EXPORT int32_t tf_load(uint64_t device, const void* image, uint64_t bytes, uint64_t* module) {
  Device* d;
  CUmodule loaded = NULL;
  char errors[1500] = "", notes[1500] = "";
  CUjit_option options[] = { CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_INFO_LOG_BUFFER,
    CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES };
  void* values[] = { errors, (void*)(uintptr_t)sizeof errors, notes, (void*)(uintptr_t)sizeof notes };
  int32_t status = enter(device, &d);
  if (status) return status;
  if (!image_is_whole(image, bytes))
    return fail(d, TF_BAD_IMAGE, "image: neither a whole cubin, nor a whole fat binary, nor PTX that ends by a 0");
  status = CALL(d, cuModuleLoadDataEx, &loaded, image, 4, options, values);
  if (status) add_text(d, errors), add_text(d, notes);
  *module = (uint64_t)(uintptr_t)loaded;
  return status;
}

TF_EXPORT int32_t tf_unload(uint64_t device, uint64_t module) {
  Device* d;
  int32_t status = enter(device, &d);
  return status ? status : CALL(d, cuModuleUnload, (CUmodule)(uintptr_t)module);
}

TF_EXPORT int32_t tf_kernel(
    uint64_t device, uint64_t module, const char* symbol, uint64_t* kernel, char* text, uint64_t capacity) {
  Device* d;
  CUfunction f = NULL;
  int32_t status = enter(device, &d);
  if (status) return status;
  status = CALL(d, cuModuleGetFunction, &f, (CUmodule)(uintptr_t)module, symbol);
  if (status) return add_text(d, symbol), status;
  *kernel = (uint64_t)(uintptr_t)f;
  int64_t fixed = FUNCTION(SHARED_SIZE_BYTES);
  Attributes own = { .max_threads = FUNCTION(MAX_THREADS_PER_BLOCK), .static_local_bytes = fixed, .arguments = parameter_count(f),
    .registers = FUNCTION(NUM_REGS), .spill_bytes = FUNCTION(LOCAL_SIZE_BYTES), .warp = (int64_t)LIMIT(WARP_SIZE), .required_warp = UNTOLD,
    .max_dynamic_local_bytes = (int64_t)most_local_bytes(d) - fixed };
  return write_attributes(&own, text, capacity);
}

// Where the driver tells a function's parameters they are the launch's, number and bytes: it would read past them else.
static int32_t check_arguments(Device* d, const TfLaunch* l, CUfunction f) {
  int count = parameter_count(f);
  size_t offset, bytes;
  if (count < 0) return TF_OK;
  if ((uint32_t)count != l->argument_count)
    return fail(d, TF_BAD_ARGUMENT, "launch: the kernel takes %d arguments, not %u", count, l->argument_count);
  for (uint32_t i = 0; i < l->argument_count; i++) {
    int32_t status = CALL(d, cuFuncGetParamInfo, f, i, &offset, &bytes);
    if (status) return status;
    if (bytes == l->arguments[i].bytes) continue;
    return fail(d, TF_BAD_ARGUMENT, "launch: argument %u of the kernel is %zu bytes, not %u", i, bytes, l->arguments[i].bytes);
  }
  return TF_OK;
}

// What a function must be told before such a launch: more local memory than it has by default, a cluster of more than 8 groups.
static int32_t opt_in(Device* d, const TfLaunch* l, CUfunction f) {
  int32_t status = TF_OK;
  if ((int64_t)l->dynamic_local_bytes > FUNCTION(MAX_DYNAMIC_SHARED_SIZE_BYTES))
    status = CALL(d, cuFuncSetAttribute, f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)l->dynamic_local_bytes);
  if (!status && l->cluster > PORTABLE_CLUSTER)
    status = CALL(d, cuFuncSetAttribute, f, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
  return status;
}

static int32_t launch_with(Device* d, const TfLaunch* l, CUfunction f, void** values) {
  const uint32_t *g = l->grid, *b = l->group;
  CUlaunchAttribute attributes[] = {
    { .id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, .value.clusterDim = { l->cluster, 1, 1 } },
    { .id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value.cooperative = 1 } };
  unsigned cluster = l->cluster > 0, cooperative = (l->flags & TF_COOPERATIVE) > 0;
  CUlaunchConfig config = { g[0], g[1], g[2], b[0], b[1], b[2], l->dynamic_local_bytes, NULL, attributes + !cluster,
    cluster + cooperative };
  if (!cluster && !cooperative)
    return CALL(d, cuLaunchKernel, f, g[0], g[1], g[2], b[0], b[1], b[2], l->dynamic_local_bytes, NULL, values, NULL);
  if (cu.cuLaunchKernelEx) return CALL(d, cuLaunchKernelEx, &config, f, values, NULL);
  if (cluster)
    return fail(
      d, TF_ABSENT, "launch: the driver has no cuLaunchKernelEx, which a cluster needs; install one of CUDA 11.8 or later");
  return CALL(d, cuLaunchCooperativeKernel, f, g[0], g[1], g[2], b[0], b[1], b[2], l->dynamic_local_bytes, NULL, values);
}

TF_EXPORT int32_t tf_launch(uint64_t device, const TfLaunch* launch) {
  Device* d;
  void* values[TF_ARGUMENTS_MAX];
  CUfunction f = (CUfunction)(uintptr_t)launch->kernel;
  int32_t status = enter(device, &d);
  if (!status) status = take_arguments(d, launch, values);
  if (!status) status = check_arguments(d, launch, f);
  if (!status) status = opt_in(d, launch, f);
  return status ? status : launch_with(d, launch, f, values);
}

TF_EXPORT int32_t tf_wait(uint64_t device, uint64_t limit_ns) {
  Device* d;
  int32_t status = enter(device, &d);
  if (!status) status = CALL(d, cuEventRecord, d->done, NULL);
  if (status) return status;
  uint64_t start = now_ns();
  CUresult code;
  while ((code = cu.cuEventQuery(d->done)) == CUDA_ERROR_NOT_READY)
    if (!may_run_on(start, limit_ns)) return hung(d, limit_ns);
  return answer(d, "cuEventQuery", code);
}

// A context that is lost answers its own error again, and is gone all the same; one with a kernel in it ends that first.
TF_EXPORT int32_t tf_close(uint64_t device) {
  Device* d = device_at(device);
  if (!d) return TF_BAD_ARGUMENT;
  cu.cuCtxSetCurrent(d->context);
  if (!d->lost) cu.cuEventDestroy_v2(d->done);
  int32_t status = CALL(NULL, cuCtxDestroy_v2, d->context);
  if (d->lost) status = TF_OK;
  leave_device(d);
  return status;
}

TF_EXPORT int32_t tf_error(uint64_t device, char* text, uint64_t capacity) { return error_text(device, text, capacity); }
