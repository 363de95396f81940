// The C ABI of ffi/shim.h over Level Zero, whose loader is opened at run time.
#include "xpu_device.h"

TF_EXPORT uint32_t tf_abi_version(void) { return TF_ABI_VERSION; }

TF_EXPORT int32_t tf_open(uint32_t index, uint64_t* device) {
  ZDriver driver = NULL;
  ZDevice gpu = NULL;
  int32_t status = load_driver();
  if (!status) status = find_gpu(index, &driver, &gpu);
  if (status) return status;
  Device* d = take_device();
  if (!d) return fail(NULL, TF_NO_MEMORY, "%d devices are open", TF_DEVICES_MAX);
  d->driver = driver, d->gpu = gpu;
  status = open_list(d);
  if (status) return release(d), status;
  return *device = handle_of(d), TF_OK;
}

TF_EXPORT int32_t tf_info(uint64_t device, char* text, uint64_t capacity) {
  Device* d;
  ZDriverProperties z = { .stype = Z_DRIVER_PROPERTIES };
  ZDeviceProperties p = { .stype = Z_DEVICE_PROPERTIES };
  ZComputeProperties c = { .stype = Z_DEVICE_COMPUTE_PROPERTIES };
  uint64_t memory = 0;
  uint32_t warp = 0;
  char driver[64], chip[16];
  int32_t status = enter(device, &d);
  if (!status) status = CALL(d, zeDriverGetProperties, d->driver, &z);
  if (!status) status = CALL(d, zeDeviceGetProperties, d->gpu, &p);
  if (!status) status = CALL(d, zeDeviceGetComputeProperties, d->gpu, &c);
  if (!status) status = memory_of(d, &memory);
  if (status) return status;
  for (uint32_t i = 0; i < c.numSubGroupSizes && i < 8; i++) warp = c.subGroupSizes[i] > warp ? c.subGroupSizes[i] : warp;
  chip_name(p.deviceId, chip);
  uint32_t v = z.driverVersion; // as Intel's driver packs it
  snprintf(driver, sizeof driver, "Level Zero %u.%u.%u", v >> 24, v >> 16 & 255, v & 65535);
  Info info = { .name = p.name, .driver = driver, .chip = chip, .max_threads = c.maxTotalGroupSize,
    .max_group = { c.maxGroupSizeX, c.maxGroupSizeY, c.maxGroupSizeZ },
    .max_grid = { c.maxGroupCountX, c.maxGroupCountY, c.maxGroupCountZ }, .warp = warp, .local_bytes = d->local_bytes,
    .local_bytes_optin = d->local_bytes, .multiprocessors = (uint64_t)p.numSlices * p.numSubslicesPerSlice,
    .memory_bytes = memory };
  return write_info(&info, text, capacity);
}

TF_EXPORT int32_t tf_alloc(uint64_t device, uint64_t bytes, uint64_t* buffer) {
  Device* d;
  void* start = NULL;
  ZAllocDesc desc = { .stype = Z_DEVICE_ALLOC_DESC };
  int32_t status = enter(device, &d);
  if (!status) status = CALL(d, zeMemAllocDevice, d->context, &desc, bytes ? bytes : 1, 256, d->gpu, &start);
  if (status) return status;
  *buffer = (uint64_t)start;
  if (hold_buffer(&d->held, start, *buffer, bytes)) return TF_OK;
  CALL(d, zeMemFree, d->context, start);
  return fail(d, TF_NO_MEMORY, NO_HOST_MEMORY);
}

TF_EXPORT int32_t tf_free(uint64_t device, uint64_t buffer) {
  Device* d;
  int32_t status = enter(device, &d);
  return status ? status : free_buffer(d, buffer);
}

TF_EXPORT int32_t tf_upload(uint64_t device, uint64_t address, const void* from, uint64_t bytes) {
  Device* d;
  int32_t status = enter(device, &d);
  if (!status) status = within(d, "upload", address, bytes);
  return status ? status : copy(d, address, (uint64_t)from, bytes);
}

TF_EXPORT int32_t tf_download(uint64_t device, uint64_t address, void* to, uint64_t bytes) {
  Device* d;
  int32_t status = enter(device, &d);
  if (!status) status = within(d, "download", address, bytes);
  return status ? status : copy(d, (uint64_t)to, address, bytes);
}

// The driver fills words; bytes before and behind them are copied.
TF_EXPORT int32_t tf_fill(uint64_t device, uint64_t address, uint32_t word, uint64_t bytes) {
  Device* d;
  int32_t status = enter(device, &d);
  if (!status) status = within(d, "fill", address, bytes);
  if (status) return status;
  Fill f = fill_parts(address, word, bytes);
  status = copy(d, address, (uint64_t)&word, f.head);
  if (!status) status = copy(d, address + bytes - f.tail, (uint64_t)&f.word, f.tail);
  if (status || !f.words) return status;
  void* words = (void*)(address + f.head);
  status = CALL(d, zeCommandListAppendMemoryFill, d->list, words, &f.word, 4, 4 * f.words, NULL, 0, NULL);
  return status ? status : settle(d, COPY_LIMIT_NS);
}

TF_EXPORT int32_t tf_load(uint64_t device, const void* image, uint64_t bytes, uint64_t* module) {
  Device* d;
  ZModule loaded = NULL;
  ZLog log = NULL;
  char words[2000] = "";
  size_t size = 0;
  bool spirv = bytes >= 4 && !memcmp(image, "\x03\x02\x23\x07", 4);
  ZModuleDesc desc = { .stype = Z_MODULE_DESC, .format = spirv ? Z_FORMAT_SPIRV : Z_FORMAT_NATIVE, .inputSize = bytes,
    .pInputModule = image };
  int32_t status = enter(device, &d);
  if (!status && !bytes) status = fail(d, TF_BAD_IMAGE, "image: it is empty");
  if (!status) status = CALL(d, zeModuleCreate, d->context, d->gpu, &desc, &loaded, &log);
  if (log && status && !ze.zeModuleBuildLogGetString(log, &size, NULL) && size <= sizeof words)
    ze.zeModuleBuildLogGetString(log, &size, words);
  if (log) ze.zeModuleBuildLogDestroy(log);
  if (status) return add_text(d, words), status;
  Module* m = hold_module(&d->held, loaded);
  *module = (uint64_t)m;
  if (m) return TF_OK;
  CALL(d, zeModuleDestroy, loaded);
  return fail(d, TF_NO_MEMORY, NO_HOST_MEMORY);
}

TF_EXPORT int32_t tf_unload(uint64_t device, uint64_t module) {
  Device* d;
  int32_t status = enter(device, &d);
  if (status) return status;
  if (d->queued) return fail(d, TF_BAD_ARGUMENT, "unload: a launch is queued; wait first");
  Module* m = module_of(&d->held, module);
  return m ? unload(d, m) : fail(d, TF_BAD_ARGUMENT, "unload: no such module");
}

TF_EXPORT int32_t tf_kernel(
    uint64_t device, uint64_t module, const char* symbol, uint64_t* kernel, char* text, uint64_t capacity) {
  Device* d;
  int32_t status = enter(device, &d);
  if (status) return status;
  Module* m = module_of(&d->held, module);
  if (!m) return fail(d, TF_BAD_ARGUMENT, "kernel: no such module");
  ZKernelDesc desc = { .stype = Z_KERNEL_DESC, .pKernelName = symbol };
  ZKernel found = NULL;
  status = CALL(d, zeKernelCreate, m->object, &desc, &found);
  if (status) return add_text(d, symbol), status;
  Kernel* k = hold_kernel(m, found); // until the module is unloaded
  if (!k) return ze.zeKernelDestroy(found), fail(d, TF_NO_MEMORY, NO_HOST_MEMORY);
  k->properties.stype = Z_KERNEL_PROPERTIES;
  status = CALL(d, zeKernelGetProperties, found, &k->properties);
  if (status) return status;
  const ZKernelProperties* p = &k->properties;
  uint32_t room = d->local_bytes > p->localMemSize ? d->local_bytes - p->localMemSize : 0;
  Attributes own = { .max_threads = most_threads(p), .static_local_bytes = p->localMemSize, .arguments = p->numKernelArgs,
    .registers = UNTOLD, .spill_bytes = p->spillMemSize, .warp = p->maxSubgroupSize,
    .required_warp = p->requiredSubgroupSize, .max_dynamic_local_bytes = room };
  return *kernel = (uint64_t)k, write_attributes(&own, text, capacity);
}

static int32_t set_arguments(Device* d, const TfLaunch* l, const Kernel* k) {
  int32_t status = TF_OK;
  if (l->argument_count != k->properties.numKernelArgs)
    return fail(d, TF_BAD_ARGUMENT, "launch: the kernel takes %u arguments, not %u", k->properties.numKernelArgs, l->argument_count);
  for (uint32_t i = 0; i < l->argument_count && !status; i++) {
    const TfArgument* a = &l->arguments[i];
    if (a->kind == TF_BUFFER && a->value) status = within(d, "launch", a->value, 0);
    bool none = a->kind == TF_LOCAL || (a->kind == TF_BUFFER && !a->value);
    size_t bytes = a->kind == TF_BUFFER ? sizeof a->value : a->bytes;
    if (!status) status = CALL(d, zeKernelSetArgumentValue, k->object, i, bytes, none ? NULL : &a->value);
  }
  return status;
}

TF_EXPORT int32_t tf_launch(uint64_t device, const TfLaunch* launch) {
  Device* d;
  const uint32_t *g = launch->grid, *b = launch->group;
  ZGroupCount groups = { g[0], g[1], g[2] };
  int32_t status = enter(device, &d);
  if (status) return status;
  Kernel* k = kernel_of(&d->held, launch->kernel);
  if (!k) return fail(d, TF_BAD_ARGUMENT, "launch: no such kernel");
  if (launch->cluster > 1) return fail(d, TF_BAD_ARGUMENT, "launch: there are no clusters of groups in Level Zero");
  if (launch->dynamic_local_bytes)
    return fail(d, TF_BAD_ARGUMENT, "launch: OpenCL C has no dynamic local memory but that of an argument");
  uint64_t threads = (uint64_t)b[0] * b[1] * b[2], most = most_threads(&k->properties);
  if (most && threads > most)
    return fail(d, TF_BAD_ARGUMENT, "launch: %llu threads a group; the kernel runs at most %llu",
      (unsigned long long)threads, (unsigned long long)most);
  status = CALL(d, zeKernelSetGroupSize, k->object, b[0], b[1], b[2]);
  if (!status) status = set_arguments(d, launch, k);
  if (status) return status;
  status = launch->flags & TF_COOPERATIVE
    ? CALL(d, zeCommandListAppendLaunchCooperativeKernel, d->list, k->object, &groups, NULL, 0, NULL)
    : CALL(d, zeCommandListAppendLaunchKernel, d->list, k->object, &groups, NULL, 0, NULL);
  if (!status) status = CALL(d, zeCommandListAppendBarrier, d->list, NULL, 0, NULL);
  d->queued += !status;
  return status;
}

TF_EXPORT int32_t tf_wait(uint64_t device, uint64_t limit_ns) {
  Device* d;
  int32_t status = enter(device, &d);
  return status ? status : settle(d, limit_ns);
}

TF_EXPORT int32_t tf_close(uint64_t device) {
  Device* d = device_at(device);
  if (!d) return TF_BAD_ARGUMENT;
  if (d->queued && !d->lost) settle(d, COPY_LIMIT_NS);
  bool was_lost = d->lost;
  int32_t status = release(d);
  if (!status || was_lost) return TF_OK;
  return fail(NULL, status, "%s", d->error);
}

TF_EXPORT int32_t tf_error(uint64_t device, char* text, uint64_t capacity) { return error_text(device, text, capacity); }
