// Contexts, memory and modules.
#include "emulator.h"
#include "state.h"
#include <dlfcn.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>

namespace emulator {

Host host;
State state;
static const Chip* own_chip;
static bool initialised;
static __thread Context* current;

// The host device's runtime lies beside this library.
static bool open_host() {
  Dl_info own;
  char path[4096];
  if (!dladdr((void*)&open_host, &own)) return false;
  const char* end = strrchr(own.dli_fname, '/');
  snprintf(path, sizeof path, "%.*s/runtime.so", end ? (int)(end - own.dli_fname) : 1, end ? own.dli_fname : ".");
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) return note("broken", "%s", dlerror()), false;
  static const char* const NAMES[] = { "tf_open", "tf_close", "tf_alloc", "tf_free", "tf_load", "tf_unload", "tf_kernel",
    "tf_launch", "tf_wait", "tf_error" };
  void** places = (void**)&host;
  for (const char* name : NAMES) *places++ = dlsym(library, name);
  return true;
}

Code initialise(const Chip* chip) {
  if (!host.open && !open_host()) return NO_DEVICE;
  if (live_contexts() == 0 && plan_read()) state = {};
  own_chip = chip;
  if (planned("no-device", 0) || told_by_other("gone: ")) return NO_DEVICE;
  initialised = true;
  return OK;
}

const Chip* chip() { return own_chip; }

int device_count() {
  const char* count = getenv("TF_EMULATE_DEVICES");
  return count && *count ? atoi(count) : 1;
}

Code tell(Context* context) {
  context->told = true;
  return context->dead;
}

// What ends before the context does: the process's own state first.
static Code health(Context* context) {
  if (context && !context->dead && state.gone) context->dead = GONE;
  if (context && !context->dead && state.poisoned) context->dead = ILLEGAL_ADDRESS;
  if (context && context->dead) {
    if (context->told) violation("called after the context was lost");
    return tell(context);
  }
  return state.gone ? NO_DEVICE : state.poisoned ? ILLEGAL_ADDRESS : OK;
}

Code begin(bool needs_context, Context** context) {
  if (!initialised) return violation("called before the driver is initialised"), NOT_INITIALISED;
  if (!needs_context) return health(nullptr);
  *context = current;
  if (!current) return violation("no context is this thread's"), NO_CONTEXT;
  if (!object_of(current, CONTEXT)) return NO_CONTEXT;
  return health(current);
}

Code create_context(int device, Context** context) {
  if (device < 0 || device >= device_count()) return violation("there is no device %d", device), BAD_DEVICE;
  uint64_t opened = 0;
  if (host.open(0, &opened)) return NO_MEMORY;
  Context* made = (Context*)new_object(CONTEXT, nullptr);
  made->device = device;
  made->host = opened;
  current = *context = made;
  note("open", "device %d", device);
  return OK;
}

Code destroy_context(Context* context) {
  char text[128];
  if (!object_of(context, CONTEXT)) return NO_CONTEXT;
  if (!context->dead && !context->hung && context->waiting) violation("a launch is queued that nothing waited for");
  int left = sweep(context, text, sizeof text);
  if (left && !context->dead && !context->hung) note("leak", "%s", text);
  host.close(context->host);
  context->live = false;
  if (current == context) current = nullptr;
  note("close", "device %d", context->device);
  return context->dead;
}

bool is_stuck() { return state.stuck; }

Context* current_context() { return current; }

Code set_current(Context* context) {
  if (context && !object_of(context, CONTEXT)) return NO_CONTEXT;
  current = context;
  return OK;
}

Code allocate(Context* context, uint64_t bytes, uint64_t* address) {
  if (!bytes) return BAD_VALUE;
  if (planned("oom", ++state.allocations)) return NO_MEMORY;
  if (bytes > own_chip->memory_bytes || host.alloc(context->host, bytes, address)) return NO_MEMORY;
  if (add_buffer(context, *address, bytes)) return OK;
  host.free(context->host, *address);
  return NO_MEMORY;
}

Code release(Context* context, uint64_t address) {
  Code code = settle(context);
  if (code) return code;
  Buffer* buffer = buffer_holding(address, 1);
  if (!buffer || buffer->address != address) return violation("no buffer starts at 0x%llx", address_of(address)), BAD_VALUE;
  if (buffer->owner != context) return violation("the buffer is another context's"), BAD_VALUE;
  drop_buffer(buffer);
  host.free(context->host, address);
  return OK;
}

static Code check_range(Context* context, uint64_t address, uint64_t bytes) {
  Code code = settle(context);
  if (code) return code;
  Buffer* buffer = buffer_holding(address, bytes);
  if (buffer && buffer->owner == context) return OK;
  violation("%llu bytes at 0x%llx lie in no buffer", address_of(bytes), address_of(address));
  return BAD_VALUE;
}

Code write(Context* context, uint64_t address, const void* from, uint64_t bytes) {
  Code code = check_range(context, address, bytes);
  if (!code) memcpy((void*)address, from, bytes);
  return code;
}

Code read(Context* context, void* to, uint64_t address, uint64_t bytes) {
  Code code = check_range(context, address, bytes);
  if (!code) memcpy(to, (const void*)address, bytes);
  return code;
}

Code fill(Context* context, uint64_t address, uint32_t word, unsigned width, uint64_t count) {
  Code code = check_range(context, address, count * width);
  if (code) return code;
  if (address % width) return violation("0x%llx is no multiple of %u", address_of(address), width), BAD_VALUE;
  if (!count) return violation("a fill of nothing"), BAD_VALUE;
  if (width == 1) memset((void*)address, (int)word, count);
  else
    for (uint64_t i = 0; i < count; i++) ((uint32_t*)address)[i] = word;
  return OK;
}

// Drivers are not told where an image ends; its headers say so.
static uint64_t image_bytes(const void* image) {
  Elf64_Ehdr header;
  memcpy(&header, image, sizeof header);
  bool elf = memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64;
  return elf ? header.e_shoff + (uint64_t)header.e_shentsize * header.e_shnum : 0;
}

Code load(Context* context, const void* image, Module** module, char* log, size_t capacity) {
  uint64_t loaded = 0, bytes = image_bytes(image);
  if (planned("reject-image", ++state.images)) {
    snprintf(log, capacity, "error: the emulated driver refuses image %llu", address_of(state.images));
    return BAD_IMAGE;
  }
  if (!bytes) return snprintf(log, capacity, "error: the image is no ELF file"), BAD_IMAGE;
  if (host.load(context->host, image, bytes, &loaded)) return host.error(context->host, log, capacity), BAD_IMAGE;
  *module = (Module*)new_object(MODULE, context);
  (*module)->host = loaded;
  return OK;
}

Code unload(Context* context, Module* module) {
  if (!object_of(module, MODULE)) return BAD_HANDLE;
  if (context->waiting) violation("a launch is queued that nothing waited for");
  Code code = settle(context);
  if (code) return code;
  module->live = false;
  return host.unload(context->host, module->host) ? UNKNOWN : OK;
}

Code find_function(Context* context, Module* module, const char* symbol, Function** function) {
  uint64_t kernel = 0;
  char text[1024];
  if (!object_of(module, MODULE)) return BAD_HANDLE;
  if (host.kernel(context->host, module->host, symbol, &kernel, text, sizeof text)) return NOT_FOUND;
  Function* made = (Function*)new_object(FUNCTION, context);
  made->module = module;
  made->kernel = (const tf::Kernel*)kernel;
  made->dynamic_bytes = own_chip->local_bytes;
  snprintf(made->symbol, sizeof made->symbol, "%s", symbol);
  *function = made;
  return OK;
}

} // namespace emulator
