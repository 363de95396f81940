// An emulated libamdhip64.so: the functions that ffi/hip.c calls, over the emulator. A process has one context a device.
#include "../common/emulator.h"
#if defined(TF_VENDOR_HEADER)
#define __HIP_PLATFORM_AMD__
#include <hip/hip_runtime_api.h>
#endif
#include "ffi/hip_driver.h"
#include <stdio.h>
#include <unistd.h>

using namespace emulator;

#define EXPORT extern "C" __attribute__((visibility("default")))
#define API EXPORT hipError_t
#define BEGIN(needs_context)                  \
  Lock lock(__func__);                        \
  emulator::Context* c = nullptr;             \
  if (Code code = begin(needs_context, &c)) return answer(code)

constexpr uint64_t GIB = 1ull << 30;
constexpr int KIB = 1024, DEVICES_MAX = 16;
//  name, product, capability, wave, LDS by default and by opt-in (some runtimes tell 0), multiprocessors, registers a block, no
//  clusters, memory
static const Chip CHIPS[] = {
  { "gfx942", "Emulated MI300X", 9, 4, 64, 64 * KIB, 64 * KIB, 304, 65536, 0, 192 * GIB },
  { "gfx90a", "Emulated MI250X", 9, 0, 64, 64 * KIB, 64 * KIB, 110, 65536, 0, 64 * GIB },
  { "gfx1100", "Emulated RX 7900 XTX", 11, 0, 32, 64 * KIB, 0, 48, 65536, 0, 24 * GIB },
  { "gfx1201", "Emulated RX 9070 XT", 12, 0, 32, 64 * KIB, 64 * KIB, 32, 65536, 0, 16 * GIB },
};

struct Word {
  Code code;
  int number;
  const char *name, *text;
};
static const Word WORDS[] = {
  { OK, 0, "hipSuccess", "no error" },
  { BAD_VALUE, 1, "hipErrorInvalidValue", "invalid argument" },
  { NO_MEMORY, 2, "hipErrorOutOfMemory", "out of memory" },
  { NOT_INITIALISED, 3, "hipErrorNotInitialized", "initialization error" },
  { NO_DEVICE, 100, "hipErrorNoDevice", "no ROCm-capable device is detected" },
  { GONE, 100, "hipErrorNoDevice", "no ROCm-capable device is detected" },
  { BAD_DEVICE, 101, "hipErrorInvalidDevice", "invalid device ordinal" },
  { NO_CONTEXT, 201, "hipErrorInvalidContext", "invalid device context" },
  { BAD_IMAGE, 209, "hipErrorNoBinaryForGpu", "no kernel image is available for execution on the device" },
  { BAD_HANDLE, 400, "hipErrorInvalidHandle", "invalid resource handle" },
  { NOT_FOUND, 500, "hipErrorNotFound", "named symbol not found" },
  { emulator::NOT_READY, 600, "hipErrorNotReady", "device not ready" },
  { ILLEGAL_ADDRESS, 700, "hipErrorIllegalAddress", "an illegal memory access was encountered" },
  { NO_RESOURCES, 701, "hipErrorLaunchOutOfResources", "out of resources" },
  { ILLEGAL_INSTRUCTION, 719, "hipErrorLaunchFailure", "unspecified launch failure" },
  { MISALIGNED, 719, "hipErrorLaunchFailure", "unspecified launch failure" },
  { TOO_LARGE, 720, "hipErrorCooperativeLaunchTooLarge", "too many blocks in cooperative launch" },
  { NOT_SUPPORTED, 801, "hipErrorNotSupported", "operation not supported" },
  { UNKNOWN, 999, "hipErrorUnknown", "unknown error" },
};

static hipError_t answer(Code code) {
  for (const Word& word : WORDS)
    if (word.code == code) return (hipError_t)word.number;
  return (hipError_t)999;
}

EXPORT const char* hipGetErrorName(hipError_t number) {
  for (const Word& word : WORDS)
    if (word.number == (int)number) return word.name;
  return "hipErrorUnknown";
}

EXPORT const char* hipGetErrorString(hipError_t number) {
  for (const Word& word : WORDS)
    if (word.number == (int)number) return word.text;
  return "unknown error";
}

static emulator::Context* contexts[DEVICES_MAX];

API hipInit(unsigned flags) {
  Lock lock(__func__);
  return answer(flags ? BAD_VALUE : initialise(find_chip(CHIPS, sizeof CHIPS / sizeof *CHIPS)));
}

API hipRuntimeGetVersion(int* version) {
#if defined(TF_OLD_DRIVER)
  *version = 50120532;
#else
  *version = 60443482;
#endif
  return answer(OK);
}

API hipGetDeviceCount(int* count) {
  BEGIN(false);
  *count = device_count();
  return answer(OK);
}

API hipSetDevice(int device) {
  BEGIN(false);
  if (device < 0 || device >= device_count() || device >= DEVICES_MAX) return violation("device %d", device), answer(BAD_DEVICE);
  emulator::Context*& context = contexts[device];
  return answer(context ? set_current(context) : create_context(device, &context));
}

API hipDeviceReset(void) {
  Lock lock(__func__);
  emulator::Context* context = current_context();
  if (!context) return violation("no device is this thread's"), answer(NO_CONTEXT);
  if (context->hung) return violation("waits for a launch that never ends"), answer(UNKNOWN);
  contexts[context->device] = nullptr;
  return answer(destroy_context(context));
}

API hipDeviceGetName(char* name, int bytes, hipDevice_t device) {
  BEGIN(false);
  snprintf(name, (size_t)bytes, "%s", chip()->product);
  return answer(device < device_count() ? OK : BAD_DEVICE);
}

API hipDeviceTotalMem(size_t* bytes, hipDevice_t device) {
  BEGIN(false);
  *bytes = chip()->memory_bytes;
  return answer(device < device_count() ? OK : BAD_DEVICE);
}

static hipError_t properties(void* form, size_t bytes, size_t chip_at, int device) {
  BEGIN(false);
  memset(form, 0, bytes);
  snprintf((char*)form, 256, "%s", chip()->product);
  snprintf((char*)form + chip_at, CHIP_BYTES, "%s:sramecc+:xnack-", chip()->name);
  return answer(device < device_count() ? OK : BAD_DEVICE);
}

// The older form, of which there is always one.
EXPORT hipError_t (hipGetDeviceProperties)(
#if defined(TF_VENDOR_HEADER)
  hipDeviceProp_t* form,
#else
  void* form,
#endif
  int device) { return properties(form, 792, CHIP_AT_R0000, device); }

#if !defined(TF_OLD_DRIVER)
API hipGetDevicePropertiesR0600(void* form, int device) { return properties(form, 1472, CHIP_AT_R0600, device); }
#endif

API hipDeviceGetAttribute(int* value, hipDeviceAttribute_t which, int) {
  static const int SIDES[] = { 1024, 1024, 1024, 0x7fffffff, 65536, 65536 };
  BEGIN(false);
  int index = (int)which;
  switch (index) {
  case hipDeviceAttributeMaxThreadsPerBlock: *value = 1024; break;
  case hipDeviceAttributeMultiprocessorCount: *value = chip()->multiprocessors; break;
  case hipDeviceAttributeMaxRegistersPerBlock: *value = chip()->registers; break;
  case hipDeviceAttributeMaxSharedMemoryPerBlock: *value = chip()->local_bytes; break;
  case hipDeviceAttributeSharedMemPerBlockOptin: *value = chip()->local_bytes_optin; break;
  case hipDeviceAttributeWarpSize: *value = chip()->warp; break;
  default:
    if (index < hipDeviceAttributeMaxBlockDimX || index > hipDeviceAttributeMaxGridDimZ) return violation("attribute %d", index), answer(BAD_VALUE);
    *value = SIDES[index - hipDeviceAttributeMaxBlockDimX];
  }
  return answer(OK);
}

API hipMalloc(void** address, size_t bytes) {
  BEGIN(true);
  uint64_t made = 0;
  Code code = allocate(c, bytes, &made);
  *address = (void*)made;
  return answer(code);
}

API hipFree(void* address) {
  BEGIN(true);
  return answer(release(c, (uint64_t)address));
}

API hipMemcpyHtoD(hipDeviceptr_t to, void* from, size_t bytes) {
  BEGIN(true);
  return answer(emulator::write(c, (uint64_t)to, from, bytes));
}

API hipMemcpyDtoH(void* to, hipDeviceptr_t from, size_t bytes) {
  BEGIN(true);
  return answer(emulator::read(c, to, (uint64_t)from, bytes));
}

API hipMemsetD8(hipDeviceptr_t address, unsigned char byte, size_t count) {
  BEGIN(true);
  return answer(fill(c, (uint64_t)address, byte, 1, count));
}

API hipMemsetD32(hipDeviceptr_t address, int word, size_t count) {
  BEGIN(true);
  return answer(fill(c, (uint64_t)address, (uint32_t)word, 4, count));
}

API hipModuleLoadDataEx(hipModule_t* module, const void* image, unsigned count, hipJitOption*, void**) {
  BEGIN(true);
  char log[512] = "";
  if (count) violation("options, of which the runtime knows none");
  Code code = load(c, image, (emulator::Module**)module, log, sizeof log);
  if (code) note("refused", "%s", log); // HIP has no log of a module
  return answer(code);
}

API hipModuleUnload(hipModule_t module) {
  BEGIN(true);
  return answer(unload(c, (emulator::Module*)module));
}

API hipModuleGetFunction(hipFunction_t* function, hipModule_t module, const char* symbol) {
  BEGIN(true);
  return answer(find_function(c, (emulator::Module*)module, symbol, (emulator::Function**)function));
}

API hipFuncGetAttribute(int* value, hipFunction_attribute which, hipFunction_t handle) {
  BEGIN(true);
  Function* f = (Function*)object_of(handle, FUNCTION);
  if (!f) return answer(BAD_HANDLE);
  switch ((int)which) {
  case HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = max_threads(f); break;
  case HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = (int)f->kernel->static_local_bytes; break;
  case HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *value = 0; break;
  case HIP_FUNC_ATTRIBUTE_NUM_REGS: *value = 32; break;
  default: return violation("attribute %d", (int)which), answer(BAD_VALUE);
  }
  return answer(OK);
}

static hipError_t launch_plain(emulator::Context* c, hipFunction_t f, const Shape& shape, hipStream_t stream, void** values) {
  if (stream) violation("a stream that was never made");
  return answer(launch(c, (Function*)f, shape, values));
}

API hipModuleLaunchKernel(hipFunction_t f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
    unsigned bytes, hipStream_t stream, void** values, void** extra) {
  BEGIN(true);
  if (extra) violation("arguments by two ways");
  return launch_plain(c, f, { { gx, gy, gz }, { bx, by, bz }, bytes, 0, false }, stream, values);
}

#if !defined(TF_OLD_DRIVER)
API hipModuleLaunchCooperativeKernel(hipFunction_t f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
    unsigned bz, unsigned bytes, hipStream_t stream, void** values) {
  BEGIN(true);
  return launch_plain(c, f, { { gx, gy, gz }, { bx, by, bz }, bytes, 0, true }, stream, values);
}
#endif

API hipEventCreateWithFlags(hipEvent_t* event, unsigned flags) {
  BEGIN(true);
  if (flags != hipEventDisableTiming) violation("flags 0x%x", flags);
  *event = (hipEvent_t)new_object(EVENT, c);
  return answer(OK);
}

API hipEventDestroy(hipEvent_t event) {
  BEGIN(true);
  Object* object = object_of(event, EVENT);
  if (!object) return answer(BAD_HANDLE);
  object->live = false;
  return answer(OK);
}

API hipEventRecord(hipEvent_t event, hipStream_t) {
  BEGIN(true);
  return answer(record(c, (Event*)event));
}

API hipEventQuery(hipEvent_t event) {
  BEGIN(true);
  return answer(query(c, (Event*)event));
}
