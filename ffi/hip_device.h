// An open device of HIP: its runtime, what its answers are, and what is asked of a device and a function.
//
// A process has one context a device there, and hipDeviceReset ends it. It waits for what runs, so a device whose launch never
// ends is left as it is when it is closed, and only another process can use it.
#ifndef TF_HIP_DEVICE_H
#define TF_HIP_DEVICE_H
#include "hip_driver.h"

#define TF_DEVICE_FIELDS \
  int device;            \
  bool is_hung;          \
  hipEvent_t done;
#include "gpu.h"
#include "image.h"
#include "json.h"

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
#define ROW(name, value, status) case name: return status;
    HIP_RESULTS(ROW)
  default: return TF_LOST;
  }
}

// The status of the runtime's answer, with its words.
static int32_t answer(Device* d, const char* call, hipError_t code) {
  if (code == 0) return TF_OK;
  const char *name = hip.hipGetErrorName(code), *text = hip.hipGetErrorString(code);
  return fail(d, status_for(d, status_of(code)), "%s: %s (%d): %s", call, name, (int)code, text);
}
#define CALL(d, name, ...) answer(d, #name, hip.name(__VA_ARGS__))

// The device of a handle, made the calling thread's.
static int32_t enter(uint64_t handle, Device** d) {
  *d = device_at(handle);
  if (!*d) return TF_BAD_ARGUMENT;
  return (*d)->lost ? lost(*d) : CALL(*d, hipSetDevice, (*d)->device);
}

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

// Whether another handle is of the same device, whose context is the same one.
static bool is_shared(const Device* d) {
  for (int i = 0; i < TF_DEVICES_MAX; i++)
    if (&tf_devices[i] != d && device_at((uint64_t)i + 1) && tf_devices[i].device == d->device) return true;
  return false;
}

static uint64_t attribute(const Device* d, hipDeviceAttribute_t which) {
  int value = 0;
  hip.hipDeviceGetAttribute(&value, which, d->device);
  return value > 0 ? (uint64_t)value : 0;
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
}

static int function_attribute(hipFunction_t function, hipFunction_attribute which) {
  int value = 0;
  hip.hipFuncGetAttribute(&value, which, function);
  return value;
}
#define FUNCTION(name) function_attribute(f, HIP_FUNC_ATTRIBUTE_##name)

static void* pointer(uint64_t address) { return (void*)(uintptr_t)address; }

#endif
