// Stacks of 64 KiB, each with an inaccessible page below it. A stack runs one thread after another; a thread that
// returns without blocking leaves its warm stack to the next.
#include "../switch.h"
#include "device.h"

namespace tf {

// The bottom of every stack: the body of the kernel that runs now. It returns when that changes.
[[noreturn]] static void stack_main() {
  TfThread* thread = tf_self();
  Device* d = device_of(thread);
  for (;;) {
    thread->kernel = d->kernel;
    if (d->kernel->whole) steps_body(thread, d->arguments);
    else d->kernel->body(thread, d->arguments);
  }
}

// Equal depths of stacks 64 KiB apart would share one set of the first-level cache, so each starts at a colour of its
// own.
static char* stack_top(Device* d, tf_u32 slot) {
  constexpr tf_u32 COLOURS = 32, LINE = 64;
  return d->region + ((tf_u64)(slot + 1) << TF_STACK_SHIFT) - slot * 5 % COLOURS * LINE;
}

static void stack_reset(Device* d, tf_u32 slot) {
  TfThread* thread = context_at(d, slot);
  char* top = stack_top(d, slot) - 16;
#if defined(__x86_64__)
  top -= 8; // as if called: the return address lies there
  *(void**)top = nullptr;
#endif
  thread->sp = top;
  thread->pc = (void*)stack_main;
  thread->fp = thread->base = nullptr;
  thread->group = nullptr;
  thread->schedule = d;
  thread->slot = slot;
}

bool stacks_open(Device* d) {
  d->region = os_reserve_aligned(REGION_BYTES);
  return d->region && os_commit(d->region, (tf_u64)FIRST_SLOT << TF_STACK_SHIFT);
}

TfThread* stack_new(Device* d) {
  constexpr tf_u32 BATCH = 32;
  if (d->made == STACKS) return nullptr;
  tf_u32 slot = FIRST_SLOT + d->made;
  if (d->made % BATCH == 0) {
    tf_u32 count = STACKS - d->made < BATCH ? STACKS - d->made : BATCH;
    char* start = d->region + ((tf_u64)slot << TF_STACK_SHIFT);
    for (tf_u32 i = 0; i < count; i++)
      if (!os_commit(start + i * STACK_BYTES + PAGE, STACK_BYTES - PAGE)) return nullptr;
  }
  stack_reset(d, slot);
  d->made++;
  return context_at(d, slot);
}

void stacks_reset(Device* d) {
  d->idle = nullptr;
  for (tf_u32 i = d->made; i-- > 0;) {
    stack_reset(d, FIRST_SLOT + i);
    TfThread* thread = context_at(d, FIRST_SLOT + i);
    thread->next = d->idle;
    d->idle = thread;
  }
}

} // namespace tf
