// The C ABI of ffi/shim.h over AMD's HIP runtime, opened at run time.
#include "hip_device.h"

TF_EXPORT uint32_t tf_abi_version(void) { return TF_ABI_VERSION; }

TF_EXPORT int32_t tf_open(uint32_t index, uint64_t* device) {
  int32_t status = load_driver();
  if (!status) status = find_device(index);
  if (status) return status;
  Device* d = take_device();
  if (!d) return fail(NULL, TF_NO_MEMORY, "%d devices are open", TF_DEVICES_MAX);
  d->device = (int)index;
  status = CALL(NULL, hipSetDevice, d->device);
  if (!status) status = CALL(NULL, hipEventCreateWithFlags, &d->done, hipEventDisableTiming);
  if (!status) return *device = handle_of(d), TF_OK;
  leave_device(d);
  return status == TF_FAULT ? TF_LOST : status;
}

TF_EXPORT int32_t tf_info(uint64_t device, char* text, uint64_t capacity) {
  Device* d;
  int version = 0;
  size_t memory = 0;
  char name[256] = "", driver[64], chip[CHIP_BYTES];
  int32_t status = enter(device, &d);
  if (!status) status = CALL(d, hipDeviceGetName, name, sizeof name, d->device);
  if (!status) status = CALL(d, hipRuntimeGetVersion, &version);
  if (!status) status = CALL(d, hipDeviceTotalMem, &memory, d->device);
  if (status) return status;
  snprintf(driver, sizeof driver, "HIP %d.%d", version / 10000000, version / 100000 % 100);
  chip_name(d, chip);
  uint64_t fixed = LIMIT(MaxSharedMemoryPerBlock), optin = LIMIT(SharedMemPerBlockOptin);
  Info info = { .name = name, .driver = driver, .chip = chip, .max_threads = LIMIT(MaxThreadsPerBlock),
    .max_group = { LIMIT(MaxBlockDimX), LIMIT(MaxBlockDimY), LIMIT(MaxBlockDimZ) },
    .max_grid = { LIMIT(MaxGridDimX), LIMIT(MaxGridDimY), LIMIT(MaxGridDimZ) }, .warp = LIMIT(WarpSize),
    .registers = LIMIT(MaxRegistersPerBlock), .local_bytes = fixed, .local_bytes_optin = optin > fixed ? optin : fixed,
    .multiprocessors = LIMIT(MultiprocessorCount), .memory_bytes = memory };
  return write_info(&info, text, capacity);
}

TF_EXPORT int32_t tf_alloc(uint64_t device, uint64_t bytes, uint64_t* buffer) {
  Device* d;
  void* address = NULL;
  int32_t status = enter(device, &d);
  if (!status) status = CALL(d, hipMalloc, &address, bytes ? bytes : 1);
  *buffer = (uint64_t)(uintptr_t)address;
  return status;
}

TF_EXPORT int32_t tf_free(uint64_t device, uint64_t buffer) {
  Device* d;
  int32_t status = enter(device, &d);
  return status ? status : CALL(d, hipFree, pointer(buffer));
}

TF_EXPORT int32_t tf_upload(uint64_t device, uint64_t address, const void* from, uint64_t bytes) {
  Device* d;
  int32_t status = enter(device, &d);
  return status ? status : CALL(d, hipMemcpyHtoD, pointer(address), (void*)from, bytes);
}

TF_EXPORT int32_t tf_download(uint64_t device, uint64_t address, void* to, uint64_t bytes) {
  Device* d;
  int32_t status = enter(device, &d);
  return status ? status : CALL(d, hipMemcpyDtoH, to, pointer(address), bytes);
}

static int32_t fill8(Device* d, uint64_t address, uint32_t byte, uint64_t count) {
  return CALL(d, hipMemsetD8, pointer(address), (unsigned char)byte, count);
}

static int32_t fill32(Device* d, uint64_t address, uint32_t word, uint64_t count) {
  return CALL(d, hipMemsetD32, pointer(address), (int)word, count);
}

TF_EXPORT int32_t tf_fill(uint64_t device, uint64_t address, uint32_t word, uint64_t bytes) {
  Device* d;
  int32_t status = enter(device, &d);
  return status ? status : fill_by(d, fill8, fill32, address, word, bytes);
}

TF_EXPORT int32_t tf_load(uint64_t device, const void* image, uint64_t bytes, uint64_t* module) {
  Device* d;
  hipModule_t loaded = NULL;
  int32_t status = enter(device, &d);
  if (status) return status;
  if (!elf_is_whole(image, bytes) && !bundle_is_whole(image, bytes))
    return fail(d, TF_BAD_IMAGE, "image: neither a whole code object nor a whole bundle of them");
  status = CALL(d, hipModuleLoadDataEx, &loaded, image, 0, NULL, NULL);
  *module = (uint64_t)(uintptr_t)loaded;
  return status;
}

TF_EXPORT int32_t tf_unload(uint64_t device, uint64_t module) {
  Device* d;
  int32_t status = enter(device, &d);
  return status ? status : CALL(d, hipModuleUnload, pointer(module));
}

TF_EXPORT int32_t tf_kernel(
    uint64_t device, uint64_t module, const char* symbol, uint64_t* kernel, char* text, uint64_t capacity) {
  Device* d;
  hipFunction_t f = NULL;
  int32_t status = enter(device, &d);
  if (status) return status;
  status = CALL(d, hipModuleGetFunction, &f, pointer(module), symbol);
  if (status) return add_text(d, symbol), status;
  *kernel = (uint64_t)(uintptr_t)f;
  int64_t fixed = FUNCTION(SHARED_SIZE_BYTES);
  Attributes own = { .max_threads = FUNCTION(MAX_THREADS_PER_BLOCK), .static_local_bytes = fixed, .arguments = UNTOLD,
    .registers = FUNCTION(NUM_REGS), .spill_bytes = FUNCTION(LOCAL_SIZE_BYTES), .warp = (int64_t)LIMIT(WarpSize), .required_warp = UNTOLD,
    .max_dynamic_local_bytes = (int64_t)LIMIT(MaxSharedMemoryPerBlock) - fixed };
  return write_attributes(&own, text, capacity);
}

TF_EXPORT int32_t tf_launch(uint64_t device, const TfLaunch* launch) {
  Device* d;
  void* values[TF_ARGUMENTS_MAX];
  hipFunction_t f = pointer(launch->kernel);
  const uint32_t *g = launch->grid, *b = launch->group, bytes = launch->dynamic_local_bytes;
  int32_t status = enter(device, &d);
  if (!status) status = take_arguments(d, launch, values);
  if (status) return status;
  if (launch->cluster) return fail(d, TF_BAD_ARGUMENT, "launch: HIP has no clusters");
  if (!(launch->flags & TF_COOPERATIVE))
    return CALL(d, hipModuleLaunchKernel, f, g[0], g[1], g[2], b[0], b[1], b[2], bytes, NULL, values, NULL);
  if (!hip.hipModuleLaunchCooperativeKernel)
    return fail(d, TF_ABSENT, "launch: the driver has no hipModuleLaunchCooperativeKernel; install one of ROCm 5.5 or later");
  return CALL(d, hipModuleLaunchCooperativeKernel, f, g[0], g[1], g[2], b[0], b[1], b[2], bytes, NULL, values);
}

TF_EXPORT int32_t tf_wait(uint64_t device, uint64_t limit_ns) {
  Device* d;
  int32_t status = enter(device, &d);
  if (!status) status = CALL(d, hipEventRecord, d->done, NULL);
  if (status) return status;
  uint64_t start = now_ns();
  hipError_t code;
  while ((code = hip.hipEventQuery(d->done)) == hipErrorNotReady)
    if (!may_run_on(start, limit_ns)) return d->is_hung = true, hung(d, limit_ns);
  return answer(d, "hipEventQuery", code);
}

TF_EXPORT int32_t tf_close(uint64_t device) {
  Device* d = device_at(device);
  if (!d) return TF_BAD_ARGUMENT;
  int32_t status = TF_OK;
  held[d->device] |= d->is_hung;
  if (!d->is_hung) hip.hipSetDevice(d->device);
  if (!d->lost) hip.hipEventDestroy(d->done);
  if (!d->is_hung && !is_shared(d)) status = CALL(NULL, hipDeviceReset);
  if (d->lost) status = TF_OK; // its own error again
  leave_device(d);
  return status;
}

TF_EXPORT int32_t tf_error(uint64_t device, char* text, uint64_t capacity) { return error_text(device, text, capacity); }
