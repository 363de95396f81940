// What the null driver does after all, and what the benchmark calls beside the shim.
#include "cuda_driver.h"
#include "shim.h"
#include <dlfcn.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT CUresult cuDeviceGetCount(int* count) { return *count = 1, CUDA_SUCCESS; }

EXPORT int32_t bench_nothing(void) { return 0; }
EXPORT void bench_copy(void* to, const void* from, uint64_t bytes) { memcpy(to, from, bytes); }

// Launches and waits of a shim that is loaded already, from C.
EXPORT void bench_launches(const char* shim, uint64_t device, const TfLaunch* what, uint32_t times) {
  void* library = dlopen(shim, RTLD_NOW);
  int32_t (*launch)(uint64_t, const TfLaunch*) = (int32_t(*)(uint64_t, const TfLaunch*))dlsym(library, "tf_launch");
  int32_t (*wait)(uint64_t, uint64_t) = (int32_t(*)(uint64_t, uint64_t))dlsym(library, "tf_wait");
  for (uint32_t i = 0; i < times; i++) launch(device, what), wait(device, 1000000000);
}
