// Local memory. A group's arena ends at an inaccessible page: the dynamic part lies against it, static variables below,
// in the order of their first use, at the same places in every group of a launch, so that clusters can address each
// other's.
#include "check.h"

namespace tf {

void arenas_free(Device* d) {
  if (d->arenas) os_unmap(d->arenas, d->arena_count * ARENA_STRIDE + PAGE);
}

bool arenas_reserve(Device* d, tf_u32 groups) {
  if (groups <= d->arena_count) return true;
  char* arenas = os_reserve(groups * ARENA_STRIDE + PAGE);
  if (!arenas) return false;
  for (tf_u32 i = 0; i < groups; i++)
    if (!os_commit(arenas + PAGE + i * ARENA_STRIDE, LOCAL_MAX)) return false;
  arenas_free(d);
  d->arenas = arenas;
  d->arena_count = groups;
  return true;
}

char* arena_end(Device* d, tf_u32 group) { return d->arenas + (group + 1) * ARENA_STRIDE; }

static void fill(Device* d, char* from, char* to) {
  tf_u32 word = d->running->launch.local_poison;
  for (; from + 4 <= to; from += 4) memcpy(from, &word, 4);
}

void local_poison(Device* d, TfGroup* group) {
  fill(d, group->local_top - round_up(d->local_used, 16), arena_end(d, (tf_u32)(group - d->groups)));
}

char* local_place(TfThread* thread, TfLocalVariable* v) {
  Device* d = device_of(thread);
  TfGroup* group = thread->group;
  char* lowest = arena_end(d, (tf_u32)(group - d->groups)) - LOCAL_MAX;
  tf_u64 gap = d->checking ? PLACE_GAP : 0;
  char* start = (char*)((tf_address)(group->local_top - d->local_used - gap - v->bytes) & ~((tf_address)v->align - 1));
  if (d->local_used + gap + v->bytes > LOCAL_MAX || start < lowest || d->variable_count == VARIABLES_MAX)
    stop_fault(thread, "local memory: more than 256 KiB, or 64 variables, a group", tf_site(v->file, v->line));
  tf_u64 before = d->local_used;
  d->local_used = (tf_u64)(group->local_top - start);
  d->variables[d->variable_count++] = v;
  for (tf_u32 g = 0; g < d->group_count; g++)
    fill(d, d->groups[g].local_top - d->local_used, d->groups[g].local_top - before);
  Kernel* kernel = d->running->kernel;
  if (kernel->static_local_bytes < d->local_used) kernel->static_local_bytes = (tf_u32)d->local_used;
  if (d->checking) check_place(d, d->groups->local_top - d->local_used, v->bytes, v->name, v->file, v->line);
  v->offset = (tf_u32)d->local_used;
  v->launch = d->launch;
  return start;
}

} // namespace tf
