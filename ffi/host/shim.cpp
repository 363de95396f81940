// The C ABI of ffi/shim.h over the host device's runtime.
#include "dialect/simt/schedule.h"
#include "runtime/check.h"

using namespace tf;

// Every image has a copy; this one is for kernels in steps, which wait in the runtime.
TfRuntime tf_runtime = { barrier_arrive, queue_leave, queue_finish, queue_idle, meeting_of_mask, meeting_arrive,
  meeting_arrive_active, local_place, queue_yield, stop_fault, stop_outside, access_load, access_store,
  access_load_half, access_store_half, access_load_word, access_store_word, turns_load, turns_store, access_touch, access_atomic_begin, access_atomic_end, access_fence, access_misaligned, check_met, check_passed };

namespace tf {

static char open_error[256]; // the registry's, as the registry is the process's

static Device* find_device(uint64_t handle) {
  for (Device* d : registry)
    if (handle && (uint64_t)d == handle) return d;
  return nullptr;
}

static int fail(Device* d, int status, const char* what) {
  report(d) << what;
  return status;
}

static Module* find_module(Device* d, uint64_t handle) {
  for (Module* m = d->modules; m; m = m->next)
    if ((uint64_t)m == handle) return m;
  return nullptr;
}

static Module* find_kernel(Device* d, uint64_t handle) {
  for (Module* m = d->modules; m; m = m->next)
    if (handle - (uint64_t)m->kernels < m->kernel_count * sizeof(Kernel)) return m;
  return nullptr;
}

static Device* new_device() {
  Device* d = (Device*)os_pages(sizeof(Device));
  if (!d) return nullptr;
  d->queue = (Queued*)os_pages(QUEUE_MAX * sizeof(Queued));
  d->order_buffer = (tf_u32*)os_pages(STACKS * sizeof(tf_u32));
  d->shuffle = (TfThread**)os_pages(STACKS * sizeof(TfThread*));
  d->wide_barriers = (TfBarrier*)os_pages((STACKS + 1) * sizeof(TfBarrier));
  d->arguments = d->argument_pointers;
  bool whole = d->queue && d->order_buffer && d->shuffle && d->wide_barriers;
  return whole && stacks_open(d) && memory_open(&d->memory) ? d : nullptr;
}

static void delete_device(Device* d) {
  while (d->modules) module_unload(d, d->modules);
  timer_close(d);
  check_close(d);
  os_unmap(d->memory.space, SPACE_BYTES);
  os_unmap(d->memory.buffers, BUFFERS_MAX * sizeof(Buffer));
  os_unmap(d->region, REGION_BYTES);
  arenas_free(d);
  if (d->groups) os_unmap(d->groups, d->group_capacity * sizeof(TfGroup));
  if (d->warps) os_unmap(d->warps, d->warp_capacity * sizeof(TfWarp));
  if (d->lanes) os_unmap(d->lanes, THREADS_MAX * sizeof(TfThread));
  if (d->frames) os_unmap(d->frames, d->frames_capacity);
  os_unmap(d->queue, QUEUE_MAX * sizeof(Queued));
  os_unmap(d->order_buffer, STACKS * sizeof(tf_u32));
  os_unmap(d->shuffle, STACKS * sizeof(TfThread*));
  os_unmap(d->wide_barriers, (STACKS + 1) * sizeof(TfBarrier));
  d->region = nullptr; // the device's own page stays: a signal handler of another thread may be looking at it
}

} // namespace tf

extern "C" {

TF_EXPORT uint32_t tf_abi_version(void) { return TF_ABI_VERSION; }

TF_EXPORT int32_t tf_open(uint32_t index, uint64_t* device) {
  if (index != 0) {
    Text(open_error, sizeof open_error) << "the host device has one index, 0";
    return TF_ABSENT;
  }
  Device* d = new_device();
  for (Device* volatile& place : registry) {
    Device* none = nullptr;
    if (!d || !__atomic_compare_exchange_n(&place, &none, d, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) continue;
    *device = (uint64_t)d;
    return TF_OK;
  }
  Text(open_error, sizeof open_error) << (d ? "64 host devices are open" : "no address space for a host device");
  if (d) delete_device(d);
  return TF_NO_MEMORY;
}

TF_EXPORT int32_t tf_info(uint64_t device, char* text, uint64_t capacity) {
  if (!find_device(device)) return TF_BAD_ARGUMENT;
#if defined(__x86_64__)
  const char* processor = "x86-64";
#else
  const char* processor = "arm64";
#endif
  Text(text, capacity) << "{\"name\":\"host\",\"driver\":\"" << processor << "\",\"max_threads\":" << THREADS_MAX
    << ",\"local_bytes\":" << LOCAL_MAX << ",\"resident_threads\":" << STACKS << "}";
  return TF_OK;
}

TF_EXPORT int32_t tf_alloc(uint64_t device, uint64_t bytes, uint64_t* buffer) {
  Device* d = find_device(device);
  if (!d) return TF_BAD_ARGUMENT;
  Buffer* b = memory_alloc(&d->memory, bytes);
  if (b) {
    *buffer = (uint64_t)b->start;
    return TF_OK;
  }
  report(d) << "no memory for a buffer of " << (tf_u64)bytes << " bytes";
  return TF_NO_MEMORY;
}

TF_EXPORT int32_t tf_free(uint64_t device, uint64_t buffer) {
  Device* d = find_device(device);
  if (!d) return TF_BAD_ARGUMENT;
  return memory_free(&d->memory, buffer) ? TF_OK : fail(d, TF_BAD_ARGUMENT, "free: no buffer starts at this address");
}

TF_EXPORT int32_t tf_upload(uint64_t device, uint64_t address, const void* from, uint64_t bytes) {
  Device* d = find_device(device);
  if (!d) return TF_BAD_ARGUMENT;
  if (!memory_holding(&d->memory, address, bytes))
    return fail(d, TF_BAD_ARGUMENT, "upload: past the end of a buffer, or in none");
  memcpy((void*)address, from, bytes);
  return TF_OK;
}

TF_EXPORT int32_t tf_download(uint64_t device, uint64_t address, void* to, uint64_t bytes) {
  Device* d = find_device(device);
  if (!d) return TF_BAD_ARGUMENT;
  if (!memory_holding(&d->memory, address, bytes))
    return fail(d, TF_BAD_ARGUMENT, "download: past the end of a buffer, or in none");
  memcpy(to, (const void*)address, bytes);
  return TF_OK;
}

TF_EXPORT int32_t tf_fill(uint64_t device, uint64_t address, uint32_t word, uint64_t bytes) {
  Device* d = find_device(device);
  if (!d) return TF_BAD_ARGUMENT;
  if (!memory_holding(&d->memory, address, bytes))
    return fail(d, TF_BAD_ARGUMENT, "fill: past the end of a buffer, or in none");
  uint64_t i = 0;
  for (; i + 4 <= bytes; i += 4) memcpy((char*)address + i, &word, 4);
  memcpy((char*)address + i, &word, bytes - i);
  return TF_OK;
}

TF_EXPORT int32_t tf_load(uint64_t device, const void* image, uint64_t bytes, uint64_t* module) {
  Device* d = find_device(device);
  if (!d) return TF_BAD_ARGUMENT;
  Module* m = nullptr;
  int status = module_load(d, image, bytes, &m);
  *module = (uint64_t)m;
  return status;
}

TF_EXPORT int32_t tf_unload(uint64_t device, uint64_t module) {
  Device* d = find_device(device);
  if (!d) return TF_BAD_ARGUMENT;
  Module* m = find_module(d, module);
  if (!m) return fail(d, TF_BAD_ARGUMENT, "unload: no such module");
  for (uint32_t i = 0; i < d->queued; i++)
    if (d->queue[i].module == m)
      return fail(d, TF_BAD_ARGUMENT, "unload: a launch of this module is queued; wait first");
  module_unload(d, m);
  return TF_OK;
}

TF_EXPORT int32_t tf_kernel(
    uint64_t device, uint64_t module, const char* symbol, uint64_t* kernel, char* text, uint64_t capacity) {
  Device* d = find_device(device);
  Module* m = d ? find_module(d, module) : nullptr;
  if (!d) return TF_BAD_ARGUMENT;
  if (!m) return fail(d, TF_BAD_ARGUMENT, "kernel: no such module");
  for (uint32_t i = 0; i < m->kernel_count; i++) {
    Kernel* k = &m->kernels[i];
    if (!same_text(k->entry->name, symbol)) continue;
    *kernel = (uint64_t)k;
    Text list(text, capacity);
    list << "{\"max_threads\":" << k->entry->max_threads
      << ",\"warp\":" << k->entry->warp_width << ",\"required_warp\":" << k->entry->required_warp
      << ",\"static_local_bytes\":" << k->static_local_bytes
      << ",\"arguments\":" << k->entry->parameter_count << ",\"functions\":[";
    const TfUlps* ulps = m->image->ulps;
    for (int j = 0; ulps && j < 4; j++) list << (j ? "," : "") << (tf_u32)(ulps->used[j / 2] >> 32 * (j % 2));
    list << "]}";
    return TF_OK;
  }
  Text message = report(d);
  message << "the image has no kernel " << symbol << "; it has";
  for (uint32_t i = 0; i < m->kernel_count; i++) message << (i ? ", " : " ") << m->kernels[i].entry->name;
  return TF_BAD_ARGUMENT;
}

// What a launch of a check image alone is asked.
static int check_extents(Device* d, const TfLaunch* l, const Module* m) {
  if (l->extent_count > EXTENTS_MAX) return fail(d, TF_BAD_ARGUMENT, "launch: more than 64 extents");
  for (uint32_t i = 0; i < l->extent_count; i++)
    if (!memory_holding(&d->memory, l->extents[i].address, l->extents[i].bytes))
      return fail(d, TF_BAD_ARGUMENT, "launch: an extent reaches past its buffer, or lies in none");
  uint64_t groups = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
  if (m->image->flags & TF_IMAGE_CHECK && groups > CHECKED_GROUPS)
    return fail(d, TF_BAD_ARGUMENT, "launch: a check image runs at most 2097152 groups");
  return TF_OK;
}

TF_EXPORT int32_t tf_launch(uint64_t device, const TfLaunch* launch) {
  Device* d = find_device(device);
  if (!d) return TF_BAD_ARGUMENT;
  Module* m = find_kernel(d, launch->kernel);
  if (!m) return fail(d, TF_BAD_ARGUMENT, "launch: no such kernel");
  if (d->queued == QUEUE_MAX) return fail(d, TF_BAD_ARGUMENT, "launch: 1024 launches are queued; wait first");
  Kernel* k = (Kernel*)launch->kernel;
  int status = launch_check(d, launch, k->entry);
  if (!status) status = check_extents(d, launch, m);
  if (status) return status;
  Queued* q = &d->queue[d->queued++];
  q->launch = *launch;
  q->module = m;
  q->kernel = k;
  for (uint32_t i = 0; i < launch->argument_count; i++) q->arguments[i] = launch->arguments[i];
  for (uint32_t i = 0; i < launch->extent_count; i++) q->extents[i] = launch->extents[i];
  return TF_OK;
}

TF_EXPORT int32_t tf_wait(uint64_t device, uint64_t limit_ns) {
  Device* d = find_device(device);
  if (!d) return TF_BAD_ARGUMENT;
  int status = TF_OK;
  signals_enter(d, limit_ns);
  for (uint32_t i = 0; i < d->queued && !status; i++) status = launch_run(d, &d->queue[i]);
  timer_stop(d);
  d->queued = 0; // what a failed launch had queued behind it does not run
  return status;
}

TF_EXPORT int32_t tf_close(uint64_t device) {
  Device* d = find_device(device);
  if (!d) return TF_BAD_ARGUMENT;
  for (Device* volatile& place : registry)
    if (place == d) __atomic_store_n(&place, nullptr, __ATOMIC_RELEASE);
  delete_device(d);
  return TF_OK;
}

TF_EXPORT int32_t tf_error(uint64_t device, char* text, uint64_t capacity) {
  Device* d = find_device(device);
  Text(text, capacity) << (d ? d->error : open_error);
  return d || !device ? TF_OK : TF_BAD_ARGUMENT;
}
}
