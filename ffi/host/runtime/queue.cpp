// Which thread runs next. Without a seed: first in, first out. With one, threads that are released together come in a
// shuffled order, and new threads start between them.
#include "../dialect/simt/schedule.h"
#include "device.h"

namespace tf {

tf_u64 next_random(Device* d) { // xorshift64*
  tf_u64 x = d->random;
  x ^= x >> 12;
  x ^= x << 25;
  x ^= x >> 27;
  d->random = x;
  return (x * 0x2545f4914f6cdd1dull) >> 32;
}

static void shuffle(Device* d, TfThread*& head, TfThread*& tail) {
  tf_u32 count = 0;
  for (TfThread* t = head; t; t = t->next) d->shuffle[count++] = t;
  for (tf_u32 i = count; i > 1; i--) {
    tf_u32 j = (tf_u32)(next_random(d) % i);
    TfThread* t = d->shuffle[i - 1];
    d->shuffle[i - 1] = d->shuffle[j];
    d->shuffle[j] = t;
  }
  for (tf_u32 i = 0; i + 1 < count; i++) d->shuffle[i]->next = d->shuffle[i + 1];
  head = d->shuffle[0];
  tail = d->shuffle[count - 1];
  tail->next = nullptr;
}

void release(Device* d, TfThread* head, TfThread* tail) {
  if (head && d->seeded) shuffle(d, head, tail);
  tf_release(d, head, tail);
}

static TfThread* take_unstarted(Device* d) {
  TfThread* thread = d->idle;
  if (!thread) return stack_new(d);
  d->idle = thread->next;
  return thread;
}

static TfContext* start_another(Device* d) {
  TfThread* thread = take_unstarted(d);
  if (thread) return thread;
  d->status = TF_NO_MEMORY;
  report(d) << "no memory for the stacks of " << d->total << " threads";
  return &d->main;
}

static TfContext* choose(Device* d) {
  bool unstarted = d->started < d->total;
  TfThread* ready = d->ready_head;
  if (ready && !(d->seeded && unstarted && (next_random(d) & 1))) {
    d->ready_head = ready->next;
    return ready;
  }
  return unstarted ? start_another(d) : &d->main;
}

void run_another(Device* d, TfThread* thread) {
  TfContext* next = choose(d);
  if (next != thread) tf_switch(thread, next);
}

void run_another_from_main(Device* d) {
  TfContext* next = choose(d);
  if (next != &d->main) tf_switch(&d->main, next);
}

void stop(TfThread* thread, int status) {
  Device* d = device_of(thread);
  d->status = status;
  tf_switch(thread, &d->main);
  __builtin_trap();
}

void queue_leave(TfThread* thread) { run_another(device_of(thread), thread); }

void queue_idle(TfThread* thread) { tf_switch(thread, &device_of(thread)->main); }

// Threads that have not started go first: what this one waits for may be theirs to do.
void queue_yield(TfThread* thread) {
  Device* d = device_of(thread);
  thread->next = nullptr;
  tf_release(d, thread, thread);
  if (d->started < d->total) tf_switch(thread, start_another(d));
  else run_another(d, thread);
}

void queue_finish(TfThread* thread) {
  Device* d = device_of(thread);
  TfGroup* group = thread->group;
  barrier_left(d, &group->barrier);
  if (d->wide) {
    group->cluster->live -= d->leaves;
    group->grid->live -= d->leaves;
    barrier_left(d, group->cluster);
    barrier_left(d, group->grid);
  }
  if (thread->warp->waiting) meetings_left(d, thread->warp);
}

} // namespace tf
