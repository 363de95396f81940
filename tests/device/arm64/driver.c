// driver RUNTIME IMAGE SYMBOL SCHEDULE LIMIT: one group of 64 threads over two buffers of 64 words; within LIMIT milliseconds; prints the
// second one's words, or the status and the text of what failed.
#include "../../../ffi/shim.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t device;
static void* library;

static void* find(const char* name) {
  void* found = dlsym(library, name);
  if (found) return found;
  printf("no %s\n", name);
  exit(3);
}

static void must(int32_t status) {
  if (status == TF_OK) return;
  char text[2048] = "";
  ((int32_t(*)(uint64_t, char*, uint64_t))find("tf_error"))(device, text, sizeof text);
  printf("status %d: %s\n", status, text);
  exit(1);
}
#define CALL(name, ...) must(((__typeof__(name)*)find(#name))(__VA_ARGS__))

static char* read_file(const char* path, uint64_t* bytes) {
  FILE* file = fopen(path, "rb");
  if (!file) exit(3);
  fseek(file, 0, SEEK_END);
  *bytes = (uint64_t)ftell(file);
  rewind(file);
  char* text = malloc(*bytes);
  if (!text || fread(text, 1, *bytes, file) != *bytes) exit(3);
  return text;
}

int main(int count, char** words) {
  if (count != 6) return 2;
  library = dlopen(words[1], RTLD_NOW);
  if (!library) return printf("%s\n", dlerror()), 3;
  uint64_t bytes, module, kernel, x, y;
  char* image = read_file(words[2], &bytes);
  char attributes[2048];
  uint32_t values[64];
  for (uint32_t i = 0; i < 64; i++) values[i] = 0x3f000000u + i * 0x00012345u;
  CALL(tf_open, 0, &device);
  CALL(tf_load, device, image, bytes, &module);
  CALL(tf_kernel, device, module, words[3], &kernel, attributes, sizeof attributes);
  CALL(tf_alloc, device, sizeof values, &x);
  CALL(tf_alloc, device, sizeof values, &y);
  CALL(tf_upload, device, x, values, sizeof values);
  CALL(tf_fill, device, y, 0, sizeof values);
  TfArgument arguments[] = { { TF_BUFFER, 0, x }, { TF_BUFFER, 0, y } };
  TfLaunch launch = { .kernel = kernel, .arguments = arguments, .argument_count = 2, .grid = { 1, 1, 1 }, .group = { 64, 1, 1 } };
  launch.schedule = strtoull(words[4], NULL, 10);
  CALL(tf_launch, device, &launch);
  CALL(tf_wait, device, strtoull(words[5], NULL, 10) * 1000000);
  CALL(tf_download, device, y, values, sizeof values);
  for (uint32_t i = 0; i < 64; i++) printf("%08x\n", values[i]);
  CALL(tf_unload, device, module);
  CALL(tf_close, device);
  return 0;
}
