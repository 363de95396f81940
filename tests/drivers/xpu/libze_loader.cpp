// An emulated libze_loader.so.1: the functions that ffi/xpu.c calls, over the emulator, strict about arguments, objects and order.
#include "calls.h"
#include <stdio.h>

constexpr uint64_t GIB = 1ull << 30;
constexpr int KIB = 1024;
// name, product, PCI id twice, sub-group, local memory twice, Xe cores, registers, cluster, memory
static const Chip CHIPS[] = {
  { "acm-g10", "Emulated \"Arc\" A770", 0x56a0, 0, 32, 64 * KIB, 64 * KIB, 32, 0, 0, 16 * GIB },
  { "pvc", "Emulated Max 1550", 0x0bd5, 0, 32, 128 * KIB, 128 * KIB, 128, 0, 0, 64 * GIB },
  { "bmg", "Emulated Arc B580", 0xe20b, 0, 32, 128 * KIB, 128 * KIB, 20, 0, 0, 12 * GIB },
  { "0x9a49", "Emulated Iris Xe", 0x9a49, 0, 32, 64 * KIB, 64 * KIB, 6, 0, 0, 8 * GIB },
};
constexpr int DEVICES_MAX = 8;

static Handle *driver, *gpus[DEVICES_MAX];

bool is_typed(const void* properties, uint32_t stype) {
  uint32_t given = *(const uint32_t*)properties;
  if (given != stype) violation("the struct says that its type is 0x%x, not 0x%x", given, stype);
  if (*(void* const*)((const char*)properties + 8)) violation("pNext is set");
  return given == stype;
}

int32_t of(void* handle, Is kind) {
  emulator::Context* none = nullptr;
  if (!live(handle, kind)) return Z_ERROR_INVALID_NULL_HANDLE;
  return kind == Is::device && begin(false, &none) == NO_DEVICE ? Z_ERROR_DEVICE_LOST : Z_SUCCESS;
}

int32_t use(void* handle, Is kind, Handle** object) {
  emulator::Context* c = nullptr;
  *object = live(handle, kind);
  if (!*object) return Z_ERROR_INVALID_NULL_HANDLE;
  set_current((*object)->context);
  return result_of(begin(true, &c));
}

ZE zeInit(uint32_t flags) {
  BEGIN;
  if (flags != Z_INIT_GPU_ONLY) violation("flags 0x%x", flags);
  if (Code code = initialise(find_chip(CHIPS, sizeof CHIPS / sizeof *CHIPS))) return result_of(code);
  if (!driver) driver = make(Is::driver, nullptr);
  for (int i = 0; i < DEVICES_MAX; i++)
    if (!gpus[i]) gpus[i] = make(Is::device, driver), gpus[i]->device = i;
  return Z_SUCCESS;
}

ZE zeDriverGet(uint32_t* count, ZDriver* drivers) {
  BEGIN;
  if (!driver) return violation("before zeInit"), Z_ERROR_UNINITIALIZED;
  if (*count && drivers) *drivers = driver;
  *count = 1;
  return Z_SUCCESS;
}

ZE zeDriverGetApiVersion(ZDriver d, ZVersion* version) {
  BEGIN;
  *version = planned("old-driver", 0) ? 91 : 1 << 16 | 3;
  return of(d, Is::driver);
}

ZE zeDriverGetProperties(ZDriver d, ZDriverProperties* p) {
  BEGIN;
  if (!is_typed(p, Z_DRIVER_PROPERTIES)) return Z_ERROR_INVALID_ENUMERATION;
  p->driverVersion = 1 << 24 | 3 << 16 | 24595;
  return of(d, Is::driver);
}

ZE zeDeviceGet(ZDriver d, uint32_t* count, ZDevice* devices) {
  BEGIN;
  emulator::Context* none = nullptr;
  uint32_t has = begin(false, &none) == NO_DEVICE ? 0 : (uint32_t)device_count();
  for (uint32_t i = 0; devices && i < *count && i < has; i++) devices[i] = gpus[i];
  *count = has;
  return of(d, Is::driver);
}

ZE zeDeviceGetProperties(ZDevice d, ZDeviceProperties* p) {
  BEGIN;
  if (!is_typed(p, Z_DEVICE_PROPERTIES)) return Z_ERROR_INVALID_ENUMERATION;
  p->type = Z_DEVICE_GPU;
  p->vendorId = 0x8086;
  p->deviceId = (uint32_t)chip()->major;
  p->numSlices = 2;
  p->numSubslicesPerSlice = (uint32_t)chip()->multiprocessors / 2;
  snprintf(p->name, sizeof p->name, "%s", chip()->product);
  return of(d, Is::device);
}

ZE zeDeviceGetComputeProperties(ZDevice d, ZComputeProperties* p) {
  BEGIN;
  if (!is_typed(p, Z_DEVICE_COMPUTE_PROPERTIES)) return Z_ERROR_INVALID_ENUMERATION;
  p->maxTotalGroupSize = p->maxGroupSizeX = p->maxGroupSizeY = p->maxGroupSizeZ = 1024;
  p->maxGroupCountX = p->maxGroupCountY = p->maxGroupCountZ = 0xffffffff;
  p->maxSharedLocalMemory = (uint32_t)chip()->local_bytes;
  p->numSubGroupSizes = 2;
  p->subGroupSizes[0] = 16;
  p->subGroupSizes[1] = (uint32_t)chip()->warp;
  return of(d, Is::device);
}

// A group of engines that only copy comes first.
ZE zeDeviceGetCommandQueueGroupProperties(ZDevice d, uint32_t* count, ZQueueGroupProperties* p) {
  BEGIN;
  for (uint32_t i = 0; i < 2 && i < *count; i++) {
    if (!is_typed(&p[i], Z_QUEUE_GROUP_PROPERTIES)) return Z_ERROR_INVALID_ENUMERATION;
    p[i].flags = i ? Z_QUEUE_GROUP_COMPUTE : 2;
    p[i].maxMemoryFillPatternSize = 16;
    p[i].numQueues = 1;
  }
  *count = 2;
  return of(d, Is::device);
}

ZE zeDeviceGetMemoryProperties(ZDevice d, uint32_t* count, ZMemoryProperties* p) {
  BEGIN;
  if (*count && !is_typed(p, Z_DEVICE_MEMORY_PROPERTIES)) return Z_ERROR_INVALID_ENUMERATION;
  if (*count) p->totalSize = chip()->memory_bytes;
  *count = 1;
  return of(d, Is::device);
}

// A context is of all devices here; the emulator's own is of the device that its list is made for.
ZE zeContextCreate(ZDriver d, const ZContextDesc* desc, ZContext* context) {
  BEGIN;
  emulator::Context *none = nullptr, *made = nullptr;
  if (!is_typed(desc, Z_CONTEXT_DESC)) return Z_ERROR_INVALID_ENUMERATION;
  if (begin(false, &none)) return Z_ERROR_DEVICE_LOST;
  if (Code code = create_context(0, &made)) return result_of(code);
  Handle* o = make(Is::context, (Handle*)d);
  o->context = made;
  *context = o;
  return of(d, Is::driver);
}

ZE zeContextDestroy(ZContext c) {
  BEGIN;
  Handle* o = live(c, Is::context);
  if (o) destroy_context(o->context);
  return destroy(c, Is::context);
}
