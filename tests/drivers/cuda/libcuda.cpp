// An emulated libcuda.so.1: the functions that ffi/cuda.c calls, over the emulator.
#include "../common/emulator.h"
#if defined(TF_VENDOR_HEADER)
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
#endif
#include "ffi/cuda_driver.h"
#include <stdio.h>
#include <unistd.h>

using namespace emulator;

#define API extern "C" __attribute__((visibility("default"))) CUresult
#define BEGIN(needs_context)                  \
  Lock lock(__func__);                        \
  emulator::Context* c = nullptr;             \
  if (Code code = begin(needs_context, &c)) return answer(code)

constexpr uint64_t GIB = 1ull << 30;
constexpr int KIB = 1024;
//  name, product, capability, warp, shared by default and by opt-in, multiprocessors, registers a block, cluster, memory
static const Chip CHIPS[] = {
  { "sm_90", "Emulated H100", 9, 0, 32, 48 * KIB, 227 * KIB, 132, 65536, 16, 80 * GIB },
  { "sm_80", "Emulated A100", 8, 0, 32, 48 * KIB, 163 * KIB, 108, 65536, 0, 40 * GIB },
  { "sm_86", "Emulated RTX 3090", 8, 6, 32, 48 * KIB, 99 * KIB, 82, 65536, 0, 24 * GIB },
  { "sm_89", "Emulated RTX 4090", 8, 9, 32, 48 * KIB, 99 * KIB, 128, 65536, 0, 24 * GIB },
  { "sm_100", "Emulated B200", 10, 0, 32, 48 * KIB, 227 * KIB, 148, 65536, 16, 180 * GIB },
  { "sm_120", "Emulated RTX 5090", 12, 0, 32, 48 * KIB, 99 * KIB, 170, 65536, 8, 32 * GIB },
};

struct Word {
  Code code;
  int number;
  const char *name, *text;
};
static const Word WORDS[] = {
  { OK, 0, "CUDA_SUCCESS", "no error" },
  { BAD_VALUE, 1, "CUDA_ERROR_INVALID_VALUE", "invalid argument" },
  { NO_MEMORY, 2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory" },
  { NOT_INITIALISED, 3, "CUDA_ERROR_NOT_INITIALIZED", "initialization error" },
  { NO_DEVICE, 100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected" },
  { GONE, 100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected" },
  { BAD_DEVICE, 101, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal" },
  { NO_CONTEXT, 201, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context" },
  { BAD_IMAGE, 209, "CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image is available for execution on the device" },
  { BAD_HANDLE, 400, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle" },
  { NOT_FOUND, 500, "CUDA_ERROR_NOT_FOUND", "named symbol not found" },
  { emulator::NOT_READY, 600, "CUDA_ERROR_NOT_READY", "device not ready" },
  { ILLEGAL_ADDRESS, 700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered" },
  { NO_RESOURCES, 701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch" },
  { ILLEGAL_INSTRUCTION, 715, "CUDA_ERROR_ILLEGAL_INSTRUCTION", "an illegal instruction was encountered" },
  { MISALIGNED, 716, "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address" },
  { TOO_LARGE, 720, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE", "too many blocks in cooperative launch" },
  { NOT_SUPPORTED, 801, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported" },
  { BAD_CLUSTER, 912, "CUDA_ERROR_INVALID_CLUSTER_SIZE", "Invalid cluster size" },
  { UNKNOWN, 999, "CUDA_ERROR_UNKNOWN", "unknown error" },
};

static CUresult answer(Code code) {
  for (const Word& word : WORDS)
    if (word.code == code) return (CUresult)word.number;
  return (CUresult)999;
}

static const Word* word_of(CUresult number) {
  for (const Word& word : WORDS)
    if (word.number == (int)number) return &word;
  return nullptr;
}

API cuGetErrorName(CUresult number, const char** name) {
  const Word* word = word_of(number);
  *name = word ? word->name : nullptr;
  return answer(word ? OK : BAD_VALUE);
}

API cuGetErrorString(CUresult number, const char** text) {
  const Word* word = word_of(number);
  *text = word ? word->text : nullptr;
  return answer(word ? OK : BAD_VALUE);
}

API cuInit(unsigned flags) {
  Lock lock(__func__);
  return answer(flags ? BAD_VALUE : initialise(find_chip(CHIPS, sizeof CHIPS / sizeof *CHIPS)));
}

API cuDriverGetVersion(int* version) {
#if defined(TF_OLD_DRIVER)
  *version = 11000;
#else
  *version = 13000;
#endif
  return answer(OK);
}

API cuDeviceGetCount(int* count) {
  BEGIN(false);
  *count = device_count();
  return answer(OK);
}

API cuDeviceGet(CUdevice* device, int ordinal) {
  BEGIN(false);
  *device = ordinal;
  return answer(ordinal >= 0 && ordinal < device_count() ? OK : BAD_DEVICE);
}

API cuDeviceGetName(char* name, int bytes, CUdevice device) {
  BEGIN(false);
  snprintf(name, (size_t)bytes, "%s", chip()->product);
  return answer(device < device_count() ? OK : BAD_DEVICE);
}

API cuDeviceTotalMem_v2(size_t* bytes, CUdevice device) {
  BEGIN(false);
  *bytes = chip()->memory_bytes;
  return answer(device < device_count() ? OK : BAD_DEVICE);
}

API cuDeviceGetAttribute(int* value, CUdevice_attribute which, CUdevice) {
  static const int SIDES[] = { 1024, 1024, 64, 0x7fffffff, 65535, 65535 };
  BEGIN(false);
  int index = (int)which;
  switch (index) {
  case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = 1024; break;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK: *value = chip()->local_bytes; break;
  case CU_DEVICE_ATTRIBUTE_WARP_SIZE: *value = chip()->warp; break;
  case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK: *value = chip()->registers; break;
  case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: *value = chip()->multiprocessors; break;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: *value = chip()->major; break;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: *value = chip()->minor; break;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: *value = chip()->local_bytes_optin; break;
  default:
    if (index < CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X || index > CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)
      return violation("attribute %d", index), answer(BAD_VALUE);
    *value = SIDES[index - CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X];
  }
  return answer(OK);
}

API cuCtxCreate_v2(CUcontext* context, unsigned, CUdevice device) {
  BEGIN(false);
  return answer(create_context(device, (emulator::Context**)context));
}

API cuCtxDestroy_v2(CUcontext context) {
  CUresult result;
  {
    Lock lock(__func__);
    result = answer(destroy_context((emulator::Context*)context));
  }
  while (is_stuck()) sleep(1);
  return result;
}

API cuCtxSetCurrent(CUcontext context) {
  Lock lock(__func__);
  return answer(set_current((emulator::Context*)context));
}

API cuMemAlloc_v2(CUdeviceptr* address, size_t bytes) {
  BEGIN(true);
  uint64_t made = 0;
  Code code = allocate(c, bytes, &made);
  *address = made;
  return answer(code);
}

API cuMemFree_v2(CUdeviceptr address) {
  BEGIN(true);
  return answer(release(c, address));
}

API cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, size_t bytes) {
  BEGIN(true);
  return answer(emulator::write(c, to, from, bytes));
}

API cuMemcpyDtoH_v2(void* to, CUdeviceptr from, size_t bytes) {
  BEGIN(true);
  return answer(emulator::read(c, to, from, bytes));
}

API cuMemsetD8_v2(CUdeviceptr address, unsigned char byte, size_t count) {
  BEGIN(true);
  return answer(fill(c, address, byte, 1, count));
}

API cuMemsetD32_v2(CUdeviceptr address, unsigned word, size_t count) {
  BEGIN(true);
  return answer(fill(c, address, word, 4, count));
}

API cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned count, CUjit_option* options, void** values) {
  BEGIN(true);
  char none[1], *log = none;
  size_t capacity = 1;
  for (unsigned i = 0; i < count; i++) {
    if ((int)options[i] == CU_JIT_ERROR_LOG_BUFFER) log = (char*)values[i];
    if ((int)options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) capacity = (size_t)values[i];
  }
  return answer(load(c, image, (emulator::Module**)module, log, capacity));
}

API cuModuleUnload(CUmodule module) {
  BEGIN(true);
  return answer(unload(c, (emulator::Module*)module));
}

API cuModuleGetFunction(CUfunction* function, CUmodule module, const char* symbol) {
  BEGIN(true);
  return answer(find_function(c, (emulator::Module*)module, symbol, (emulator::Function**)function));
}

API cuFuncGetAttribute(int* value, CUfunction_attribute which, CUfunction handle) {
  BEGIN(true);
  Function* f = (Function*)object_of(handle, FUNCTION);
  if (!f) return answer(BAD_HANDLE);
  switch ((int)which) {
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = max_threads(f); break;
  case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = (int)f->kernel->static_local_bytes; break;
  case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *value = 0; break;
  case CU_FUNC_ATTRIBUTE_NUM_REGS: *value = 32; break;
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: *value = f->dynamic_bytes; break;
  default: return violation("attribute %d", (int)which), answer(BAD_VALUE);
  }
  return answer(OK);
}

API cuFuncSetAttribute(CUfunction handle, CUfunction_attribute which, int value) {
  BEGIN(true);
  Function* f = (Function*)object_of(handle, FUNCTION);
  if (!f) return answer(BAD_HANDLE);
  int most = chip()->local_bytes_optin - (int)f->kernel->static_local_bytes;
  if ((int)which == CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED) return f->wide_cluster = value == 1, answer(OK);
  if ((int)which != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
    return violation("attribute %d", (int)which), answer(BAD_VALUE);
  if (value < 0 || value > most) return answer(BAD_VALUE);
  f->dynamic_bytes = value;
  return answer(OK);
}

static CUresult launch_plain(emulator::Context* c, CUfunction f, const Shape& shape, CUstream stream, void** values) {
  if (stream) violation("a stream that was never made");
  return answer(launch(c, (Function*)f, shape, values));
}

API cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned bytes,
    CUstream stream, void** values, void** extra) {
  BEGIN(true);
  if (extra) violation("arguments by two ways");
  return launch_plain(c, f, { { gx, gy, gz }, { bx, by, bz }, bytes, 0, false }, stream, values);
}

API cuLaunchCooperativeKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
    unsigned bytes, CUstream stream, void** values) {
  BEGIN(true);
  return launch_plain(c, f, { { gx, gy, gz }, { bx, by, bz }, bytes, 0, true }, stream, values);
}

API cuEventCreate(CUevent* event, unsigned flags) {
  BEGIN(true);
  if (flags != CU_EVENT_DISABLE_TIMING) violation("flags 0x%x", flags);
  *event = (CUevent)new_object(EVENT, c);
  return answer(OK);
}

API cuEventDestroy_v2(CUevent event) {
  BEGIN(true);
  Object* object = object_of(event, EVENT);
  if (!object) return answer(BAD_HANDLE);
  object->live = false;
  return answer(OK);
}

API cuEventRecord(CUevent event, CUstream) {
  BEGIN(true);
  return answer(record(c, (Event*)event));
}

API cuEventQuery(CUevent event) {
  BEGIN(true);
  return answer(query(c, (Event*)event));
}

#if !defined(TF_OLD_DRIVER)
API cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction f, void** values, void**) {
  BEGIN(true);
  const unsigned* side = (const unsigned*)config; // the grid's, then the block's
  Shape shape = { { side[0], side[1], side[2] }, { side[3], side[4], side[5] }, config->sharedMemBytes, 0, false };
  for (unsigned i = 0; i < config->numAttrs; i++) {
    const CUlaunchAttribute& a = config->attrs[i];
    if ((int)a.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) shape.cooperative = a.value.cooperative == 1;
    else if ((int)a.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION && a.value.clusterDim.y == 1 && a.value.clusterDim.z == 1) shape.cluster = a.value.clusterDim.x;
    else violation("launch attribute %d", (int)a.id);
  }
  return launch_plain(c, f, shape, config->hStream, values);
}

API cuFuncGetParamInfo(CUfunction handle, size_t index, size_t* offset, size_t* bytes) {
  BEGIN(true);
  Function* f = (Function*)object_of(handle, FUNCTION);
  *offset = 0;
  return answer(f ? parameter(f, index, bytes) : BAD_HANDLE);
}
#endif
