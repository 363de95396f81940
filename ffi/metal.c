// The C ABI of ffi/shim.h over Metal, by the Objective-C runtime: no SDK and no block is needed.
#include "metal_device.h"

TF_EXPORT uint32_t tf_abi_version(void) { return TF_ABI_VERSION; }

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
  char chip[64], driver[160];
  int32_t status = enter(device, &d, &pool);
  if (status) return status;
  const char* name = words(SEND(d->gpu, name));
  chip_name(name, chip);
  Id process = SEND(metal.objc_getClass("NSProcessInfo"), process_info);
  snprintf(driver, sizeof driver, "Metal, macOS %s", words(SEND(process, system_version)));
  MtlSize most = largest_group(d->gpu);
  Count local = SEND(d->gpu, local_bytes);
  // The product of a group's sides is at most the largest of them: the feature set tables' "maximum threads per threadgroup".
  Info info = { .name = name, .driver = driver, .chip = chip, .max_threads = most.width,
    .max_group = { most.width, most.height, most.depth }, .local_bytes = local, .local_bytes_optin = local,
    .memory_bytes = SEND(d->gpu, memory_bytes) };
  return leave(pool, write_info(&info, text, capacity));
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
  return leave(pool, fail(d, TF_NO_MEMORY, NO_HOST_MEMORY));
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
  return leave(pool, fail(d, TF_NO_MEMORY, NO_HOST_MEMORY));
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
  int64_t fixed = (int64_t)SEND(pipeline, static_local_bytes);
  Attributes own = { .max_threads = (int64_t)SEND(pipeline, max_threads), .static_local_bytes = fixed, .arguments = UNTOLD,
    .registers = UNTOLD, .spill_bytes = UNTOLD, .warp = (int64_t)SEND(pipeline, width), .required_warp = UNTOLD,
    .max_dynamic_local_bytes = (int64_t)SEND(d->gpu, local_bytes) - fixed };
  *kernel = (uint64_t)(uintptr_t)k;
  return leave(pool, write_attributes(&own, text, capacity));
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
  while ((at = SEND(d->commands, status)) < COMMANDS_COMPLETED)
    if (!may_run_on(start, limit_ns)) return hung(d, limit_ns);
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
