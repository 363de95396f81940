// Meetings of a warp's lanes: the rare paths of dialect/simt/collective.h, and those of seeded schedules.
#include "../dialect/simt/collective.h"
#include "check.h"

namespace tf {

// Completes a meeting all of whose lanes wait in its queue.
static void complete(Device* d, TfWarp* warp, TfMeeting* m) {
  tf_u32 lanes = (tf_u32)__builtin_popcountll(m->arrived), buffer = m->generation & 1;
  TfThread *head = m->head, *tail = m->tail;
  m->came[buffer] = m->arrived;
  m->reduced &= ~(1u << buffer);
  m->readers += lanes;
  warp->waiting -= lanes;
  m->arrived = 0;
  m->generation++;
  m->head = m->tail = nullptr;
  if (d->checking) check_meeting(d, warp, m->came[buffer], m->op);
  release(d, head, tail);
}

static void arrive(TfThread* thread, TfMeeting* m, tf_u64 wanted, tf_u32 op, TfSite site) {
  Device* d = device_of(thread);
  m->op = op;
  m->site = site;
  m->arrived |= 1ull << thread->lane;
  thread->warp->waiting++;
  tf_enqueue(m->head, m->tail, thread);
  if (m->arrived == wanted) complete(d, thread->warp, m);
  run_another(d, thread);
  m->readers--;
}

[[noreturn]] static void stop_divergence(TfThread* thread, TfMeeting* m, tf_u32 op, TfSite site) {
  Text text = report(device_of(thread));
  text << "warp divergence: ";
  put_thread(text, thread);
  (text << " calls a " << operation_name(op) << " at ").site(site) << " while ";
  put_thread(text, m->head);
  (text << " waits in a " << operation_name(m->op) << " at ").site(m->site);
  stop(thread, TF_DIVERGENCE);
}

void meeting_arrive(TfThread* thread, TfMeeting* m, tf_u32 op, TfSite site) {
  if (m->arrived && m->op != op) stop_divergence(thread, m, op, site);
  arrive(thread, m, m->mask & thread->warp->live, op, site);
}

TfMeeting* meeting_of_mask(TfThread* thread, tf_u64 mask, TfSite site) {
  TfWarp* warp = thread->warp;
  if (!(mask >> thread->lane & 1)) {
    Text text = report(device_of(thread));
    text << "warp divergence: ";
    put_thread(text, thread);
    ((text << " at ").site(site) << " is not in its own lane mask ").hex(mask);
    stop(thread, TF_DIVERGENCE);
  }
  TfMeeting* vacant = nullptr;
  for (tf_u32 i = TF_MEETING_FULL; i < warp->partial_end; i++) {
    TfMeeting* m = &warp->meeting[i];
    if (m->mask == mask) return m;
    if (i != TF_MEETING_FULL && !m->arrived && !m->readers) vacant = m;
  }
  if (!vacant) {
    if (warp->partial_end == TF_MEETING_ACTIVE)
      stop_fault(thread, "lanes of one warp wait under more than 16 masks", site);
    vacant = &warp->meeting[warp->partial_end++];
  }
  vacant->mask = mask;
  return vacant;
}

TfMeeting* meeting_arrive_active(TfThread* thread, tf_u64 value, tf_u32 op, TfSite site, tf_u32* buffer) {
  TfWarp* warp = thread->warp;
  TfMeeting *found = nullptr, *vacant = nullptr;
  for (tf_u32 i = TF_MEETINGS; i-- > TF_MEETING_ACTIVE && !found;) {
    TfMeeting* m = &warp->meeting[i];
    if (!m->arrived) vacant = m;
    else if (m->op == op && m->site == site) found = m;
  }
  TfMeeting* m = found ? found : vacant;
  if (!m) stop_fault(thread, "lanes of one warp wait at more than 8 places", site);
  *buffer = m->generation & 1;
  m->value[*buffer][thread->lane] = value;
  arrive(thread, m, warp->live, op, site);
  return m;
}

void meetings_left(Device* d, TfWarp* warp) {
  for (tf_u32 i = 0; i < TF_MEETINGS; i++) {
    TfMeeting* m = &warp->meeting[i];
    tf_u64 wanted = i < TF_MEETING_ACTIVE ? m->mask & warp->live : warp->live;
    if (m->arrived && m->arrived == wanted) complete(d, warp, m);
  }
}

// Diverged lanes come together again after the branch, so those that are behind go first: the earlier line of one file,
// the lower address of two.
static bool is_behind(const TfMeeting* a, const TfMeeting* b) {
  if (tf_site_file(a->site) == tf_site_file(b->site)) return tf_site_line(a->site) < tf_site_line(b->site);
  return a->head->pc < b->head->pc;
}

static bool settle_warp(Device* d, TfWarp* warp) {
  TfMeeting* behind = nullptr;
  for (tf_u32 i = TF_MEETING_ACTIVE; i < TF_MEETINGS; i++) {
    TfMeeting* m = &warp->meeting[i];
    if (m->arrived && (!behind || is_behind(m, behind))) behind = m;
  }
  if (behind) complete(d, warp, behind);
  return behind;
}

bool meetings_settle(Device* d) {
  bool any = false;
  for (tf_u32 g = 0; g < d->group_count; g++)
    for (tf_u32 w = 0; w < d->groups[g].warp_count; w++)
      if (d->groups[g].warps[w].waiting) any |= settle_warp(d, &d->groups[g].warps[w]);
  return any;
}

void meetings_reset(TfWarp* warp) {
  warp->waiting = 0;
  warp->partial_end = TF_MEETING_PARTIAL;
  for (tf_u32 i = 0; i < TF_MEETINGS; i++) {
    TfMeeting* m = &warp->meeting[i];
    m->mask = i == TF_MEETING_FULL ? warp->full : 0;
    m->arrived = 0;
    m->generation = m->readers = m->reduced = 0;
    m->head = m->tail = nullptr;
  }
}

} // namespace tf
