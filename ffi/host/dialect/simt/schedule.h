// The hot paths of the scheduler, inlined into the image: a thread's start and end, the switch to the next thread, the
// barrier. Everything rare goes through tf_runtime. A seeded schedule takes the runtime's path at every queue.
#ifndef TF_SIMT_SCHEDULE_H
#define TF_SIMT_SCHEDULE_H
#include "../../switch.h"

extern "C" {
TF_HIDDEN extern TfRuntime tf_runtime;
}

// A function's call site, as a default argument: `void f(TfSite site = tf_here())`.
TF_INLINE TfSite tf_here(const char* file = __builtin_FILE(), tf_u32 line = __builtin_LINE()) {
  return tf_site(file, line);
}

TF_INLINE void tf_switch_to(TfThread* from, TfThread* to) {
  TfThread* after = to->next;
  __builtin_prefetch(after); // its context now, its stack at the switch after this one
  if (after) {
    __builtin_prefetch(after->sp);
    __builtin_prefetch((char*)after->sp + 64);
  }
  tf_switch(from, to);
}

// Runs another thread of an unseeded schedule; returns when this one is released.
TF_INLINE void tf_leave(TfThread* thread, TfSchedule* s) {
  TfThread* next = s->ready_head;
  if (next) {
    s->ready_head = next->next;
    return tf_switch_to(thread, next);
  }
  next = s->idle;
  if ((s->started < s->total) & (next != nullptr)) {
    s->idle = next->next;
    return tf_switch_to(thread, next);
  }
  tf_runtime.leave(thread);
}

// Puts the waiting threads head..tail at the end of the ready queue.
TF_INLINE void tf_release(TfSchedule* s, TfThread* head, TfThread* tail) {
  if (!head) return;
  if (s->ready_head) s->ready_tail->next = head;
  else s->ready_head = head;
  s->ready_tail = tail;
}

TF_INLINE void tf_enqueue(TfThread*& head, TfThread*& tail, TfThread* thread) {
  thread->next = nullptr;
  if (tail) tail->next = thread;
  else head = thread;
  tail = thread;
}

TF_INLINE void tf_end_thread(TfThread* thread) {
  TfSchedule* s = thread->schedule;
  TfGroup* group = thread->group;
  TfWarp* warp = thread->warp;
  group->barrier.live -= s->leaves;
  s->live--;
  warp->live &= ~(1ull << thread->lane);
  const TfBarrier* b = &group->barrier;
  bool awaited = ((b->waiting != 0) & (b->waiting == b->live)) | (warp->waiting != 0);
  if (TF_UNLIKELY(awaited | (s->wide != 0))) tf_runtime.finish(thread);
}

// Leaves this stack to a later thread, and runs what is ready.
TF_INLINE void tf_park(TfThread* thread) {
  TfSchedule* s = thread->schedule;
  thread->group = nullptr;
  thread->next = s->idle;
  s->idle = thread;
  TfThread* next = s->ready_head;
  if (next && !s->ranked) {
    s->ready_head = next->next;
    tf_switch(thread, next);
  } else {
    tf_runtime.idle(thread);
  }
}

// Makes `thread` the one of this index in its group.
TF_INLINE void tf_place_thread(TfThread* thread, TfGroup* group, tf_u32 index, tf_u32 warp_shift) {
  thread->group = group;
  thread->linear = thread->x = index;
  thread->y = thread->z = 0;
  if (group->size_y * group->size_z != 1) {
    thread->x = index % group->size_x;
    thread->y = index / group->size_x % group->size_y;
    thread->z = index / (group->size_x * group->size_y);
  }
  thread->warp = &group->warps[index >> warp_shift];
  thread->lane = index & ((1u << warp_shift) - 1);
}

TF_INLINE void tf_begin_thread(TfThread* thread) {
  TfSchedule* s = thread->schedule;
  tf_u32 index = s->started++;
  if (TF_UNLIKELY(s->order != nullptr)) index = s->order[index];
  TfGroup* group = s->groups;
  if (TF_UNLIKELY(s->group_count > 1)) {
    tf_u32 which = index / group->threads;
    index -= which * group->threads;
    group += which;
  }
  tf_place_thread(thread, group, index, s->warp_shift);
}

// Ends the thread of this stack and begins the next one, which in a ranked schedule is for the runtime to choose. False:
// the stack's kernel is no longer the one that runs.
TF_OUTLINED bool tf_next(TfThread* thread) {
  TfSchedule* s = thread->schedule;
  bool yields = (thread->group != nullptr) & (s->ranked != 0);
  if (thread->group) tf_end_thread(thread);
  while (yields | (s->started >= s->total)) {
    yields = false;
    tf_park(thread);
    if (s->kernel != thread->kernel) return false;
  }
  tf_begin_thread(thread);
  return true;
}

#if defined(TF_STEPPED)
TF_INLINE void tf_barrier(TfSite site, [[maybe_unused]] tf_u32 left_out = 0) {
#if defined(TF_CHECK)
  if (left_out) tf_self()->group->left_out |= left_out;
#endif
  tf_suspend(TF_PLACE_BARRIER, 0, 0, 0, site);
}
TF_INLINE void tf_cluster_barrier(TfSite site) { tf_suspend(TF_PLACE_CLUSTER, 0, 0, 0, site); }
TF_INLINE void tf_grid_barrier(TfSite site) { tf_suspend(TF_PLACE_GRID, 0, 0, 0, site); }
TF_INLINE void tf_yield() { tf_suspend(TF_PLACE_YIELD, 0, 0, 0, 0); }
#else
// The group's barrier. `left_out`: a bit a memory that it does not order.
TF_OUTLINED void tf_barrier(TfSite site, [[maybe_unused]] tf_u32 left_out = 0) {
  TfThread* thread = tf_self();
  TfSchedule* s = thread->schedule;
#if defined(TF_CHECK)
  thread->group->left_out |= left_out;
#endif
  TfBarrier* barrier = &thread->group->barrier;
  bool other = (barrier->waiting != 0) & (barrier->site != site);
  if (TF_UNLIKELY(other | (s->seeded != 0))) return tf_runtime.barrier(thread, barrier, site);
  barrier->site = site;
  if (++barrier->waiting == barrier->live) { // the last one frees the rest and goes on
    TfThread *head = barrier->head, *tail = barrier->tail;
    barrier->waiting = 0;
    barrier->head = barrier->tail = nullptr;
#if defined(TF_CHECK)
    tf_runtime.passed(thread, barrier);
#endif
    return tf_release(s, head, tail);
  }
  tf_enqueue(barrier->head, barrier->tail, thread);
  tf_leave(thread, s);
}

// The barriers of a cluster of groups, and of a cooperative launch's grid.
TF_INLINE void tf_cluster_barrier(TfSite site) {
  TfThread* thread = tf_self();
  tf_runtime.barrier(thread, thread->group->cluster, site);
}
TF_INLINE void tf_grid_barrier(TfSite site) {
  TfThread* thread = tf_self();
  tf_runtime.barrier(thread, thread->group->grid, site);
}

// Lets the other ready threads run: for loops that spin on what another group writes.
TF_INLINE void tf_yield() { tf_runtime.yield(tf_self()); }
#endif

TF_INLINE void tf_fault(const char* what, TfSite site = tf_here()) { tf_runtime.fault(tf_self(), what, site); }

#endif
