// A CUDA driver whose functions do nothing, so that what goes through the shim costs what the shim and the call to it cost.
#include "cuda_driver.h"

#define NOTHING(since, name, ...) \
  __attribute__((weak, visibility("default"))) CUresult name(__VA_ARGS__) { return CUDA_SUCCESS; }
#define ABSENT(since, name, ...)
DRIVER(NOTHING, ABSENT)
