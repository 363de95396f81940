// An open device of Level Zero: its driver, what its answers are, and what it is made of.
//
// Commands go to one immediate list with a barrier behind each, so that they run in order. Level Zero frees nothing by itself: a
// device keeps what it made, and closing it destroys that.
#ifndef TF_XPU_DEVICE_H
#define TF_XPU_DEVICE_H
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
#include "json.h"

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
  int32_t status = TF_LOST;
  const char* name = "an unknown result";
  switch (result) {
#define ROW(text, value, is) case value: status = is, name = "ZE_RESULT_" #text; break;
    Z_RESULTS(ROW)
  }
  return status ? fail(d, status_for(d, status), "%s: %s (0x%x)", call, name, (unsigned)result) : TF_OK;
}
#define CALL(d, name, ...) answer(d, #name, ze.name(__VA_ARGS__))

static int32_t enter(uint64_t handle, Device** d) {
  *d = device_at(handle);
  if (!*d) return TF_BAD_ARGUMENT;
  return (*d)->lost ? lost(*d) : TF_OK;
}

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

static int32_t memory_of(Device* d, uint64_t* bytes) {
  ZMemoryProperties memory[8];
  for (int i = 0; i < 8; i++) memory[i] = (ZMemoryProperties){ .stype = Z_DEVICE_MEMORY_PROPERTIES };
  uint32_t count = 8;
  int32_t status = CALL(d, zeDeviceGetMemoryProperties, d->gpu, &count, memory);
  for (uint32_t i = 0; i < count && i < 8 && !status; i++) *bytes += memory[i].totalSize;
  return status;
}

// 0 where the driver does not tell.
static uint32_t most_threads(const ZKernelProperties* p) {
  uint32_t required = p->requiredGroupSizeX * p->requiredGroupSizeY * p->requiredGroupSizeZ;
  return required ? required : p->maxNumSubgroups * p->maxSubgroupSize;
}

#endif
