// The C ABI of ffi/shim.h over Level Zero, whose loader is opened at run time.
//
// Commands go to one immediate list with a barrier behind each, so that they run in order. Level Zero frees nothing by itself: a
// device keeps what it made, and closing it destroys that.
#include "ze_driver.h"

#define TF_KERNEL_FIELDS ZKernelProperties properties;
#include "held.h"

#define TF_DEVICE_FIELDS \
  ZDriver driver;        \
  ZDevice gpu;           \
  ZContext context;      \
  ZList list;            \
  ZPool pool;            \
  ZEvent done;           \
  Held held;             \
  uint32_t local_bytes, queued; \
  bool hangs; // what the running kernel uses cannot be destroyed
#include "gpu.h"

#define NO_HOST_MEMORY "no memory of the host"
#define COPY_LIMIT_NS 60000000000ull // of a copy or a fill behind what was queued

#define MEMBER(name, parameters) int32_t (*name) parameters;
static struct { Z_FUNCTIONS(MEMBER) } ze;

static int32_t load_driver(void) {
  static const char* const NAMES[] = { "libze_loader.so.1", NULL };
#define NEEDED(name, parameters) { #name, "1.0", (void**)&ze.name, false },
  static const DriverSymbol SYMBOLS[] = { Z_FUNCTIONS(NEEDED) };
  void* library = open_driver("TF_XPU_DRIVER", NAMES);
  return library ? find_symbols(library, "Level Zero", SYMBOLS, sizeof SYMBOLS / sizeof *SYMBOLS) : TF_ABSENT;
}

// The status of a driver's answer, with its words.
static int32_t answer(Device* d, const char* call, int32_t result) {
  static const struct { int32_t value, status; const char* name; } RESULTS[] = {
#define ROW(name, value, status) { value, status, "ZE_RESULT_" #name },
    Z_RESULTS(ROW)
  };
  if (result == Z_SUCCESS) return TF_OK;
  int32_t status = TF_LOST;
  const char* name = "an unknown result";
  for (size_t i = 0; i < sizeof RESULTS / sizeof *RESULTS; i++)
    if (RESULTS[i].value == result) status = RESULTS[i].status, name = RESULTS[i].name;
  if (d && status == TF_ABSENT) status = TF_LOST; // it was there
  if (d) d->lost |= status == TF_LOST;
  return fail(d, status, "%s: %s (0x%x)", call, name, (unsigned)result);
}
#define CALL(d, name, ...) answer(d, #name, ze.name(__VA_ARGS__))

static int32_t enter(uint64_t handle, Device** d) {
  *d = device_at(handle);
  if (!*d) return TF_BAD_ARGUMENT;
  return (*d)->lost ? lost(*d) : TF_OK;
}

// --- what a device is made of ---

// GPU `index`, counted over all drivers.
static int32_t find_gpu(uint32_t index, ZDriver* driver, ZDevice* gpu) {
  ZDriver drivers[8];
  ZDevice devices[64];
  ZVersion version = 0;
  uint32_t driver_count = 8, gpus = 0, old = 0;
  int32_t status = CALL(NULL, zeInit, Z_INIT_GPU_ONLY);
  if (status) return TF_ABSENT; // some loaders fault at any other call now
  status = CALL(NULL, zeDriverGet, &driver_count, drivers);
  for (uint32_t i = 0; i < driver_count && !status; i++) {
    uint32_t count = 64;
    status = CALL(NULL, zeDriverGetApiVersion, drivers[i], &version);
    if (!status && version < 1 << 16 && (old = version + 1)) continue;
    if (!status) status = CALL(NULL, zeDeviceGet, drivers[i], &count, devices);
    for (uint32_t j = 0; j < count && !status; j++) {
      ZDeviceProperties p = { .stype = Z_DEVICE_PROPERTIES };
      status = CALL(NULL, zeDeviceGetProperties, devices[j], &p);
      if (status || p.type != Z_DEVICE_GPU || gpus++ != index) continue;
      return *driver = drivers[i], *gpu = devices[j], TF_OK;
    }
  }
  if (status) return TF_ABSENT;
  if (old) return fail(NULL, TF_ABSENT, "the driver speaks Level Zero 0.%u; install one of 1.0 or later", old - 1);
  return fail(NULL, TF_ABSENT, "no Level Zero GPU %u; there are %u", index, gpus);
}

// The context, the list of the first engine that computes, and the event that tf_wait waits for.
static int32_t open_list(Device* d) {
  ZQueueGroupProperties groups[16];
  for (int i = 0; i < 16; i++) groups[i] = (ZQueueGroupProperties){ .stype = Z_QUEUE_GROUP_PROPERTIES };
  ZComputeProperties compute = { .stype = Z_DEVICE_COMPUTE_PROPERTIES };
  ZContextDesc context = { .stype = Z_CONTEXT_DESC };
  ZQueueDesc queue = { .stype = Z_QUEUE_DESC, .mode = Z_ASYNCHRONOUS };
  ZPoolDesc pool = { .stype = Z_EVENT_POOL_DESC, .flags = Z_POOL_HOST_VISIBLE, .count = 1 };
  ZEventDesc event = { .stype = Z_EVENT_DESC, .signal = Z_SCOPE_HOST };
  uint32_t count = 16;
  int32_t status = CALL(NULL, zeDeviceGetCommandQueueGroupProperties, d->gpu, &count, groups);
  if (!status) status = CALL(NULL, zeDeviceGetComputeProperties, d->gpu, &compute);
  if (status) return status;
  d->local_bytes = compute.maxSharedLocalMemory;
  while (queue.ordinal < count && !(groups[queue.ordinal].flags & Z_QUEUE_GROUP_COMPUTE)) queue.ordinal++;
  if (queue.ordinal == count) return fail(NULL, TF_ABSENT, "the GPU has no engine that computes");
  status = CALL(NULL, zeContextCreate, d->driver, &context, &d->context);
  if (!status) status = CALL(NULL, zeCommandListCreateImmediate, d->context, d->gpu, &queue, &d->list);
  if (!status) status = CALL(NULL, zeEventPoolCreate, d->context, &pool, 1, &d->gpu, &d->pool);
  return status ? status : CALL(NULL, zeEventCreate, d->pool, &event, &d->done);
}

static int32_t unload(Device* d, Module* m) {
  int32_t status = TF_OK;
  for (void* kernel; (kernel = drop_kernel(m));) status |= CALL(d, zeKernelDestroy, kernel);
  status |= CALL(d, zeModuleDestroy, drop_module(&d->held, m));
  return status ? TF_LOST : TF_OK;
}

static int32_t free_buffer(Device* d, uint64_t start) {
  void* object = drop_buffer(&d->held, start);
  return object ? CALL(d, zeMemFree, d->context, object) : fail(d, TF_BAD_ARGUMENT, "free: no buffer starts at this address");
}

// Destroys all that a device holds. What a kernel that hangs still uses is left: it ends with the process.
static int32_t release(Device* d) {
  int32_t status = TF_OK;
  if (d->hangs && ze.zeEventHostSynchronize(d->done, 0) == Z_NOT_READY) return leave_device(d), TF_OK;
  while (d->held.modules) status |= unload(d, d->held.modules);
  while (d->held.buffers) status |= free_buffer(d, d->held.buffers->start);
  if (d->done) status |= CALL(d, zeEventDestroy, d->done);
  if (d->pool) status |= CALL(d, zeEventPoolDestroy, d->pool);
  if (d->list) status |= CALL(d, zeCommandListDestroy, d->list);
  if (d->context) status |= CALL(d, zeContextDestroy, d->context);
  leave_device(d);
  return status ? TF_LOST : TF_OK;
}

// Runs what was appended to its end, or until the limit.
static int32_t settle(Device* d, uint64_t limit_ns) {
  d->queued = 0;
  int32_t status = CALL(d, zeCommandListAppendBarrier, d->list, d->done, 0, NULL);
  if (!status) status = CALL(d, zeEventHostSynchronize, d->done, limit_ns ? limit_ns : UINT64_MAX);
  if (!status) return CALL(d, zeEventHostReset, d->done);
  if (status != TF_TIMEOUT) return status;
  d->hangs = true;
  return hung(d, limit_ns);
}

static int32_t copy(Device* d, uint64_t to, uint64_t from, uint64_t bytes) {
  if (!bytes) return TF_OK;
  int32_t status = CALL(d, zeCommandListAppendMemoryCopy, d->list, (void*)to, (void*)from, bytes, NULL, 0, NULL);
  return status ? status : settle(d, COPY_LIMIT_NS);
}

// The driver takes an address that is not its own for the host's.
static int32_t within(Device* d, const char* call, uint64_t address, uint64_t bytes) {
  if (buffer_of(&d->held, address, bytes)) return TF_OK;
  return fail(d, TF_BAD_ARGUMENT, "%s: past the end of a buffer, or in none", call);
}

// The chip of a PCI device id; the id itself for one that is not served.
static void chip_name(uint32_t id, char name[16]) {
  snprintf(name, 16, "0x%04x", id);
#define CHIP(first, last, chip) if (id >= first && id <= last) snprintf(name, 16, chip);
  Z_CHIPS(CHIP)
}

// --- ffi/shim.h ---

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
  ZDriverProperties driver = { .stype = Z_DRIVER_PROPERTIES };
  ZDeviceProperties p = { .stype = Z_DEVICE_PROPERTIES };
  ZComputeProperties c = { .stype = Z_DEVICE_COMPUTE_PROPERTIES };
  ZMemoryProperties memory[8];
  for (int i = 0; i < 8; i++) memory[i] = (ZMemoryProperties){ .stype = Z_DEVICE_MEMORY_PROPERTIES };
  uint32_t count = 8, warp = 0;
  uint64_t bytes = 0;
  char chip[16];
  int32_t status = enter(device, &d);
  if (!status) status = CALL(d, zeDriverGetProperties, d->driver, &driver);
  if (!status) status = CALL(d, zeDeviceGetProperties, d->gpu, &p);
  if (!status) status = CALL(d, zeDeviceGetComputeProperties, d->gpu, &c);
  if (!status) status = CALL(d, zeDeviceGetMemoryProperties, d->gpu, &count, memory);
  if (status) return status;
  for (uint32_t i = 0; i < count && i < 8; i++) bytes += memory[i].totalSize;
  for (uint32_t i = 0; i < c.numSubGroupSizes && i < 8; i++) warp = c.subGroupSizes[i] > warp ? c.subGroupSizes[i] : warp;
  plain_name(p.name);
  chip_name(p.deviceId, chip);
  uint32_t v = driver.driverVersion; // as Intel's driver packs it
  snprintf(text, capacity,
    "{\"name\":\"%.199s\",\"driver\":\"Level Zero %u.%u.%u\",\"chip\":\"%s\",\"max_threads\":%u,\"max_group\":[%u,%u,%u],"
    "\"max_grid\":[%u,%u,%u],\"warp\":%u,\"local_bytes\":%u,\"local_bytes_optin\":%u,\"multiprocessors\":%u,"
    "\"memory_bytes\":%llu}",
    p.name, v >> 24, v >> 16 & 255, v & 65535, chip, c.maxTotalGroupSize, c.maxGroupSizeX, c.maxGroupSizeY, c.maxGroupSizeZ,
    c.maxGroupCountX, c.maxGroupCountY, c.maxGroupCountZ, warp, d->local_bytes, d->local_bytes,
    p.numSlices * p.numSubslicesPerSlice, (unsigned long long)bytes);
  return TF_OK;
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

// 0 where the driver does not tell.
static uint32_t most_threads(const ZKernelProperties* p) {
  uint32_t required = p->requiredGroupSizeX * p->requiredGroupSizeY * p->requiredGroupSizeZ;
  return required ? required : p->maxNumSubgroups * p->maxSubgroupSize;
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
  snprintf(text, capacity,
    "{\"max_threads\":%u,\"static_local_bytes\":%u,\"arguments\":%u,\"spill_bytes\":%u,\"warp\":%u,"
    "\"max_dynamic_local_bytes\":%u}",
    most_threads(p), p->localMemSize, p->numKernelArgs, p->spillMemSize, p->maxSubgroupSize, room);
  return *kernel = (uint64_t)k, TF_OK;
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
