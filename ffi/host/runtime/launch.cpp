// A launch: groups one after the other, or a cluster or a whole cooperative grid at once, in index order or a seeded
// one. Schedules 1 and 2 are seeded ones that rank warps.
#include "../switch.h"
#include "check.h"

namespace tf {

static tf_u32 group_threads(const TfLaunch* l) { return l->group[0] * l->group[1] * l->group[2]; }
static tf_u64 grid_groups(const TfLaunch* l) { return (tf_u64)l->grid[0] * l->grid[1] * l->grid[2]; }
static tf_u64 resident_groups(const TfLaunch* l) {
  return l->flags & TF_COOPERATIVE ? grid_groups(l) : l->cluster ? l->cluster : 1;
}

static int refuse(Device* d, const char* why) {
  Text(d->error, sizeof d->error) << "launch: " << why;
  return TF_BAD_ARGUMENT;
}

// A source that states its group is compiled for that group alone.
static int check_required(Device* d, const TfLaunch* l, const TfKernel* kernel) {
  const tf_u32* required = kernel->required;
  if (!required[0]) return TF_OK;
  if (l->group[0] == required[0] && l->group[1] == required[1] && l->group[2] == required[2]) return TF_OK;
  Text(d->error, sizeof d->error) << "launch: a group of " << l->group[0] << " x " << l->group[1] << " x "
    << l->group[2] << " threads, but " << kernel->name << " requires " << required[0] << " x " << required[1] << " x "
    << required[2];
  return TF_BAD_ARGUMENT;
}

static int check_shape(Device* d, const TfLaunch* l, const TfKernel* kernel) {
  for (int i = 0; i < 3; i++)
    if (!l->grid[i] || !l->group[i] || l->group[i] > THREADS_MAX)
      return refuse(d, "a grid and a group have no side of 0, and a group has no side past 1024");
  if (l->grid[1] > 65535 || l->grid[2] > 65535 || l->grid[0] > 0x7fffffff)
    return refuse(d, "a grid has at most 2147483647 x 65535 x 65535 groups");
  tf_u32 threads = group_threads(l);
  Text text(d->error, sizeof d->error);
  if (threads > THREADS_MAX) {
    text << "launch: a group has at most " << THREADS_MAX << " threads, this one has " << threads;
    return TF_BAD_ARGUMENT;
  }
  if (int status = check_required(d, l, kernel)) return status;
  if (kernel->max_threads && threads > kernel->max_threads) {
    text << "launch: " << threads << " threads a group, past the launch bound " << kernel->max_threads << " of "
         << kernel->name;
    return TF_BAD_ARGUMENT;
  }
  if (l->cluster > 16 || (l->cluster && l->grid[0] % l->cluster))
    return refuse(d, "a cluster has at most 16 groups and divides the grid's x");
  if (resident_groups(l) > STACKS || resident_groups(l) * threads > STACKS) {
    text << "launch: " << resident_groups(l) << " groups of " << threads << " threads must be resident at once; "
         << STACKS << " threads can";
    return TF_BAD_ARGUMENT;
  }
  return TF_OK;
}

static bool fits(tf_u32 parameter, const TfArgument* a, tf_u32 bytes) {
  switch (parameter) {
  case TF_PARAMETER_NONE: return true;
  case TF_PARAMETER_BUFFER: return a->kind == TF_BUFFER;
  case TF_PARAMETER_BYTES: return a->kind == TF_BYTES && a->bytes == bytes;
  case TF_PARAMETER_REFERENCE: return a->kind == TF_BUFFER || (a->kind == TF_BYTES && a->bytes == bytes);
  default: return a->kind == TF_LOCAL;
  }
}

static int check_arguments(Device* d, const TfLaunch* l, const TfKernel* kernel) {
  static const char* const NAMES[] = { "nothing", "a buffer", "bytes", "a buffer or bytes", "local memory" };
  static const char* const GIVEN[] = { "a buffer", "bytes", "local memory" };
  Text text(d->error, sizeof d->error);
  if (l->argument_count != kernel->parameter_count) {
    text << "launch: " << kernel->name << " takes " << kernel->parameter_count << " arguments, not "
         << l->argument_count;
    return TF_BAD_ARGUMENT;
  }
  tf_u64 local = l->dynamic_local_bytes;
  for (tf_u32 i = 0; i < l->argument_count; i++) {
    const TfArgument* a = &l->arguments[i];
    const TfParameter* p = &kernel->parameters[i];
    if (a->kind == TF_LOCAL) local += round_up(a->bytes, 16);
    if (fits(p->kind, a, p->bytes)) continue;
    text << "launch: argument " << i << " of " << kernel->name << " is " << NAMES[p->kind] << " of " << p->bytes
         << " bytes; given were " << GIVEN[a->kind < 3 ? a->kind : 1] << " of " << a->bytes;
    return TF_BAD_ARGUMENT;
  }
  if (local > LOCAL_MAX) return refuse(d, "a group has at most 256 KiB of local memory");
  return TF_OK;
}

int launch_check(Device* d, const TfLaunch* launch, const TfKernel* kernel) {
  int status = check_shape(d, launch, kernel);
  return status ? status : check_arguments(d, launch, kernel);
}

static bool grow(void** table, tf_u32* capacity, tf_u32 need, tf_u64 each) {
  if (need <= *capacity) return true;
  void* pages = os_pages(need * each);
  if (!pages) return false;
  if (*table) os_unmap(*table, *capacity * each);
  *table = pages;
  *capacity = need;
  return true;
}

static tf_u64 local_argument_bytes(const Device* d, const TfArgument& a) {
  return round_up(a.bytes, 16) + (d->checking ? PLACE_GAP : 0);
}

// Bytes of dynamic local memory, the local arguments first.
static tf_u64 dynamic_bytes(const Device* d, const Queued* q) {
  tf_u64 bytes = round_up(q->launch.dynamic_local_bytes, 16);
  for (tf_u32 i = 0; i < q->launch.argument_count; i++)
    if (q->arguments[i].kind == TF_LOCAL) bytes += local_argument_bytes(d, q->arguments[i]);
  return bytes;
}

// One pointer a parameter. Local arguments lie at the start of the (only) resident group's dynamic part.
static void place_arguments(Device* d, const Queued* q) {
  char* local = arena_end(d, 0) - dynamic_bytes(d, q);
  for (tf_u32 i = 0; i < q->launch.argument_count; i++) {
    const TfArgument* a = &q->arguments[i];
    d->argument_values[i] = a->value;
    if (a->kind == TF_LOCAL) {
      d->argument_values[i] = (tf_u64)local;
      if (d->checking) check_place(d, local, a->bytes, "", nullptr, i);
      local += local_argument_bytes(d, *a);
    }
    bool by_address = q->kernel->entry->parameters[i].kind == TF_PARAMETER_REFERENCE && a->kind == TF_BUFFER;
    d->argument_pointers[i] = by_address ? (void*)a->value : &d->argument_values[i];
  }
  tf_u32 dynamic = q->launch.dynamic_local_bytes;
  if (d->checking && dynamic) check_place(d, arena_end(d, 0) - round_up(dynamic, 16), dynamic, "of the launch", "", 0);
}

static void prepare_warp(TfWarp* warp, TfGroup* group, tf_u32 index) {
  tf_u32 rest = group->threads - index * group->warp_width, lanes = rest < group->warp_width ? rest : group->warp_width;
  warp->group = group;
  warp->index = index;
  warp->full = lanes == 64 ? ~0ull : (1ull << lanes) - 1;
  meetings_reset(warp);
}

// What is the same for every group that takes this place.
static void prepare_group(Device* d, tf_u32 place, const Queued* q) {
  const TfLaunch* l = &q->launch;
  TfGroup* g = &d->groups[place];
  tf_u32 cluster = l->cluster ? l->cluster : 1;
  memset(g, 0, sizeof *g);
  g->grid_x = l->grid[0], g->grid_y = l->grid[1], g->grid_z = l->grid[2];
  g->size_x = l->group[0], g->size_y = l->group[1], g->size_z = l->group[2];
  g->threads = group_threads(l);
  g->warp_width = q->kernel->entry->warp_width;
  g->warp_count = (g->threads + g->warp_width - 1) / g->warp_width;
  g->rank = place % cluster;
  g->cluster_size = cluster;
  g->cluster_first = &d->groups[place - g->rank];
  g->grid = &d->wide_barriers[0];
  g->cluster = &d->wide_barriers[1 + place / cluster];
  tf_u64 dynamic = dynamic_bytes(d, q);
  g->local_top = arena_end(d, place) - dynamic;
  g->dynamic = arena_end(d, place) - round_up(l->dynamic_local_bytes, 16);
  g->warps = d->warps + (tf_u64)place * g->warp_count;
  for (tf_u32 i = 0; i < g->warp_count; i++) prepare_warp(&g->warps[i], g, i);
}

static int prepare(Device* d, Queued* q) {
  const TfLaunch* l = &q->launch;
  tf_u32 groups = (tf_u32)resident_groups(l), width = q->kernel->entry->warp_width;
  tf_u32 warps = (group_threads(l) + width - 1) / width * groups;
  if (!grow((void**)&d->groups, &d->group_capacity, groups, sizeof(TfGroup)) ||
      !grow((void**)&d->warps, &d->warp_capacity, warps, sizeof(TfWarp)) || !arenas_reserve(d, groups)) {
    report(d) << "no memory for " << groups << " resident groups";
    return TF_NO_MEMORY;
  }
  if (!++d->launch) d->launch = 1;
  d->checking = q->module->image->flags & TF_IMAGE_CHECK;
  d->random = l->schedule * 0x9e3779b97f4a7c15ull ^ 0x2545f4914f6cdd1dull;
  if (!d->random) d->random = 1;
  for (int i = 0; i < 8; i++) next_random(d);
  d->seeded = l->schedule != 0;
  d->ranked = l->schedule == 1 || l->schedule == 2;
  d->descending = l->schedule == 2;
  d->order = d->seeded ? d->order_buffer : nullptr;
  d->group_count = groups;
  d->warp_total = warps;
  d->warp_shift = (tf_u32)__builtin_ctz(width);
  d->wide = l->cluster || l->flags & TF_COOPERATIVE;
  d->leaves = !(q->module->image->flags & TF_IMAGE_STRICT_EXIT);
  d->kernel = q->kernel->entry;
  d->local_used = d->variable_count = 0;
  if (d->checking && !check_begin(d, q)) {
    report(d) << "no memory for the shadow of what the launch may write";
    return TF_NO_MEMORY;
  }
  place_arguments(d, q);
  for (tf_u32 i = 0; i < groups; i++) prepare_group(d, i, q);
  if (!steps_prepare(d)) {
    report(d) << "no memory for the frames of " << d->groups->threads << " threads";
    return TF_NO_MEMORY;
  }
  return TF_OK;
}

static void begin_group(Device* d, TfGroup* g, tf_u64 index) {
  g->linear = index;
  g->votes = 0;
  g->x = (tf_u32)(index % g->grid_x);
  g->y = (tf_u32)(index / g->grid_x % g->grid_y);
  g->z = (tf_u32)(index / ((tf_u64)g->grid_x * g->grid_y));
  g->barrier = { g->threads, 0, 0, nullptr, nullptr };
  for (tf_u32 i = 0; i < g->warp_count; i++) {
    g->warps[i].live = g->warps[i].full;
    g->warps[i].ready = nullptr;
  }
  local_poison(d, g);
}

// Runs the resident groups, the first of which has this index, to their end.
static int run_resident(Device* d, tf_u64 first) {
  tf_u32 threads = d->groups->threads, cluster = d->groups->cluster_size;
  for (tf_u32 i = 0; i < d->group_count; i++) begin_group(d, &d->groups[i], first + i);
  d->total = d->live = threads * d->group_count;
  d->started = 0;
  d->ready_head = d->ready_tail = nullptr;
  d->first_ready = d->warp_total;
  for (tf_u32 i = 0; i <= d->group_count / cluster; i++)
    d->wide_barriers[i] = { i ? threads * cluster : d->total, 0, 0, nullptr, nullptr };
  if (d->seeded) order_threads(d);
  if (d->checking) check_resident(d);
  if (d->in_steps && (steps_run_group(d) || d->status)) {
    if (d->checking) check_left(d);
    return d->status;
  }
  for (;;) {
    run_another_from_main(d);
    if (d->checking && !d->live) check_left(d);
    if (d->status || !d->live) return d->status;
    if (meetings_settle(d)) continue;
    report_deadlock(d);
    return d->status = TF_DIVERGENCE;
  }
}

static tf_u64 common_divisor(tf_u64 a, tf_u64 b) {
  while (b) {
    tf_u64 rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

// Groups in the order first, first + step, ... modulo their number: 0 and 1, or seeded.
static int run_grid(Device* d) {
  tf_u64 batches = grid_groups(&d->running->launch) / d->group_count, first = 0, step = 1;
  if (d->seeded && batches > 1) {
    first = next_random(d) % batches;
    do step = 1 + next_random(d) % batches;
    while (common_divisor(step, batches) != 1);
  }
  tf_u64 batch = first;
  for (tf_u64 i = 0; i < batches && !d->status; i++) {
    if (d->late) {
      report(d) << "time limit: " << i * d->group_count << " of " << batches * d->group_count << " groups had run";
      return d->status = TF_TIMEOUT;
    }
    run_resident(d, batch * d->group_count);
    batch = (batch + step) % batches;
  }
  return d->status;
}

int launch_run(Device* d, Queued* q) {
  d->running = q;
  d->fault.thread = nullptr;
  d->status = prepare(d, q);
  if (!d->status) {
    if (TfUlps* ulps = q->module->image->ulps) *ulps = { q->launch.ulps, 0, { 0, 0 } };
    tf_u64 control = os_float_control(q->launch.flags & TF_FLUSH_DENORMALS);
    run_grid(d);
    os_float_restore(control);
    if (d->fault.thread) report_fault(d);
    if (d->status) stacks_reset(d);
    if (d->checking) check_end(d); // may yet fail it
  }
  d->checking = false;
  d->running = nullptr;
  return d->status;
}

} // namespace tf
