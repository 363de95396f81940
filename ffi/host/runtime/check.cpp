// A launch of a check image: its extents and their shadow, and what orders its threads.
#include "check.h"
#include "../dialect/simt/collective.h"

namespace tf {

constexpr tf_u32 LANES = TF_LANES_MAX;
constexpr tf_u64 KNOWN_BYTES = sizeof(tf_u32) * TF_MEMORIES * LANES * LANES; // of a warp

static bool regrow(char** pages, tf_u64* have, tf_u64 need) {
  if (need <= *have) return true;
  if (*pages) os_unmap(*pages, *have);
  *pages = (char*)os_pages(need);
  *have = *pages ? need : 0;
  return *pages;
}

static Check* check_of(Device* d) {
  if (d->check) return d->check;
  Check* c = (Check*)os_pages(sizeof(Check));
  if (!c) return nullptr;
  c->pages = (tf_u8*)os_pages(SPACE_BYTES / PAGE);
  c->cluster_time = (tf_u32*)os_pages((STACKS + 1) * sizeof(tf_u32));
  if (!c->pages || !c->cluster_time) return nullptr;
  c->time = 1;
  return d->check = c;
}

static void forget_shadow(Check* c) {
  if (c->shadow) os_unmap(c->shadow, c->shadow_bytes);
  if (c->folds) os_unmap(c->folds, c->folds_bytes);
  if (c->local) os_unmap(c->local, c->local_groups * LOCAL_SHADOW);
  if (c->known) os_unmap(c->known, c->known_warps * KNOWN_BYTES);
  c->shadow = c->folds = c->local = nullptr;
  c->known = nullptr;
  c->common_era = 0;
  c->shadow_bytes = c->folds_bytes = c->local_groups = c->known_warps = 0;
}

void check_close(Device* d) {
  Check* c = d->check;
  if (!c) return;
  forget_shadow(c);
  clocks_close(c);
  os_unmap(c->pages, SPACE_BYTES / PAGE);
  os_unmap(c->cluster_time, (STACKS + 1) * sizeof(tf_u32));
  os_unmap(c, sizeof(Check));
  d->check = nullptr;
}

static void add_extent(Check* c, char* start, tf_u64 bytes, const char* name, tf_u32 argument, tf_u32 access) {
  if (bytes && c->extent_count < EXTENTS_MAX)
    c->extents[++c->extent_count] = { start, start + bytes, name, nullptr, argument, access, {}, nullptr };
}

static bool has_extent(const Check* c, const char* p) {
  for (tf_u32 i = 1; i <= c->extent_count; i++)
    if (p >= c->extents[i].start && p < c->extents[i].end) return true;
  return false;
}

static tf_u32 argument_at(const Queued* q, tf_u64 address) {
  for (tf_u32 i = 0; i < q->launch.argument_count; i++)
    if (q->arguments[i].kind == TF_BUFFER && q->arguments[i].value == address) return i;
  return q->launch.argument_count;
}

// The stated extents, and for arguments in none of them the whole buffer.
static void take_extents(Device* d, Check* c, const Queued* q) {
  c->extent_count = 0;
  for (tf_u32 i = 0; i < q->launch.extent_count; i++) {
    const TfExtent* e = &q->extents[i];
    add_extent(c, (char*)e->address, e->bytes, e->name, argument_at(q, e->address), e->access);
  }
  for (tf_u32 i = 0; i < q->launch.argument_count; i++) {
    const TfArgument* a = &q->arguments[i];
    if (a->kind != TF_BUFFER || has_extent(c, (char*)a->value)) continue;
    Buffer* b = memory_holding(&d->memory, a->value, 0);
    if (b) add_extent(c, b->start, b->bytes, "", i, TF_EXTENT_UPDATED);
  }
}

static void mark_pages(Device* d, Check* c, bool set) {
  for (tf_u32 i = 1; i <= c->extent_count; i++) {
    tf_u64 first = (tf_u64)(c->extents[i].start - d->memory.space) / PAGE;
    tf_u64 last = (tf_u64)(c->extents[i].end - 1 - d->memory.space) / PAGE;
    for (tf_u64 page = first; page <= last; page++) c->pages[page] = !set ? 0 : c->pages[page] ? c->pages[page] : (tf_u8)i;
  }
}

static tf_u64 words_of(const Extent& e) { return ((tf_address)e.end + 3) / 4 - (tf_address)e.start / 4; }

static tf_u64 folds_of(const Extent& e) { return words_of(e) * 4 / Fold::BYTES + 1; }
static tf_u64 shadow_of(const Extent& e) { return Shadow::bytes_of(words_of(e)); }

static bool shadow_extents(Check* c) {
  tf_u64 bytes = 0, folds = 0;
  for (tf_u32 i = 1; i <= c->extent_count; i++) {
    if (c->extents[i].access == TF_EXTENT_READ) continue;
    bytes += shadow_of(c->extents[i]);
    folds += folds_of(c->extents[i]) * sizeof(Fold);
  }
  if (bytes > SHADOW_MAX || !regrow(&c->shadow, &c->shadow_bytes, bytes) || !regrow(&c->folds, &c->folds_bytes, folds))
    return false;
  char* next = c->shadow;
  Fold* fold = (Fold*)c->folds;
  for (tf_u32 i = 1; i <= c->extent_count; i++) {
    Extent& e = c->extents[i];
    if (e.access == TF_EXTENT_READ) continue;
    e.shadow = { (Cell*)next };
    e.folds = fold;
    next += shadow_of(e);
    fold += folds_of(e);
  }
  return true;
}

static bool shadow_local(Device* d, Check* c) {
  if (d->group_count > c->local_groups) {
    if (c->local) os_unmap(c->local, c->local_groups * LOCAL_SHADOW);
    c->local = (char*)os_pages(d->group_count * LOCAL_SHADOW);
    c->local_groups = c->local ? d->group_count : 0;
  }
  if (d->warp_total > c->known_warps) {
    if (c->known) os_unmap(c->known, c->known_warps * KNOWN_BYTES);
    c->known = (tf_u32*)os_pages(d->warp_total * KNOWN_BYTES);
    c->known_warps = c->known ? d->warp_total : 0;
  }
  return c->local && c->known;
}

bool check_begin(Device* d, const Queued* q) {
  Check* c = check_of(d);
  if (!c) return false;
  if (c->time > TIME_END) {
    forget_shadow(c);
    c->time = 1;
    memset(c->cluster_time, 0, (STACKS + 1) * sizeof(tf_u32));
  }
  c->flags = q->launch.flags;
  c->space = d->memory.space;
  c->base = q->module->base;
  c->switches = c->flags & (TF_PREEMPT | TF_LOCKSTEP);
  c->partial = false;
  c->module = q->module;
  c->ranges_end = q->module->image->ranges;
  c->place_count = 0;
  memset(c->place_at, 0, sizeof c->place_at);
  c->attention = c->switches;
  c->due = DUE_NONE;
  c->atomic_thread = nullptr;
  c->overwrite.pending = false;
  c->unset = false;
  c->launch_time = c->resident_time = ++c->time;
  c->grid_time = 0;
  clocks_begin(c);
  take_extents(d, c, q);
  if (!shadow_extents(c) || !shadow_local(d, c)) return false;
  mark_pages(d, c, true);
  return true;
}

void check_end(Device* d) {
  Check* c = d->check;
  TfRange* ranges = c->module->image->ranges;
  memset(ranges, 0, (tf_u64)((char*)c->ranges_end - (char*)ranges));
  mark_pages(d, c, false);
  report_unset(d);
}

void check_left(Device* d) {
  Check* c = d->check;
  if (d->status || !overwrite_races(c)) return;
  report_race(c->overwrite.offence, c->overwrite.earlier, true);
  d->status = TF_RACE;
}

// The group's threads have met: what they did before now is ordered before what they do, but in memory that the barrier leaves
// out.
static void order_group(Check* c, TfGroup* g) {
  tf_u32 left_out = g->left_out;
  g->left_out = 0;
  if (left_out) g->left_out_time = c->time;
  if (!(left_out >> TF_MEMORY_DEVICE & 1)) g->ordered[TF_MEMORY_DEVICE] = c->time;
  if (left_out >> TF_MEMORY_LOCAL & 1) return;
  g->ordered[TF_MEMORY_LOCAL] = c->time;
  tf_u32 era = c->time >> TAG_TIME_BITS;
  if (era != c->common_era) { // the bits begin anew
    c->common_era = era;
    for (tf_u32 i = 0; i < c->local_groups; i++)
      memset(c->local + i * LOCAL_SHADOW + LOCAL_CELLS, 0, LOCAL_SHADOW - LOCAL_CELLS);
  }
  g->common = c->switches ? (tf_u32)TAG_NEVER : c->time << (32 - TAG_TIME_BITS) | TAG_COMMON;
}

static void take_own(const Device* d, Check* c) {
  const Own own[OWN_PLACES] = { { d->region, REGION_BYTES },
                                { (char*)d->groups, d->group_capacity * sizeof(TfGroup) },
                                { (char*)d->warps, d->warp_capacity * sizeof(TfWarp) },
                                { c->base, c->module->extent },
                                { (char*)d->lanes, d->lanes ? THREADS_MAX * sizeof(TfThread) : 0 },
                                { d->frames, d->frames_capacity },
                                { (char*)d, sizeof(Device) },
                                { (char*)d->wide_barriers, (STACKS + 1) * sizeof(TfBarrier) } };
  memcpy(c->own, own, sizeof own);
}

void check_resident(Device* d) {
  Check* c = d->check;
  take_own(d, c);
  c->resident_time = ++c->time;
  for (tf_u32 i = 0; i < d->group_count; i++) {
    TfGroup* g = &d->groups[i];
    g->left_out = 0;
    order_group(c, g);
    g->left_out_time = 0;
    g->arena = arena_end(d, i) - LOCAL_MAX;
    g->shadow = c->local + i * LOCAL_SHADOW;
  }
}

void check_place(Device* d, const char* start, tf_u64 bytes, const char* name, const char* file, tf_u32 line) {
  Check* c = d->check;
  if (!bytes || c->place_count == PLACES_MAX) return;
  char* arena = arena_end(d, 0) - LOCAL_MAX;
  tf_u64 offset = (tf_u64)(start - arena);
  c->spans[++c->place_count] = { (tf_u32)offset, (tf_u32)(offset + bytes) };
  c->places[c->place_count] = { arena + offset, arena + offset + bytes, name, file, line, 0, {}, nullptr };
  for (tf_u64 i = offset / 16; i <= (offset + bytes - 1) / 16; i++) c->place_at[i] = (tf_u8)c->place_count;
}

void check_barrier(Device* d, const TfBarrier* barrier) {
  Check* c = d->check;
  tf_u32 time = ++c->time;
  if (barrier == &d->wide_barriers[0]) c->grid_time = time;
  for (tf_u32 i = 0; i < d->group_count; i++) {
    TfGroup* g = &d->groups[i];
    if (barrier == &g->barrier || barrier == g->cluster || barrier == g->grid) order_group(c, g);
    if (barrier == g->cluster) c->cluster_time[i / g->cluster_size] = time;
    if (barrier == &g->barrier) return;
  }
}

static tf_u32* known_by(const Check* c, const Device* d, const TfWarp* warp, TfMemory memory, tf_u32 lane) {
  return c->known + (((tf_u64)(warp - d->warps) * TF_MEMORIES + memory) * LANES + lane) * LANES;
}

// Some lanes have met: each knows of every other lane what any of them knew, and of those that came all they did.
static void meet_partly(Device* d, TfWarp* warp, TfMemory memory, tf_u64 lanes, tf_u32 time) {
  Check* c = d->check;
  tf_u32 known[LANES] = {};
  c->partial = true;
  for (tf_u64 rest = lanes; rest; rest &= rest - 1) {
    const tf_u32* one = known_by(c, d, warp, memory, (tf_u32)__builtin_ctzll(rest));
    for (tf_u32 i = 0; i < LANES; i++) known[i] = known[i] > one[i] ? known[i] : one[i];
  }
  for (tf_u64 rest = lanes; rest; rest &= rest - 1) known[__builtin_ctzll(rest)] = time;
  for (tf_u64 rest = lanes; rest; rest &= rest - 1)
    memcpy(known_by(c, d, warp, memory, (tf_u32)__builtin_ctzll(rest)), known, sizeof known);
}

// A bit a memory that a meeting does not order.
static tf_u32 left_out_by(tf_u32 op) {
  constexpr tf_u32 LOCAL = 1 << TF_MEMORY_LOCAL, DEVICE = 1 << TF_MEMORY_DEVICE;
  return op == TF_OP_SYNC_DEVICE ? LOCAL : op == TF_OP_SYNC_LOCAL ? DEVICE : op == TF_OP_SYNC_NONE ? LOCAL | DEVICE : 0;
}

void check_meeting(Device* d, TfWarp* warp, tf_u64 lanes, tf_u32 op) {
  Check* c = d->check;
  tf_u32 left_out = left_out_by(op);
  if ((c->flags & TF_STRICT_WARPS) && op != TF_OP_SYNC && !left_out) return;
  tf_u32 time = ++c->time;
  if (left_out) warp->left_out_time = time;
  for (tf_u32 i = 0; i < TF_MEMORIES; i++) {
    TfMemory memory = (TfMemory)i;
    if (left_out >> memory & 1) continue;
    if ((lanes & warp->live) == warp->live) warp->ordered[memory] = time;
    else meet_partly(d, warp, memory, lanes, time);
  }
}

void check_met(TfWarp* warp, tf_u64 lanes, tf_u32 op) {
  TfThread* any = thread_here();
  check_meeting(device_of(any), warp, lanes, op);
}

void check_passed(TfThread* thread, const TfBarrier* barrier) { check_barrier(device_of(thread), barrier); }

static bool before_group(const Check* c, const TfThread* t, const Touch& a) {
  const TfGroup* g = t->group;
  const Device* d = (const Device*)t->schedule;
  if (a.time < c->grid_time) return true;
  tf_u32 size = g->cluster_size;
  if (size > 1 && group_of(a.who) / size == g->linear / size &&
      a.time < c->cluster_time[(tf_u32)(g - d->groups) / size])
    return true;
  return clocks_before(c, group_of(a.who), a.time, (tf_u32)g->linear);
}

bool check_before(Check* c, const TfThread* t, tf_u32 me, const Touch& a, TfMemory memory) {
  if (group_of(a.who) != group_of(me)) return before_group(c, t, a);
  const TfWarp* warp = t->warp;
  const Device* d = (const Device*)t->schedule;
  if (thread_of(a.who) >> d->warp_shift != warp->index) return false;
  if (c->flags & TF_LOCKSTEP) return true;
  tf_u32 lane = a.who & ((1u << d->warp_shift) - 1);
  return a.time < warp->ordered[memory] || (c->partial && a.time < known_by(c, d, warp, memory, t->lane)[lane]);
}

} // namespace tf
