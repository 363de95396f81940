// Kernels in steps. In index order the threads of a warp go from one place where they meet to the next, one after the
// other on one stack, and a warp goes on to its next barrier before another starts. Where they part, and in every other
// schedule, each thread has its stack and takes its steps there: what it waits for is waited for as ever.
#include "../dialect/simt/collective.h"
#include "check.h"

namespace tf {

static TfStep step_of(const TfKernel* kernel) { return (TfStep)(void*)kernel->whole; }
static constexpr tf_u32 FRAMES_ALIGN = 64, CAPACITY = THREADS_MAX;

static tf_u32 lane_count(const TfWarp* warp) { return (tf_u32)__builtin_popcountll(warp->full); }

static TfLanes lanes_met(const TfMeeting* m) {
  tf_u32 buffer = (m->generation - 1) & 1;
  return { m->value[buffer], m->came[buffer], (TfMeeting*)m, buffer };
}
// Where lanes leave what they bring to the next meeting. In one of another mask it goes from there to that one's.
static tf_u64* deposit_of(TfWarp* warp) {
  TfMeeting* full = &warp->meeting[TF_MEETING_FULL];
  return full->value[full->generation & 1];
}

// --- a thread on its own stack ---

// As the inlined forms do, and tells a check image's runtime.
static TfLanes meet_checked(TfThread* thread, tf_u64 mask, tf_u64 value, tf_u32 op, TfSite site) {
  TfMeeting* m = meeting_of_mask(thread, mask & thread->warp->full, site);
  tf_u32 buffer = m->generation & 1;
  m->value[buffer][thread->lane] = value;
  meeting_arrive(thread, m, op, site);
  return { m->value[buffer], m->came[buffer], m, buffer };
}

static TfLanes wait_checked(TfThread* thread, const TfPlace* place, tf_u64 value) {
  tf_u32 buffer;
  switch (place->kind) {
  case TF_PLACE_BARRIER: barrier_arrive(thread, &thread->group->barrier, place->site); break;
  case TF_PLACE_WARP: return meet_checked(thread, ~0ull, value, place->op, place->site);
  case TF_PLACE_MASKED: return meet_checked(thread, thread->mask, value, place->op, place->site);
  default: TfMeeting* m = meeting_arrive_active(thread, value, place->op, place->site, &buffer);
    return { m->value[buffer], m->came[buffer], m, buffer };
  }
  return lanes_met(&thread->warp->meeting[TF_MEETING_FULL]);
}

static TfLanes wait_at(TfThread* thread, const TfPlace* place) {
  tf_u64 value = deposit_of(thread->warp)[thread->lane];
  bool wide = place->kind >= TF_PLACE_CLUSTER;
  if (device_of(thread)->checking && !wide) return wait_checked(thread, place, value);
  switch (place->kind) {
  case TF_PLACE_BARRIER: tf_barrier(place->site); break;
  case TF_PLACE_CLUSTER: tf_cluster_barrier(place->site); break;
  case TF_PLACE_GRID: tf_grid_barrier(place->site); break;
  case TF_PLACE_YIELD: tf_yield(); break;
  case TF_PLACE_WARP: return tf_meet(thread, ~0ull, value, place->op, place->site);
  case TF_PLACE_MASKED: return tf_meet(thread, thread->mask, value, place->op, place->site);
  default: return tf_meet_active(thread, value, place->op, place->site);
  }
  return lanes_met(&thread->warp->meeting[TF_MEETING_FULL]);
}

struct Frames {
  char* start;
  tf_u32 first, capacity;
};

static void take_steps(TfThread* thread, void** arguments, tf_u32 at, bool passed, Frames frames) {
  Device* d = device_of(thread);
  TfStep step = step_of(d->kernel);
  TfThread* running;
  TfLanes met = lanes_met(&thread->warp->meeting[TF_MEETING_FULL]);
  while (at != TF_STEP_END) {
    if (!passed) met = wait_at(thread, &d->places[at]);
    at = (tf_u32)step(thread, frames.start, arguments, &running, met.value, deposit_of(thread->warp), met.meeting,
                      met.mask, met.buffer, at, 1, frames.first, thread->lane, frames.capacity);
    passed = false;
  }
}

// Threads that parted go on where they are.
static void go_on(TfThread* thread, void** arguments) {
  Device* d = device_of(thread);
  const TfThread* lane = &d->lanes[thread->linear];
  thread->mask = lane->mask;
  take_steps(thread, arguments, lane->at, lane->passed, { d->frames, thread->linear, CAPACITY });
}

__attribute__((noinline)) static void begin(TfThread* thread, void** arguments) {
  tf_u32 bytes = device_of(thread)->frame_bytes;
  char* frame = (char*)__builtin_alloca_with_align(bytes + FRAMES_ALIGN, FRAMES_ALIGN * 8);
  take_steps(thread, arguments, TF_STEP_START, true, { frame, 0, 1 });
}

void steps_body(TfThread* thread, void** arguments) {
  while (tf_next(thread)) {
    if (device_of(thread)->parted) go_on(thread, arguments);
    else begin(thread, arguments);
  }
}

// --- all threads on one stack ---

// Whether all lanes brought the mask of the whole warp.
static bool is_whole(const TfThread* lanes, tf_u32 count, tf_u64 full) {
  bool whole = true;
  for (tf_u32 i = 0; i < count; i++) whole &= (lanes[i].mask & full) == full;
  return whole;
}

static void complete(Device* d, TfWarp* warp, tf_u32 op) {
  TfMeeting* m = &warp->meeting[TF_MEETING_FULL];
  tf_u32 buffer = m->generation & 1;
  m->came[buffer] = warp->full;
  m->reduced &= ~(1u << buffer);
  m->generation++;
  if (d->checking) check_meeting(d, warp, warp->full, op);
}

// Runs a warp to its next barrier or its end, and returns that place; TF_STEP_APART where its lanes part.
static tf_u64 run_warp(Device* d, TfStep step, TfWarp* warp, tf_u32 at, void** arguments) {
  tf_u32 first = warp->index * warp->group->warp_width, count = lane_count(warp);
  TfThread* lanes = d->lanes + first;
  TfMeeting* m = &warp->meeting[TF_MEETING_FULL];
  const TfPlace* places = d->places;
  for (;;) {
    tf_u32 buffer = m->generation & 1;
    d->step_at = at;
    tf_u64 next = step(lanes, d->frames, arguments, &d->lane, m->value[!buffer], m->value[buffer], m, m->came[!buffer],
                       !buffer, at, count, first, 0, CAPACITY);
    d->lane = lanes;
    if (next == TF_STEP_APART) return next;
    lanes->at = at = (tf_u32)next;
    if (next == TF_STEP_END) return next;
    tf_u32 kind = places[at].kind;
    if (TF_UNLIKELY(kind != TF_PLACE_WARP && kind != TF_PLACE_ACTIVE)) {
      if (kind == TF_PLACE_BARRIER) return next;
      if (kind != TF_PLACE_MASKED || !is_whole(lanes, count, warp->full)) {
        for (tf_u32 i = 1; i < count; i++) lanes[i].at = at;
        return TF_STEP_APART;
      }
    }
    complete(d, warp, places[at].op);
  }
}

static tf_u32 place_of(const Device* d, const TfWarp* warp) {
  return d->lanes[warp->index * warp->group->warp_width].at;
}

// Whether all warps wait at one barrier, or have ended where a barrier does not wait for those.
static bool at_one_barrier(const Device* d, const TfGroup* group) {
  TfSite site = 0;
  for (tf_u32 i = 0; i < group->warp_count; i++) {
    tf_u32 at = place_of(d, &group->warps[i]);
    if (at == TF_STEP_END && !d->leaves) return false;
    if (at == TF_STEP_END) continue;
    if (site && site != d->places[at].site) return false;
    site = d->places[at].site;
  }
  return true;
}

// The group's threads take their own ways; those of the warps from `next` on have yet to go on from where they are. The
// lanes of a warp that did not part are where its first one is.
static void part(Device* d, const TfGroup* group, tf_u32 next, tf_u32 parted) {
  for (tf_u32 i = 0; i < group->threads; i++) {
    tf_u32 warp = i / group->warp_width;
    d->lanes[i].passed = warp >= next;
    if (warp != parted) d->lanes[i].at = d->lanes[warp * group->warp_width].at;
  }
}

// Whether the group came to its end; if not, its threads wait where their `at` says.
static bool run_group(Device* d, void** arguments) {
  TfGroup* group = d->groups;
  TfStep step = step_of(d->running->kernel->entry);
  for (tf_u32 i = 0; i < group->warp_count; i++) d->lanes[i * group->warp_width].at = TF_STEP_START;
  for (;;) {
    tf_u32 ended = 0;
    for (tf_u32 i = 0; i < group->warp_count; i++) {
      tf_u32 at = place_of(d, &group->warps[i]);
      tf_u64 next = at == TF_STEP_END ? TF_STEP_END : run_warp(d, step, &group->warps[i], at, arguments);
      if (next == TF_STEP_APART) {
        part(d, group, i + 1, i);
        return false;
      }
      ended += next == TF_STEP_END;
    }
    if (ended == group->warp_count) return true;
    if (!at_one_barrier(d, group)) {
      part(d, group, group->warp_count, group->warp_count);
      return false;
    }
    if (d->checking) check_barrier(d, &group->barrier);
  }
}

static void lead(TfThread* thread, void** arguments) {
  Device* d = device_of(thread);
  while (d->kernel == thread->kernel) {
    d->lane = d->lanes;
    d->stepping = true;
    d->parted = !run_group(d, arguments);
    d->stepping = false;
    thread->next = d->idle;
    d->idle = thread;
    tf_switch(thread, &d->main);
  }
}

static const TfKernel LEAD = { "", lead, nullptr, nullptr, 0, 0, TF_WARP, {} };

// Lanes that ran at once start anew, one after the other: the first that faults is the one to name.
static void find_lane(TfThread* thread, void** arguments) {
  Device* d = device_of(thread);
  Fault found = d->fault;
  TfThread* first = lane_running(d);
  TfMeeting* m = &first->warp->meeting[TF_MEETING_FULL];
  tf_u32 buffer = m->generation & 1;
  d->status = 0;
  for (TfThread* lane = first; lane < first + TF_TOGETHER; lane++)
    step_of(d->running->kernel->entry)(lane, d->frames, arguments, &d->lane, m->value[!buffer], m->value[buffer], m,
                                       m->came[!buffer], !buffer, d->step_at, 1, lane->linear, lane->lane, CAPACITY);
  d->fault = found;
  d->status = TF_FAULT;
  tf_switch(thread, &d->main);
}

static const TfKernel FIND_LANE = { "", find_lane, nullptr, nullptr, 0, 0, TF_WARP, {} };

static bool fault_of_several(const Device* d) {
  return d->status == TF_FAULT && d->stepping && (tf_u64)d->lane & TF_STEP_TOGETHER;
}

static void find_faulting_lane(Device* d) {
  TfThread* thread = take_unstarted(d);
  if (!thread) return;
  d->kernel = &FIND_LANE;
  tf_switch(&d->main, thread);
}

bool steps_run_group(Device* d) {
  TfThread* thread = take_unstarted(d);
  d->parted = false;
  if (!thread) return false;
  d->kernel = &LEAD;
  d->parted = true;
  tf_switch(&d->main, thread);
  if (fault_of_several(d)) find_faulting_lane(d);
  d->kernel = d->running->kernel->entry;
  return !d->parted;
}

static void prepare_lanes(Device* d) {
  TfGroup* group = d->groups;
  for (tf_u32 i = 0; i < group->threads; i++) {
    TfThread* lane = &d->lanes[i];
    lane->schedule = d;
    lane->kernel = d->kernel;
    tf_place_thread(lane, group, i, d->warp_shift);
  }
}

static tf_u64 ask(TfStep step, tf_u32 what) {
  return step(nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, 0, 0, what, 0, 0, 0, 0);
}

bool steps_prepare(Device* d) {
  d->stepping = d->parted = false;
  d->in_steps = false;
  if (!d->kernel->whole) return true;
  TfStep step = step_of(d->kernel);
  d->frame_bytes = (tf_u32)ask(step, TF_STEP_FRAME);
  d->places = (const TfPlace*)ask(step, TF_STEP_PLACES);
  d->in_steps = !d->seeded && !d->wide && !(d->checking && d->check->switches);
  if (!d->in_steps) return true;
  tf_u64 bytes = round_up((tf_u64)CAPACITY * d->frame_bytes, PAGE);
  if (!d->lanes) d->lanes = (TfThread*)os_pages(THREADS_MAX * sizeof(TfThread));
  if (bytes > d->frames_capacity) {
    char* frames = (char*)os_pages(bytes);
    if (!frames) return false;
    if (d->frames) os_unmap(d->frames, d->frames_capacity);
    d->frames = frames;
    d->frames_capacity = bytes;
  }
  if (!d->lanes) return false;
  prepare_lanes(d);
  return true;
}

} // namespace tf
