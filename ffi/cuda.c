// The C ABI of ffi/shim.h over NVIDIA's driver API, opened at run time.
//
// A device has a context of its own, not the primary one that a process shares: destroying it ends what runs in it and takes
// back all it holds, whoever else uses the GPU, and a fault that leaves a context unusable leaves no other one so.
#include "cuda_driver.h"

enum { PORTABLE_CLUSTER = 8 }; // groups; more than these are an option of a function

#define TF_DEVICE_FIELDS \
  CUcontext context;     \
  CUdevice device;       \
  CUevent done;
#include "gpu.h"

#define MEMBER(since, name, ...) CUresult (*name)(__VA_ARGS__);
static struct { DRIVER(MEMBER, MEMBER) } cu;

static int32_t load_driver(void) {
  static const char* const NAMES[] = { "libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1", NULL };
#define NEEDED(since, name, ...) { #name, since, (void**)&cu.name, false },
#define WANTED(since, name, ...) { #name, since, (void**)&cu.name, true },
  static const DriverSymbol SYMBOLS[] = { DRIVER(NEEDED, WANTED) };
  void* library = open_driver("TF_CUDA_DRIVER", NAMES);
  return library ? find_symbols(library, "CUDA", SYMBOLS, sizeof SYMBOLS / sizeof *SYMBOLS) : TF_ABSENT;
}

static int32_t status_of(CUresult code) {
  switch (code) {
  case CUDA_SUCCESS: return TF_OK;
  case CUDA_ERROR_OUT_OF_MEMORY: return TF_NO_MEMORY;
  case CUDA_ERROR_NOT_INITIALIZED: case CUDA_ERROR_STUB_LIBRARY: case CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER:
  case CUDA_ERROR_DEVICE_UNAVAILABLE: case CUDA_ERROR_NO_DEVICE: case CUDA_ERROR_INVALID_DEVICE:
  case CUDA_ERROR_SYSTEM_NOT_READY: case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH: case CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE:
    return TF_ABSENT;
  case CUDA_ERROR_INVALID_IMAGE: case CUDA_ERROR_NO_BINARY_FOR_GPU: case CUDA_ERROR_INVALID_PTX:
  case CUDA_ERROR_JIT_COMPILER_NOT_FOUND: case CUDA_ERROR_UNSUPPORTED_PTX_VERSION: case CUDA_ERROR_JIT_COMPILATION_DISABLED:
  case CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC: case CUDA_ERROR_INVALID_SOURCE: case CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND:
  case CUDA_ERROR_SHARED_OBJECT_INIT_FAILED:
    return TF_BAD_IMAGE;
  case CUDA_ERROR_INVALID_VALUE: case CUDA_ERROR_INVALID_HANDLE: case CUDA_ERROR_NOT_FOUND:
  case CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES: case CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE: case CUDA_ERROR_NOT_SUPPORTED:
  case CUDA_ERROR_INVALID_CLUSTER_SIZE:
    return TF_BAD_ARGUMENT;
  case CUDA_ERROR_ILLEGAL_ADDRESS: case CUDA_ERROR_ASSERT: case CUDA_ERROR_HARDWARE_STACK_ERROR:
  case CUDA_ERROR_ILLEGAL_INSTRUCTION: case CUDA_ERROR_MISALIGNED_ADDRESS: case CUDA_ERROR_INVALID_ADDRESS_SPACE:
  case CUDA_ERROR_INVALID_PC: case CUDA_ERROR_LAUNCH_FAILED: case CUDA_ERROR_TENSOR_MEMORY_LEAK:
    return TF_FAULT;
  case CUDA_ERROR_LAUNCH_TIMEOUT: return TF_TIMEOUT; // the system's own limit, of a GPU that draws a display
  default: return TF_LOST;
  }
}

// The status of a driver's answer, with its words.
static int32_t answer(Device* d, const char* call, CUresult code) {
  if (code == 0) return TF_OK;
  const char *name = NULL, *text = NULL;
  cu.cuGetErrorName(code, &name);
  cu.cuGetErrorString(code, &text);
  int32_t status = status_of(code);
  if (d && status == TF_ABSENT) status = TF_LOST; // it was there
  if (d) d->lost |= status == TF_FAULT || status == TF_TIMEOUT || status == TF_LOST;
  return fail(d, status, "%s: %s (%d): %s", call, name ? name : "an unknown error", code, text ? text : "no text");
}
#define CALL(d, name, ...) answer(d, #name, cu.name(__VA_ARGS__))

// The device of a handle, its context the calling thread's.
static int32_t enter(uint64_t handle, Device** d) {
  *d = device_at(handle);
  if (!*d) return TF_BAD_ARGUMENT;
  return (*d)->lost ? lost(*d) : CALL(*d, cuCtxSetCurrent, (*d)->context);
}

TF_EXPORT uint32_t tf_abi_version(void) { return TF_ABI_VERSION; }

// A fault here is of an earlier launch of this process, which outlived its context; what else fails here is absent.
static int32_t find_device(uint32_t index, CUdevice* device) {
  int count = 0;
  int32_t status = CALL(NULL, cuInit, 0);
  if (!status) status = CALL(NULL, cuDeviceGetCount, &count);
  if (status) return status == TF_FAULT ? TF_LOST : TF_ABSENT;
  if (index >= (uint32_t)count) return fail(NULL, TF_ABSENT, "no CUDA device %u; there are %d", index, count);
  return CALL(NULL, cuDeviceGet, device, (int)index);
}

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

static int attribute(const Device* d, CUdevice_attribute which) {
  int value = 0;
  cu.cuDeviceGetAttribute(&value, which, d->device);
  return value;
}

// `580.82.07, `, of the kernel's module; '' where the system does not tell, as in WSL.
static void module_version(char* text, size_t capacity) {
  char line[64] = "";
  FILE* file = fopen("/sys/module/nvidia/version", "re");
  if (file && !fgets(line, sizeof line, file)) *line = 0;
  if (file) fclose(file);
  line[strcspn(line, "\n")] = 0;
  plain_name(line);
  snprintf(text, capacity, *line ? "%s, " : "%s", line);
}

#define LIMIT(name) attribute(d, CU_DEVICE_ATTRIBUTE_##name)

TF_EXPORT int32_t tf_info(uint64_t device, char* text, uint64_t capacity) {
  Device* d;
  int driver = 0;
  size_t memory = 0;
  char name[256] = "", module[80];
  int32_t status = enter(device, &d);
  if (!status) status = CALL(d, cuDeviceGetName, name, sizeof name, d->device);
  if (!status) status = CALL(d, cuDriverGetVersion, &driver);
  if (!status) status = CALL(d, cuDeviceTotalMem_v2, &memory, d->device);
  if (status) return status;
  plain_name(name);
  module_version(module, sizeof module);
  snprintf(text, capacity,
    "{\"name\":\"%s\",\"driver\":\"%sCUDA %d.%d\",\"chip\":\"sm_%d%d\",\"max_threads\":%d,\"max_group\":[%d,%d,%d],"
    "\"max_grid\":[%d,%d,%d],\"warp\":%d,\"registers\":%d,\"local_bytes\":%d,\"local_bytes_optin\":%d,"
    "\"multiprocessors\":%d,\"memory_bytes\":%zu}",
    name, module, driver / 1000, driver % 1000 / 10, LIMIT(COMPUTE_CAPABILITY_MAJOR), LIMIT(COMPUTE_CAPABILITY_MINOR),
    LIMIT(MAX_THREADS_PER_BLOCK), LIMIT(MAX_BLOCK_DIM_X), LIMIT(MAX_BLOCK_DIM_Y), LIMIT(MAX_BLOCK_DIM_Z),
    LIMIT(MAX_GRID_DIM_X), LIMIT(MAX_GRID_DIM_Y), LIMIT(MAX_GRID_DIM_Z), LIMIT(WARP_SIZE), LIMIT(MAX_REGISTERS_PER_BLOCK),
    LIMIT(MAX_SHARED_MEMORY_PER_BLOCK), LIMIT(MAX_SHARED_MEMORY_PER_BLOCK_OPTIN), LIMIT(MULTIPROCESSOR_COUNT), memory);
  return TF_OK;
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

static int32_t fill_bytes(Device* d, uint64_t address, uint32_t word, uint64_t bytes) {
  int32_t status = TF_OK;
  for (uint64_t i = 0; i < bytes && !status; i++) status = CALL(d, cuMemsetD8_v2, address + i, byte_of(word, i), 1);
  return status;
}

TF_EXPORT int32_t tf_fill(uint64_t device, uint64_t address, uint32_t word, uint64_t bytes) {
  Device* d;
  int32_t status = enter(device, &d);
  if (status || !bytes) return status;
  if (word == byte_of(word, 0) * 0x01010101u) return CALL(d, cuMemsetD8_v2, address, byte_of(word, 0), bytes);
  Fill f = fill_parts(address, word, bytes);
  status = fill_bytes(d, address, word, f.head);
  if (!status && f.words) status = CALL(d, cuMemsetD32_v2, address + f.head, f.word, f.words);
  return status ? status : fill_bytes(d, address + bytes - f.tail, f.word, f.tail);
}

// A cubin or a fat binary whose end its header tells, or text of PTX, which ends by a 0.
static bool image_is_whole(const unsigned char* image, uint64_t bytes) {
  uint64_t fat_bytes;
  if (bytes < 16) return false;
  if (elf_is_whole(image, bytes)) return true;
  memcpy(&fat_bytes, image + 8, 8);
  if (!memcmp(image, "\x50\xed\x55\xba", 4)) return fat_bytes <= bytes - 16;
  return memchr(image, 0, bytes) == image + bytes - 1;
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

static int function_attribute(CUfunction function, CUfunction_attribute which) {
  int value = 0;
  cu.cuFuncGetAttribute(&value, which, function);
  return value;
}

#define FUNCTION(name) function_attribute(f, CU_FUNC_ATTRIBUTE_##name)

// The number of a function's parameters; -1 where the driver does not tell.
static int parameter_count(CUfunction function) {
  size_t offset, bytes;
  int count = 0;
  if (!cu.cuFuncGetParamInfo) return -1;
  while (count <= TF_ARGUMENTS_MAX && cu.cuFuncGetParamInfo(function, (size_t)count, &offset, &bytes) == 0) count++;
  return count;
}

// What a group may have by opt-in: 48 KiB before sm_70.
static int most_local_bytes(const Device* d) {
  int optin = LIMIT(MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  return optin ? optin : LIMIT(MAX_SHARED_MEMORY_PER_BLOCK);
}

TF_EXPORT int32_t tf_kernel(
    uint64_t device, uint64_t module, const char* symbol, uint64_t* kernel, char* text, uint64_t capacity) {
  Device* d;
  CUfunction f = NULL;
  char arguments[32] = "";
  int32_t status = enter(device, &d);
  if (status) return status;
  status = CALL(d, cuModuleGetFunction, &f, (CUmodule)(uintptr_t)module, symbol);
  if (status) return add_text(d, symbol), status;
  *kernel = (uint64_t)(uintptr_t)f;
  int count = parameter_count(f), fixed = FUNCTION(SHARED_SIZE_BYTES);
  if (count >= 0) snprintf(arguments, sizeof arguments, "\"arguments\":%d,", count);
  snprintf(text, capacity,
    "{\"max_threads\":%d,\"static_local_bytes\":%d,%s\"registers\":%d,\"spill_bytes\":%d,\"warp\":%d,"
    "\"max_dynamic_local_bytes\":%d}",
    FUNCTION(MAX_THREADS_PER_BLOCK), fixed, arguments, FUNCTION(NUM_REGS),
    FUNCTION(LOCAL_SIZE_BYTES), LIMIT(WARP_SIZE), most_local_bytes(d) - fixed);
  return TF_OK;
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
  while ((code = cu.cuEventQuery(d->done)) == CUDA_ERROR_NOT_READY) {
    if (limit_ns && now_ns() - start > limit_ns) return hung(d, limit_ns);
    pause_since(start);
  }
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
