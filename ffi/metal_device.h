// An open device of Metal: the Objective-C runtime and what is sent by it, what Metal's errors are, libraries and pipelines.
//
// A buffer's address is that of its contents, which the GPU and the processor share: copies are the processor's, and a launch looks
// an address up to give Metal the buffer and the offset. Launches go to one command buffer, an encoder each, so that they run in
// order; waiting commits it. Metal keeps what a running command buffer uses, whatever is released here.
#ifndef TF_METAL_DEVICE_H
#define TF_METAL_DEVICE_H
#include "metal_driver.h"

#define TF_KERNEL_FIELDS uint32_t buffers, locals; // arguments that it reads: 1 past the last of each kind
#include "held.h"

#define TF_DEVICE_FIELDS \
  Id gpu;                \
  Id queue;              \
  Id commands;           \
  Held held;
#include "gpu.h"
#include "json.h"

#define TF_METAL "/System/Library/Frameworks/Metal.framework/Metal"
#define MEMBER(result, name, ...) result (*name)(__VA_ARGS__);
static struct { METAL_FUNCTIONS(MEMBER, MEMBER) } metal;

#define MESSAGE(result, name, selector, ...)             \
  typedef result (*name##_type)(Id, Sel, ##__VA_ARGS__); \
  static const char name##_selector[] = selector;
METAL_MESSAGES(MESSAGE)
#define SEND(self, name, ...) ((name##_type)metal.objc_msgSend)(self, metal.sel_registerName(name##_selector), ##__VA_ARGS__)

static int32_t load_driver(void) {
  static const char* const NAMES[] = { TF_METAL, NULL };
#define NEEDED(result, name, ...) { #name, "macOS 11", (void**)&metal.name, false },
#define WANTED(result, name, ...) { #name, "", (void**)&metal.name, true },
  static const DriverSymbol SYMBOLS[] = { METAL_FUNCTIONS(NEEDED, WANTED) };
  void* library = open_driver("TF_METAL_DRIVER", NAMES);
  return library ? find_symbols(library, "Metal of", SYMBOLS, sizeof SYMBOLS / sizeof *SYMBOLS) : TF_ABSENT;
}

// A device, and a pool for what messages return until `leave`.
static int32_t enter(uint64_t handle, Device** d, void** pool) {
  *d = device_at(handle);
  *pool = NULL;
  if (!*d) return TF_BAD_ARGUMENT;
  if ((*d)->lost) return lost(*d);
  *pool = metal.objc_autoreleasePoolPush();
  return TF_OK;
}

static int32_t leave(void* pool, int32_t status) {
  if (pool) metal.objc_autoreleasePoolPop(pool);
  return status;
}

static const char* words(Id text) {
  const char* utf8 = text ? SEND(text, utf8) : NULL;
  return utf8 ? utf8 : "no text";
}

static int32_t fail_by(Device* d, int32_t status, const char* call, Id error) {
  return fail(d, status, "%s: %s", call, words(error ? SEND(error, description) : NULL));
}

// A string, which is the caller's; NULL for bytes that are no UTF-8.
static Id new_text(const void* bytes, uint64_t count) {
  Id text = SEND(metal.objc_getClass("NSString"), alloc);
  return SEND(text, init_text, bytes, count, UTF8_ENCODING);
}

static MtlSize largest_group(Id gpu) {
#if defined(__x86_64__)
  return ((max_group_type)metal.objc_msgSend_stret)(gpu, metal.sel_registerName(max_group_selector));
#else
  return SEND(gpu, max_group);
#endif
}

// `M1` of `Apple M1 Pro`; the whole name of another maker's GPU.
static void chip_name(const char* name, char chip[64]) {
  static const char APPLE[] = "Apple M";
  size_t first = sizeof APPLE - 1, end = first;
  bool apple = !strncmp(name, APPLE, first);
  while (apple && name[end] >= '0' && name[end] <= '9') end++;
  snprintf(chip, 64, "%.*s", end > first ? (int)(end - first + 1) : 63, end > first ? name + first - 1 : name);
}

// Of a command buffer that failed. What faulted once is ignored from then on: the queue is lost.
static int32_t fail_commands(Device* d) {
  Id error = SEND(d->commands, error);
  d->lost = true;
  switch (error ? SEND(error, code) : 0) {
  case ERROR_TIMEOUT: return fail_by(d, TF_TIMEOUT, "command buffer", error); // the system's own limit
  case ERROR_OUT_OF_MEMORY: return fail_by(d, TF_NO_MEMORY, "command buffer", error);
  case ERROR_INTERNAL: case ERROR_PAGE_FAULT: case ERROR_INVALID_RESOURCE: case ERROR_STACK_OVERFLOW:
    return fail_by(d, TF_FAULT, "command buffer", error);
  }
  return fail_by(d, TF_LOST, "command buffer", error);
}

static void unload(Device* d, Module* m) {
  for (void* pipeline; (pipeline = drop_kernel(m));) SEND(pipeline, release);
  SEND((Id)drop_module(&d->held, m), release);
}

// GPU `index`, which is the caller's; NULL where there is none.
static Id take_gpu(uint32_t index, Count* count) {
  Id gpus = metal.MTLCopyAllDevices();
  *count = gpus ? SEND(gpus, count) : 0;
  Id gpu = index < *count ? SEND(SEND(gpus, object_at, index), retain) : NULL;
  if (gpus) SEND(gpus, release);
  return gpu;
}

// A library of a metallib's bytes, or of source text by Metal's own compiler.
static int32_t make_library(Device* d, const void* image, uint64_t bytes, Id* library) {
  bool is_library = bytes >= 4 && !memcmp(image, "MTLB", 4);
  Id error = NULL;
  if (!bytes || (!is_library && memchr(image, 0, bytes)))
    return fail(d, TF_BAD_IMAGE, "image: neither a metallib nor Metal source");
  Id data = is_library ? metal.dispatch_data_create(image, bytes, NULL, NULL) : new_text(image, bytes);
  if (!data) return fail(d, TF_BAD_IMAGE, "image: the source is no UTF-8");
  *library = is_library ? SEND(d->gpu, new_library, data, &error) : SEND(d->gpu, compile_library, data, NULL, &error);
  SEND(data, release);
  return *library ? TF_OK : fail_by(d, TF_BAD_IMAGE, "library", error);
}

// A kernel that no library has is told with those that it has.
static int32_t no_function(Device* d, const Module* m, const char* symbol) {
  Id names = SEND((Id)m->object, function_names);
  fail(d, TF_BAD_ARGUMENT, "the library has no kernel %s; it has", symbol);
  for (Count i = 0; i < SEND(names, count); i++) add_text(d, words(SEND(names, object_at, i)));
  return TF_BAD_ARGUMENT;
}

// 1 past the last of the buffers and of the threadgroup arguments that a pipeline reads.
static void count_arguments(Id reflection, Kernel* k) {
  bool told = reflection && SEND(reflection, responds, metal.sel_registerName(arguments_selector)); // deprecated since macOS 13
  Id arguments = told ? SEND(reflection, arguments) : NULL;
  for (Count i = 0; arguments && i < SEND(arguments, count); i++) {
    Id a = SEND(arguments, object_at, i);
    uint32_t end = (uint32_t)SEND(a, index) + 1;
    uint32_t* most = SEND(a, type) == ARGUMENT_LOCAL ? &k->locals : &k->buffers;
    if (SEND(a, is_active) && end > *most) *most = end;
  }
}

static int32_t make_kernel(Device* d, Module* m, const char* symbol, Kernel** kernel) {
  Id error = NULL, reflection = NULL, name = new_text(symbol, strlen(symbol));
  Id function = name ? SEND((Id)m->object, new_function, name) : NULL;
  if (name) SEND(name, release);
  if (!function) return no_function(d, m, symbol);
  Id pipeline = SEND(d->gpu, new_pipeline, function, ARGUMENT_INFO, &reflection, &error);
  SEND(function, release);
  if (!pipeline) return fail_by(d, TF_BAD_IMAGE, symbol, error);
  *kernel = hold_kernel(m, pipeline); // until the module is unloaded
  if (!*kernel) return SEND(pipeline, release), fail(d, TF_NO_MEMORY, NO_HOST_MEMORY);
  count_arguments(reflection, *kernel);
  return TF_OK;
}

#endif
