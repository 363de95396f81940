// The C ABI of ffi/shim.h over AMD's HIP runtime, opened at run time.
//
// A process has one context a device there, and hipDeviceReset ends it. It waits for what runs, so a device whose launch never
// ends is left as it is when it is closed, and only another process can use it.
#include "hip_driver.h"

#define TF_DEVICE_FIELDS \
  int device;            \
  bool is_hung;          \
  hipEvent_t done;
#include "gpu.h"

#define MEMBER(since, result, name, ...) result (*name)(__VA_ARGS__);
static struct { DRIVER(MEMBER, MEMBER) } hip;
static bool held[256]; // devices of this process with a launch that never ends

static int32_t load_driver(void) {
  static const char* const NAMES[] = { "libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5",
    "/opt/rocm/lib/libamdhip64.so", NULL };
#define NEEDED(since, result, name, ...) { #name, since, (void**)&hip.name, false },
#define WANTED(since, result, name, ...) { #name, since, (void**)&hip.name, true },
  static const DriverSymbol SYMBOLS[] = { DRIVER(NEEDED, WANTED) };
  void* library = open_driver("TF_HIP_DRIVER", NAMES);
  return library ? find_symbols(library, "ROCm", SYMBOLS, sizeof SYMBOLS / sizeof *SYMBOLS) : TF_ABSENT;
}

static int32_t status_of(hipError_t code) {
  switch (code) {
  case hipSuccess: return TF_OK;
  case hipErrorOutOfMemory: return TF_NO_MEMORY;
  case hipErrorNotInitialized: case hipErrorInsufficientDriver: case hipErrorNoDevice: case hipErrorInvalidDevice:
    return TF_ABSENT;
  case hipErrorInvalidImage: case hipErrorNoBinaryForGpu: case hipErrorInvalidKernelFile: case hipErrorInvalidSource:
  case hipErrorSharedObjectSymbolNotFound: case hipErrorSharedObjectInitFailed:
    return TF_BAD_IMAGE;
  case hipErrorInvalidValue: case hipErrorInvalidConfiguration: case hipErrorInvalidSymbol: case hipErrorInvalidDevicePointer:
  case hipErrorInvalidDeviceFunction: case hipErrorInvalidHandle: case hipErrorNotFound: case hipErrorLaunchOutOfResources:
  case hipErrorCooperativeLaunchTooLarge: case hipErrorNotSupported:
    return TF_BAD_ARGUMENT;
  case hipErrorIllegalAddress: case hipErrorAssert: case hipErrorLaunchFailure: return TF_FAULT;
  case hipErrorLaunchTimeOut: return TF_TIMEOUT;
  default: return TF_LOST;
  }
}

// The status of the runtime's answer, with its words.
static int32_t answer(Device* d, const char* call, hipError_t code) {
  if (code == 0) return TF_OK;
  int32_t status = status_of(code);
  if (d && status == TF_ABSENT) status = TF_LOST; // it was there
  if (d) d->lost |= status == TF_FAULT || status == TF_TIMEOUT || status == TF_LOST;
  return fail(d, status, "%s: %s (%d): %s", call, hip.hipGetErrorName(code), (int)code, hip.hipGetErrorString(code));
}
#define CALL(d, name, ...) answer(d, #name, hip.name(__VA_ARGS__))

// The device of a handle, made the calling thread's.
static int32_t enter(uint64_t handle, Device** d) {
  *d = device_at(handle);
  if (!*d) return TF_BAD_ARGUMENT;
  return (*d)->lost ? lost(*d) : CALL(*d, hipSetDevice, (*d)->device);
}

TF_EXPORT uint32_t tf_abi_version(void) { return TF_ABI_VERSION; }

// A fault here is of an earlier launch of this process, which outlived its device's reset; what else fails here is absent.
static int32_t find_device(uint32_t index) {
  int count = 0;
  int32_t status = CALL(NULL, hipInit, 0);
  if (!status) status = CALL(NULL, hipGetDeviceCount, &count);
  if (status) return status == TF_FAULT ? TF_LOST : TF_ABSENT;
  if (index >= (uint32_t)count || index >= sizeof held)
    return fail(NULL, TF_ABSENT, "no HIP device %u; there are %d", index, count);
  if (held[index])
    return fail(NULL, TF_LOST, "a launch that never ended holds HIP device %u; another process can use it", index);
  return TF_OK;
}

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

static int attribute(const Device* d, hipDeviceAttribute_t which) {
  int value = 0;
  hip.hipDeviceGetAttribute(&value, which, d->device);
  return value;
}

#define LIMIT(name) attribute(d, hipDeviceAttribute##name)

// `gfx942` of `gfx942:sramecc+:xnack-`; '' where neither form of the properties is to be had.
static void chip_name(const Device* d, char* chip) {
  char properties[PROPERTIES_BYTES] = "";
  const char* name = properties + (hip.hipGetDevicePropertiesR0600 ? CHIP_AT_R0600 : CHIP_AT_R0000);
  hipError_t code = hipErrorInvalidValue;
  if (hip.hipGetDevicePropertiesR0600) code = hip.hipGetDevicePropertiesR0600(properties, d->device);
  else if (hip.hipGetDeviceProperties) code = hip.hipGetDeviceProperties(properties, d->device);
  snprintf(chip, CHIP_BYTES, "%.*s", code ? 0 : (int)strcspn(name, ":"), name);
  plain_name(chip);
}

TF_EXPORT int32_t tf_info(uint64_t device, char* text, uint64_t capacity) {
  Device* d;
  int version = 0;
  size_t memory = 0;
  char name[256] = "", chip[CHIP_BYTES], has_chip[CHIP_BYTES + 16] = "";
  int32_t status = enter(device, &d);
  if (!status) status = CALL(d, hipDeviceGetName, name, sizeof name, d->device);
  if (!status) status = CALL(d, hipRuntimeGetVersion, &version);
  if (!status) status = CALL(d, hipDeviceTotalMem, &memory, d->device);
  if (status) return status;
  plain_name(name);
  chip_name(d, chip);
  if (*chip) snprintf(has_chip, sizeof has_chip, "\"chip\":\"%s\",", chip);
  int fixed = LIMIT(MaxSharedMemoryPerBlock), optin = LIMIT(SharedMemPerBlockOptin);
  snprintf(text, capacity,
    "{\"name\":\"%s\",\"driver\":\"HIP %d.%d\",%s\"max_threads\":%d,\"max_group\":[%d,%d,%d],\"max_grid\":[%d,%d,%d],"
    "\"warp\":%d,\"registers\":%d,\"local_bytes\":%d,\"local_bytes_optin\":%d,\"multiprocessors\":%d,\"memory_bytes\":%zu}",
    name, version / 10000000, version / 100000 % 100, has_chip, LIMIT(MaxThreadsPerBlock),
    LIMIT(MaxBlockDimX), LIMIT(MaxBlockDimY), LIMIT(MaxBlockDimZ),
    LIMIT(MaxGridDimX), LIMIT(MaxGridDimY), LIMIT(MaxGridDimZ), LIMIT(WarpSize),
    LIMIT(MaxRegistersPerBlock), fixed, optin > fixed ? optin : fixed, LIMIT(MultiprocessorCount), memory);
  return TF_OK;
}

static void* pointer(uint64_t address) { return (void*)(uintptr_t)address; }

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

static int32_t fill_bytes(Device* d, uint64_t address, uint32_t word, uint64_t bytes) {
  int32_t status = TF_OK;
  for (uint64_t i = 0; i < bytes && !status; i++) status = CALL(d, hipMemsetD8, pointer(address + i), byte_of(word, i), 1);
  return status;
}

TF_EXPORT int32_t tf_fill(uint64_t device, uint64_t address, uint32_t word, uint64_t bytes) {
  Device* d;
  int32_t status = enter(device, &d);
  if (status || !bytes) return status;
  if (word == byte_of(word, 0) * 0x01010101u) return CALL(d, hipMemsetD8, pointer(address), byte_of(word, 0), bytes);
  Fill f = fill_parts(address, word, bytes);
  status = fill_bytes(d, address, word, f.head);
  if (!status && f.words) status = CALL(d, hipMemsetD32, pointer(address + f.head), (int)f.word, f.words);
  return status ? status : fill_bytes(d, address + bytes - f.tail, f.word, f.tail);
}

// Whether each code object of a bundle ends inside its bytes. An entry: where it is, its bytes, the bytes of its name, the name.
static bool bundle_is_whole(const unsigned char* image, uint64_t bytes) {
  static const char MAGIC[] = "__CLANG_OFFLOAD_BUNDLE__";
  uint64_t at = sizeof MAGIC - 1 + 8, count;
  if (bytes < at || memcmp(image, MAGIC, sizeof MAGIC - 1)) return false;
  memcpy(&count, image + at - 8, 8);
  for (uint64_t i = 0; i < count; i++) {
    uint64_t entry[3];
    if (bytes - at < sizeof entry) return false;
    memcpy(entry, image + at, sizeof entry);
    at += sizeof entry;
    if (entry[2] > bytes - at || entry[0] > bytes || entry[1] > bytes - entry[0]) return false;
    at += entry[2];
  }
  return true;
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

static int function_attribute(hipFunction_t function, hipFunction_attribute which) {
  int value = 0;
  hip.hipFuncGetAttribute(&value, which, function);
  return value;
}

#define FUNCTION(name) function_attribute(f, HIP_FUNC_ATTRIBUTE_##name)

TF_EXPORT int32_t tf_kernel(
    uint64_t device, uint64_t module, const char* symbol, uint64_t* kernel, char* text, uint64_t capacity) {
  Device* d;
  hipFunction_t f = NULL;
  int32_t status = enter(device, &d);
  if (status) return status;
  status = CALL(d, hipModuleGetFunction, &f, pointer(module), symbol);
  if (status) return add_text(d, symbol), status;
  *kernel = (uint64_t)(uintptr_t)f;
  int fixed = FUNCTION(SHARED_SIZE_BYTES);
  snprintf(text, capacity,
    "{\"max_threads\":%d,\"static_local_bytes\":%d,\"registers\":%d,\"spill_bytes\":%d,\"warp\":%d,"
    "\"max_dynamic_local_bytes\":%d}",
    FUNCTION(MAX_THREADS_PER_BLOCK), fixed, FUNCTION(NUM_REGS),
    FUNCTION(LOCAL_SIZE_BYTES), LIMIT(WarpSize), LIMIT(MaxSharedMemoryPerBlock) - fixed);
  return TF_OK;
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
  while ((code = hip.hipEventQuery(d->done)) == hipErrorNotReady) {
    if (limit_ns && now_ns() - start > limit_ns) return d->is_hung = true, hung(d, limit_ns);
    pause_since(start);
  }
  return answer(d, "hipEventQuery", code);
}

// Whether another handle is of the same device, whose context is the same one.
static bool is_shared(const Device* d) {
  for (int i = 0; i < TF_DEVICES_MAX; i++)
    if (&tf_devices[i] != d && device_at((uint64_t)i + 1) && tf_devices[i].device == d->device) return true;
  return false;
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
