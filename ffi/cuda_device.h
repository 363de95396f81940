// An open device of CUDA: its driver, what its answers are, and what is asked of a device, a function and an image.
//
// A device has a context of its own, not the primary one that a process shares: destroying it ends what runs in it and takes
// back all it holds, whoever else uses the GPU, and a fault that leaves a context unusable leaves no other one so.
#ifndef TF_CUDA_DEVICE_H
#define TF_CUDA_DEVICE_H
#include "cuda_driver.h"

#define TF_DEVICE_FIELDS \
  CUcontext context;     \
  CUdevice device;       \
  CUevent done;
#include "gpu.h"
#include "image.h"
#include "json.h"

#define MEMBER(since, name, ...) CUresult (*name)(__VA_ARGS__);
static struct { DRIVER(MEMBER, MEMBER) } cu;

static int32_t load_driver(void) {
  static const char* const NAMES[] = { "libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1", // WSL's
    "/usr/local/nvidia/lib64/libcuda.so.1", NULL }; // where containers get the driver of their host
#define NEEDED(since, name, ...) { #name, since, (void**)&cu.name, false },
#define WANTED(since, name, ...) { #name, since, (void**)&cu.name, true },
  static const DriverSymbol SYMBOLS[] = { DRIVER(NEEDED, WANTED) };
  void* library = open_driver("TF_CUDA_DRIVER", NAMES);
  return library ? find_symbols(library, "CUDA", SYMBOLS, sizeof SYMBOLS / sizeof *SYMBOLS) : TF_ABSENT;
}

static int32_t status_of(CUresult code) {
  switch (code) {
#define ROW(name, value, status) case name: return status;
    CUDA_RESULTS(ROW)
  default: return TF_LOST;
  }
}

// The status of a driver's answer, with its words.
static int32_t answer(Device* d, const char* call, CUresult code) {
  if (code == 0) return TF_OK;
  const char *name = NULL, *text = NULL;
  cu.cuGetErrorName(code, &name);
  cu.cuGetErrorString(code, &text);
  return fail(d, status_for(d, status_of(code)), "%s: %s (%d): %s", call, name ? name : "an unknown error", code,
    text ? text : "no text");
}
#define CALL(d, name, ...) answer(d, #name, cu.name(__VA_ARGS__))

// The device of a handle, its context the calling thread's.
static int32_t enter(uint64_t handle, Device** d) {
  *d = device_at(handle);
  if (!*d) return TF_BAD_ARGUMENT;
  return (*d)->lost ? lost(*d) : CALL(*d, cuCtxSetCurrent, (*d)->context);
}

// A fault here is of an earlier launch of this process, which outlived its context; what else fails here is absent.
static int32_t find_device(uint32_t index, CUdevice* device) {
  int count = 0;
  int32_t status = CALL(NULL, cuInit, 0);
  if (!status) status = CALL(NULL, cuDeviceGetCount, &count);
  if (status) return status == TF_FAULT ? TF_LOST : TF_ABSENT;
  if (index >= (uint32_t)count) return fail(NULL, TF_ABSENT, "no CUDA device %u; there are %d", index, count);
  return CALL(NULL, cuDeviceGet, device, (int)index);
}

static uint64_t attribute(const Device* d, CUdevice_attribute which) {
  int value = 0;
  cu.cuDeviceGetAttribute(&value, which, d->device);
  return value > 0 ? (uint64_t)value : 0;
}
#define LIMIT(name) attribute(d, CU_DEVICE_ATTRIBUTE_##name)

// `580.82.07, `, of the kernel's module; '' where the system does not tell, as in WSL.
static void module_version(char* text, size_t capacity) {
  char line[64] = "";
  FILE* file = fopen("/sys/module/nvidia/version", "re");
  if (file && !fgets(line, sizeof line, file)) *line = 0;
  if (file) fclose(file);
  line[strcspn(line, "\n")] = 0;
  snprintf(text, capacity, *line ? "%s, " : "%s", line);
}

// A cubin or a fat binary whose end its header tells, or text of PTX, which ends by a 0.
static bool image_is_whole(const unsigned char* image, uint64_t bytes) {
  if (bytes < 16) return false;
  if (elf_is_whole(image, bytes)) return true;
  if (is_fat(image)) return fat_is_whole(image, bytes);
  return memchr(image, 0, bytes) == image + bytes - 1;
}

static int function_attribute(CUfunction function, CUfunction_attribute which) {
  int value = 0;
  cu.cuFuncGetAttribute(&value, which, function);
  return value;
}
#define FUNCTION(name) function_attribute(f, CU_FUNC_ATTRIBUTE_##name)

// The number of a function's parameters; UNTOLD where the driver does not tell.
static int parameter_count(CUfunction function) {
  size_t offset, bytes;
  int count = 0;
  if (!cu.cuFuncGetParamInfo) return UNTOLD;
  while (count <= TF_ARGUMENTS_MAX && cu.cuFuncGetParamInfo(function, (size_t)count, &offset, &bytes) == 0) count++;
  return count;
}

// What a group may have by opt-in: 48 KiB before sm_70.
static uint64_t most_local_bytes(const Device* d) {
  uint64_t optin = LIMIT(MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  return optin ? optin : LIMIT(MAX_SHARED_MEMORY_PER_BLOCK);
}

#endif
