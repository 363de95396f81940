// The C ABI of ffi/shim.h over Metal, by the Objective-C runtime: no SDK and no block is needed.
//
// A buffer's address is that of its contents, which the GPU and the processor share: copies are the processor's, and a launch looks
// an address up to give Metal the buffer and the offset. Launches go to one command buffer, an encoder each, so that they run in
// order; waiting commits it. Metal keeps what a running command buffer uses, whatever is released here.
#include "metal_driver.h"

#define TF_KERNEL_FIELDS uint32_t buffers, locals; // arguments that it reads: 1 past the last of each kind
#include "held.h"

#define TF_DEVICE_FIELDS \
  Id gpu;                \
  Id queue;              \
  Id commands;           \
  Held held;
#include "gpu.h"

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
  plain_name(chip);
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

// --- ffi/shim.h ---

TF_EXPORT uint32_t tf_abi_version(void) { return TF_ABI_VERSION; }

// GPU `index`, which is the caller's; NULL where there is none.
static Id take_gpu(uint32_t index, Count* count) {
  Id gpus = metal.MTLCopyAllDevices();
  *count = gpus ? SEND(gpus, count) : 0;
  Id gpu = index < *count ? SEND(SEND(gpus, object_at, index), retain) : NULL;
  if (gpus) SEND(gpus, release);
  return gpu;
}

TF_EXPORT int32_t tf_open(uint32_t index, uint64_t* device) {
  Count count = 0;
  int32_t status = load_driver();
  if (status) return status;
  void* pool = metal.objc_autoreleasePoolPush();
  Id gpu = take_gpu(index, &count);
  if (!gpu) return leave(pool, fail(NULL, TF_ABSENT, "no Metal GPU %u; there are %lu", index, count));
  Device* d = take_device();
  if (d) d->gpu = gpu, d->queue = SEND(gpu, new_queue);
  if (d && d->queue) return *device = handle_of(d), leave(pool, TF_OK);
  SEND(gpu, release);
  if (!d) return leave(pool, fail(NULL, TF_NO_MEMORY, "%d devices are open", TF_DEVICES_MAX));
  leave_device(d);
  return leave(pool, fail(NULL, TF_NO_MEMORY, "the GPU gives no command queue"));
}

TF_EXPORT int32_t tf_info(uint64_t device, char* text, uint64_t capacity) {
  Device* d;
  void* pool;
  char name[200], chip[64], system[128];
  int32_t status = enter(device, &d, &pool);
  if (status) return status;
  snprintf(name, sizeof name, "%s", words(SEND(d->gpu, name)));
  chip_name(name, chip);
  snprintf(system, sizeof system, "%s", words(SEND(SEND(metal.objc_getClass("NSProcessInfo"), process_info), system_version)));
  plain_name(name);
  plain_name(system);
  MtlSize most = largest_group(d->gpu);
  Count local = SEND(d->gpu, local_bytes);
  // The product of a group's sides is at most the largest of them: the feature set tables' "maximum threads per threadgroup".
  snprintf(text, capacity,
    "{\"name\":\"%s\",\"driver\":\"Metal, macOS %s\",\"chip\":\"%s\",\"max_threads\":%lu,\"max_group\":[%lu,%lu,%lu],"
    "\"local_bytes\":%lu,\"local_bytes_optin\":%lu,\"memory_bytes\":%llu}",
    name, system, chip, most.width, most.width, most.height, most.depth, local, local,
    (unsigned long long)SEND(d->gpu, memory_bytes));
  return leave(pool, TF_OK);
}

TF_EXPORT int32_t tf_alloc(uint64_t device, uint64_t bytes, uint64_t* buffer) {
  Device* d;
  void* pool;
  int32_t status = enter(device, &d, &pool);
  if (status) return status;
  Id made = SEND(d->gpu, new_buffer, bytes ? bytes : 1, STORAGE_SHARED);
  if (!made) return leave(pool, fail(d, TF_NO_MEMORY, "the GPU gives no buffer of %llu bytes", (unsigned long long)bytes));
  *buffer = (uint64_t)(uintptr_t)SEND(made, contents);
  if (hold_buffer(&d->held, made, *buffer, bytes)) return leave(pool, TF_OK);
  SEND(made, release);
  return leave(pool, fail(d, TF_NO_MEMORY, "no memory of the host"));
}

TF_EXPORT int32_t tf_free(uint64_t device, uint64_t buffer) {
  Device* d;
  void* pool;
  int32_t status = enter(device, &d, &pool);
  if (status) return status;
  Id made = drop_buffer(&d->held, buffer);
  if (!made) return leave(pool, fail(d, TF_BAD_ARGUMENT, "free: no buffer starts at this address"));
  SEND(made, release);
  return leave(pool, TF_OK);
}

// Bytes of a buffer that no launch is at.
static int32_t reach(uint64_t device, const char* call, uint64_t address, uint64_t bytes) {
  Device* d = device_at(device);
  if (!d) return TF_BAD_ARGUMENT;
  if (d->lost) return lost(d);
  if (!buffer_of(&d->held, address, bytes)) return fail(d, TF_BAD_ARGUMENT, "%s: past the end of a buffer, or in none", call);
  return d->commands ? fail(d, TF_BAD_ARGUMENT, "%s: a launch is queued; wait first", call) : TF_OK;
}

TF_EXPORT int32_t tf_upload(uint64_t device, uint64_t address, const void* from, uint64_t bytes) {
  int32_t status = reach(device, "upload", address, bytes);
  if (!status) memcpy((void*)(uintptr_t)address, from, bytes);
  return status;
}

TF_EXPORT int32_t tf_download(uint64_t device, uint64_t address, void* to, uint64_t bytes) {
  int32_t status = reach(device, "download", address, bytes);
  if (!status) memcpy(to, (const void*)(uintptr_t)address, bytes);
  return status;
}

TF_EXPORT int32_t tf_fill(uint64_t device, uint64_t address, uint32_t word, uint64_t bytes) {
  int32_t status = reach(device, "fill", address, bytes);
  if (status) return status;
  char* to = (char*)(uintptr_t)address;
  for (; bytes >= 4; bytes -= 4, to += 4) memcpy(to, &word, 4);
  memcpy(to, &word, bytes);
  return TF_OK;
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

TF_EXPORT int32_t tf_load(uint64_t device, const void* image, uint64_t bytes, uint64_t* module) {
  Device* d;
  void* pool;
  Id library = NULL;
  int32_t status = enter(device, &d, &pool);
  if (!status) status = make_library(d, image, bytes, &library);
  if (status) return leave(pool, status);
  Module* m = hold_module(&d->held, library);
  *module = (uint64_t)(uintptr_t)m;
  if (m) return leave(pool, TF_OK);
  SEND(library, release);
  return leave(pool, fail(d, TF_NO_MEMORY, "no memory of the host"));
}

TF_EXPORT int32_t tf_unload(uint64_t device, uint64_t module) {
  Device* d;
  void* pool;
  int32_t status = enter(device, &d, &pool);
  if (status) return status;
  Module* m = module_of(&d->held, module);
  if (!m) return leave(pool, fail(d, TF_BAD_ARGUMENT, "unload: no such module"));
  unload(d, m);
  return leave(pool, TF_OK);
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
  if (!*kernel) return SEND(pipeline, release), fail(d, TF_NO_MEMORY, "no memory of the host");
  count_arguments(reflection, *kernel);
  return TF_OK;
}

TF_EXPORT int32_t tf_kernel(
    uint64_t device, uint64_t module, const char* symbol, uint64_t* kernel, char* text, uint64_t capacity) {
  Device* d;
  void* pool;
  Kernel* k = NULL;
  int32_t status = enter(device, &d, &pool);
  if (status) return status;
  Module* m = module_of(&d->held, module);
  status = m ? make_kernel(d, m, symbol, &k) : fail(d, TF_BAD_ARGUMENT, "kernel: no such module");
  if (status) return leave(pool, status);
  Id pipeline = k->object;
  Count fixed = SEND(pipeline, static_local_bytes);
  snprintf(text, capacity,
    "{\"max_threads\":%lu,\"static_local_bytes\":%lu,\"warp\":%lu,\"max_dynamic_local_bytes\":%lu}",
    SEND(pipeline, max_threads), fixed, SEND(pipeline, width), SEND(d->gpu, local_bytes) - fixed);
  *kernel = (uint64_t)(uintptr_t)k;
  return leave(pool, TF_OK);
}

// What Metal would run as nothing, and in silence.
static int32_t check_launch(Device* d, const TfLaunch* l, const Kernel* k) {
  Id pipeline = k->object;
  const uint32_t *g = l->grid, *b = l->group;
  Count threads = (Count)b[0] * b[1] * b[2], most = SEND(pipeline, max_threads), room = SEND(d->gpu, local_bytes);
  Count local = SEND(pipeline, static_local_bytes) + l->dynamic_local_bytes;
  uint32_t locals = 0;
  for (uint32_t i = 0; i < l->argument_count; i++) {
    const TfArgument* a = &l->arguments[i];
    if (a->kind == TF_LOCAL) local += a->bytes, locals++;
    if (a->kind == TF_BUFFER && a->value && !buffer_of(&d->held, a->value, 1))
      return fail(d, TF_BAD_ARGUMENT, "launch: argument %u lies in no buffer", i);
  }
  if (!threads || !g[0] || !g[1] || !g[2]) return fail(d, TF_BAD_ARGUMENT, "launch: it has no thread");
  if (threads > most) return fail(d, TF_BAD_ARGUMENT, "launch: %lu threads a group; the pipeline runs at most %lu", threads, most);
  if (local > room) return fail(d, TF_BAD_ARGUMENT, "launch: %lu bytes of threadgroup memory; the GPU has %lu", local, room);
  if (l->cluster > 1) return fail(d, TF_BAD_ARGUMENT, "launch: there are no clusters of groups in Metal");
  if (l->flags & TF_COOPERATIVE) return fail(d, TF_BAD_ARGUMENT, "launch: Metal does not promise that all groups are resident");
  if (l->argument_count - locals < k->buffers || (locals ? locals : l->dynamic_local_bytes > 0) < k->locals)
    return fail(d, TF_BAD_ARGUMENT, "launch: the kernel takes %u buffers and %u threadgroup arguments, not %u and %u", k->buffers,
      k->locals, l->argument_count - locals, locals);
  return TF_OK;
}

// Buffers and bytes are [[buffer(n)]] in their order, local memory is [[threadgroup(n)]] in its own.
static void set_arguments(const Device* d, const TfLaunch* l, Id encoder) {
  Count place = 0, local = 0;
  if (l->dynamic_local_bytes) SEND(encoder, set_local, (l->dynamic_local_bytes + 15) / 16 * 16, local++);
  for (uint32_t i = 0; i < l->argument_count; i++) {
    const TfArgument* a = &l->arguments[i];
    const Buffer* b = a->kind == TF_BUFFER && a->value ? buffer_of(&d->held, a->value, 1) : NULL;
    if (a->kind == TF_LOCAL) SEND(encoder, set_local, ((Count)a->bytes + 15) / 16 * 16, local++);
    else if (a->kind == TF_BYTES) SEND(encoder, set_bytes, &a->value, a->bytes, place++);
    else SEND(encoder, set_buffer, b ? b->object : NULL, b ? a->value - b->start : 0, place++);
  }
}

TF_EXPORT int32_t tf_launch(uint64_t device, const TfLaunch* launch) {
  Device* d;
  void* pool;
  const uint32_t *g = launch->grid, *b = launch->group;
  int32_t status = enter(device, &d, &pool);
  if (status) return status;
  const Kernel* k = kernel_of(&d->held, launch->kernel);
  status = k ? check_launch(d, launch, k) : fail(d, TF_BAD_ARGUMENT, "launch: no such kernel");
  if (status) return leave(pool, status);
  if (!d->commands) d->commands = SEND(SEND(d->queue, commands), retain);
  Id encoder = SEND(d->commands, encoder); // nothing answers nothing
  if (!encoder) return leave(pool, fail(d, TF_LOST, "the command queue gives no encoder"));
  SEND(encoder, set_pipeline, k->object);
  set_arguments(d, launch, encoder);
  SEND(encoder, dispatch, ((MtlSize){ g[0], g[1], g[2] }), ((MtlSize){ b[0], b[1], b[2] }));
  SEND(encoder, end_encoding);
  return leave(pool, TF_OK);
}

static int32_t run_commands(Device* d, uint64_t limit_ns) {
  uint64_t start = now_ns();
  Count at;
  SEND(d->commands, commit);
  while ((at = SEND(d->commands, status)) < COMMANDS_COMPLETED) {
    if (limit_ns && now_ns() - start > limit_ns) return hung(d, limit_ns);
    pause_since(start);
  }
  return at == COMMANDS_COMPLETED ? TF_OK : fail_commands(d);
}

TF_EXPORT int32_t tf_wait(uint64_t device, uint64_t limit_ns) {
  Device* d;
  void* pool;
  int32_t status = enter(device, &d, &pool);
  if (status || !d->commands) return leave(pool, status);
  status = run_commands(d, limit_ns);
  SEND(d->commands, release);
  d->commands = NULL;
  return leave(pool, status);
}

TF_EXPORT int32_t tf_close(uint64_t device) {
  Device* d = device_at(device);
  if (!d) return TF_BAD_ARGUMENT;
  void* pool = metal.objc_autoreleasePoolPush();
  while (d->held.modules) unload(d, d->held.modules);
  while (d->held.buffers) SEND((Id)drop_buffer(&d->held, d->held.buffers->start), release);
  if (d->commands) SEND(d->commands, release);
  SEND(d->queue, release);
  SEND(d->gpu, release);
  leave_device(d);
  return leave(pool, TF_OK);
}

TF_EXPORT int32_t tf_error(uint64_t device, char* text, uint64_t capacity) { return error_text(device, text, capacity); }
