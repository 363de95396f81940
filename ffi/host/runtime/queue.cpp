// Which thread runs next. Without a seed: first in, first out. With one, threads that are released together come in a
// shuffled order, and new threads start between them. In a ranked schedule a warp goes on for as long as it can, so it
// passes as many places as no barrier holds it at while the others stay behind; the ready queue has only those that
// yielded.
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

static void release_ranked(Device* d, TfThread* head) {
  while (head) {
    TfThread* thread = head;
    head = head->next;
    thread->next = thread->warp->ready;
    thread->warp->ready = thread;
    tf_u32 rank = rank_of(d, thread->warp);
    if (rank < d->first_ready) d->first_ready = rank;
  }
}

void release(Device* d, TfThread* head, TfThread* tail) {
  if (head && d->seeded) shuffle(d, head, tail);
  if (d->ranked) release_ranked(d, head);
  else tf_release(d, head, tail);
}

TfThread* take_unstarted(Device* d) {
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

static tf_u32 rank_of_unstarted(const Device* d) {
  tf_u32 index = d->order[d->started], threads = d->groups->threads;
  return rank_of(d, &d->groups[index / threads].warps[index % threads >> d->warp_shift]);
}

// The first ready thread of the first warp in rank, unless a warp before it has lanes to start; null: none.
static TfThread* take_ranked(Device* d) {
  while (d->first_ready < d->warp_total && !warp_at(d, d->first_ready)->ready) d->first_ready++;
  if (d->first_ready == d->warp_total) return nullptr;
  if (d->started < d->total && rank_of_unstarted(d) < d->first_ready) return nullptr;
  TfWarp* warp = warp_at(d, d->first_ready);
  TfThread* thread = warp->ready;
  warp->ready = thread->next;
  return thread;
}

static TfContext* choose_ranked(Device* d) {
  if (TfThread* thread = take_ranked(d)) return thread;
  if (d->started < d->total) return start_another(d);
  TfThread* yielded = d->ready_head;
  if (!yielded) return &d->main;
  d->ready_head = yielded->next;
  return yielded;
}

static TfContext* choose(Device* d) {
  if (d->ranked) return choose_ranked(d);
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

void queue_idle(TfThread* thread) {
  Device* d = device_of(thread);
  tf_switch(thread, d->ranked ? choose_ranked(d) : &d->main);
}

// Threads that have not started go first: what this one waits for may be theirs to do. Ranked, all others do.
void queue_yield(TfThread* thread) {
  Device* d = device_of(thread);
  thread->next = nullptr;
  tf_release(d, thread, thread);
  if (d->started < d->total && !d->ranked) tf_switch(thread, start_another(d));
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
