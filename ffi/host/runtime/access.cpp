// Every access of a check image that no short way (short.cpp) settles: is it inside what it may touch, is it written before
// it is read, and is it ordered after what other threads did there.
#include "check.h"

namespace tf {

// One access, with what its cells are judged by.
struct Access {
  Check* check;
  TfThread* thread;
  const char* at;
  tf_u64 bytes;
  const void* pc;
  tf_u32 me, now, shift; // `shift`: of who, to the warp
  // Of the memory that it is in.
  TfMemory memory;
  tf_u32 ordered;
  tf_u32 since;   // a cell's times before this one are stale
  bool wants_set; // a byte that nobody wrote holds nothing
  bool atomic, reads, writes;

  Offence offence() const { return { thread, at, bytes, writes, pc }; }
  Touch touch() const { return { me, now, place_of(check, pc) }; }
  bool after(const Touch& a) const {
    if (a.who == me) return true;
    if (group_of(a.who ^ me) == 0 && a.time < ordered) return true;
    return check_before(check, thread, me, a, memory);
  }
};

static inline bool same_warp(const Access& a, const Touch& t) { return ((t.who ^ a.me) >> a.shift) == 0; }

// A cell and its readers.
struct Slot {
  Cell* cell;
  Readers* readers;
};

static inline void note_read(const Access& a, Slot at, tf_u32 mask) {
  Readers* r = at.readers;
  tf_u32 kept = 0;
  if (at.cell->flags & CELL_BYTES * CELL_READ) { // the mask holds for both readers
    bool live = r->read.time >= a.since;
    if (live) kept = CELL_BYTES * CELL_READ;
    if (live && r->read.who != a.me && (r->other.time < a.ordered || !same_warp(a, r->read))) r->other = r->read;
  } else {
    r->other.time = 0;
  }
  r->read = a.touch();
  at.cell->flags = (at.cell->flags & (~(CELL_BYTES * CELL_READ) | kept)) | mask * CELL_READ;
}

static inline void note_write(const Access& a, Cell* cell, tf_u32 mask) {
  bool again = cell->written.who == a.me && cell->written.time == a.now;
  tf_u32 flags = cell->flags & ~CELL_ATOMIC;
  if (!again) flags &= ~(CELL_BYTES * CELL_WRITTEN);
  if (mask == CELL_BYTES) flags &= ~(CELL_BYTES * CELL_READ); // what is ordered after this write is after its readers too
  cell->flags = flags | mask * (CELL_WRITTEN | CELL_SET) | (a.atomic ? CELL_ATOMIC : 0);
  cell->written = a.touch();
}

bool overwrite_races(Check* c) {
  const Overwrite& o = c->overwrite;
  if (!o.pending) return false;
  c->overwrite.pending = false;
  return memcmp(o.offence.at, o.before, o.offence.bytes) != 0;
}

__attribute__((noinline, cold)) static void note_overwrite(Access a, Touch earlier) {
  Overwrite& o = a.check->overwrite;
  if (a.atomic || a.bytes > sizeof o.before) stop_race(a.offence(), earlier, true);
  if (o.pending) return; // of another word of this access
  o.thread = *a.thread;
  o.offence = a.offence();
  o.offence.thread = &o.thread;
  o.earlier = earlier;
  memcpy(o.before, a.at, a.bytes);
  o.pending = a.check->attention = true;
}

// Reads by threads of two warps since the last barrier: a write that is not ordered after one of them races already.
static inline bool is_shared(const Access& a, const Readers* r) {
  return r->read.time >= a.ordered && r->other.time >= a.ordered && r->read.time >= a.since &&
    ((r->read.who ^ r->other.who) >> a.shift) != 0;
}

static inline void judge_read(const Access& a, Slot at, tf_u32 mask) {
  Cell* cell = at.cell;
  tf_u32 flags = cell->flags;
  bool known = (flags / CELL_READ & mask) == mask;
  if (known && at.readers->read.who == a.me && at.readers->read.time == a.now) return;
  bool live = cell->written.time >= a.since;
  if (TF_UNLIKELY(!live)) flags = cell->flags &= CELL_BYTES * CELL_READ | CELL_SPLIT;
  if (TF_UNLIKELY(a.wants_set && (flags / CELL_SET & mask) != mask) && !a.check->unset) note_unset(a.offence());
  if (live && (flags / CELL_WRITTEN & mask) && !(a.atomic && (flags & CELL_ATOMIC)) && !a.after(cell->written))
    stop_race(a.offence(), cell->written, true);
  if (!a.atomic && !(known && is_shared(a, at.readers))) note_read(a, at, mask);
}

static inline void judge_write(const Access& a, Slot at, tf_u32 mask) {
  Cell* cell = at.cell;
  bool live = cell->written.time >= a.since;
  if (!live) cell->flags &= CELL_BYTES * CELL_READ | CELL_SPLIT;
  tf_u32 flags = cell->flags;
  if (TF_UNLIKELY(a.reads && a.wants_set && (flags / CELL_SET & mask) != mask) && !a.check->unset)
    note_unset(a.offence());
  if (live && (flags / CELL_WRITTEN & mask) && !(a.atomic && (flags & CELL_ATOMIC)) && !a.after(cell->written))
    note_overwrite(a, cell->written);
  if (flags / CELL_READ & mask) {
    const Readers* r = at.readers;
    if (r->read.time >= a.since && !a.after(r->read)) stop_race(a.offence(), r->read, false);
    if (r->other.time >= a.since && !a.after(r->other)) stop_race(a.offence(), r->other, false);
  }
  note_write(a, cell, mask);
}

static inline void judge(const Access& a, Slot at, tf_u32 mask) {
  if (a.writes) judge_write(a, at, mask);
  else judge_read(a, at, mask);
}

static inline Slot slot_of(const Shadow& s, tf_u64 word, bool upper) { return { s.cell(word, upper), s.readers(word, upper) }; }

// The bytes lo..hi of a word, not the whole of one that is not split.
__attribute__((noinline)) static void judge_part(Access a, const Shadow& s, tf_u64 word, tf_u32 lo, tf_u32 hi) {
  Slot lower = slot_of(s, word, false), upper = slot_of(s, word, true);
  if (!(lower.cell->flags & CELL_SPLIT)) s.split(word);
  tf_u32 bytes = (1u << hi) - (1u << lo);
  if (bytes & CELL_BYTES) judge(a, lower, bytes & CELL_BYTES);
  if (bytes >> 2) judge(a, upper, bytes >> 2);
  if (a.writes && bytes == 15) lower.cell->flags &= ~CELL_SPLIT;
}

// `from`: where the access begins, in bytes from the first cell's word.
static inline void judge_words(const Access& a, const Shadow& s, tf_u64 from) {
  tf_u64 end = from + a.bytes;
  for (tf_u64 word = from / 4; word * 4 < end; word++) {
    tf_u32 lo = from > word * 4 ? (tf_u32)(from - word * 4) : 0, hi = end < word * 4 + 4 ? (tf_u32)(end - word * 4) : 4;
    Slot whole = slot_of(s, word, false);
    if (hi - lo == 4 && !(whole.cell->flags & CELL_SPLIT)) judge(a, whole, CELL_BYTES);
    else judge_part(a, s, word, lo, hi);
  }
}

static bool in_atomic(const Access& a) {
  const Check* c = a.check;
  return c->atomic_thread == a.thread && a.at >= c->atomic_start && a.at + a.bytes <= c->atomic_end;
}

// --- buffers and local memory ---

static const Extent* extent_of(const Check* c, const char* at) {
  for (const Extent* e = c->extents + 1; e <= c->extents + c->extent_count; e++)
    if (at >= e->start && at < e->end) return e;
  return c->extents; // no address is in it
}

// False: an access that needs only to be inside.
static inline bool in_extent(Access& a, const Extent* e) {
  if (TF_UNLIKELY(a.at < e->start || a.at + a.bytes > e->end)) {
    e = extent_of(a.check, a.at);
    if (a.at < e->start || a.at + a.bytes > e->end) stop_bounds(a.offence());
  }
  if (!e->shadow.cells) {
    if (TF_UNLIKELY(a.writes)) stop_input(a.offence());
    return false;
  }
  a.memory = TF_MEMORY_DEVICE;
  a.ordered = a.thread->group->ordered[TF_MEMORY_DEVICE];
  a.since = a.check->launch_time;
  a.wants_set = e->access == TF_EXTENT_WRITTEN;
  tf_u64 from = (tf_u64)a.at - ((tf_u64)e->start & ~3ull);
  e->unfold(from, a.bytes, a.since);
  judge_words(a, e->shadow, from);
  return true;
}

static inline void in_arena(Access& a, const TfGroup* g) {
  const Check* c = a.check;
  tf_u64 offset = (tf_u64)(a.at - g->arena);
  Span place = c->spans[c->place_at[offset / 16]];
  if (TF_UNLIKELY(offset < place.from || offset + a.bytes > place.end)) stop_bounds(a.offence());
  a.memory = TF_MEMORY_LOCAL;
  a.ordered = a.thread->group->ordered[TF_MEMORY_LOCAL];
  a.since = c->resident_time;
  a.wants_set = true;
  tf_u32* tags = tags_of(g);
  for (tf_u64 word = offset / 4; word <= (offset + a.bytes - 1) / 4; word++) tags[word] = TAG_NONE;
  judge_words(a, { (Cell*)g->shadow }, offset);
}

// Local memory of another group of the thread's cluster.
static void in_cluster(Access& a) {
  const TfGroup* own = a.thread->group;
  for (tf_u32 i = 0; i < own->cluster_size; i++)
    if ((tf_u64)(a.at - own->cluster_first[i].arena) < LOCAL_MAX) return in_arena(a, own->cluster_first + i);
  stop_bounds(a.offence());
}

// --- all of memory ---

static bool is_own(const Check* c, const char* at) {
  for (const Own& one : c->own)
    if ((tf_u64)(at - one.start) < one.bytes) return true;
  return false;
}

// A switch after an access is made when the next one is told of, since an access is told of before memory has it: another thread
// would find the place as it was. In lockstep the lanes of a warp take turns at every access to local memory.
static void switch_if_due(Device* d, TfThread* t) {
  Check* c = d->check;
  Due due = c->due;
  if (due == DUE_NONE || c->atomic_thread) return;
  c->due = DUE_NONE;
  bool lockstep = (c->flags & TF_LOCKSTEP) && due == DUE_LOCAL;
  if (lockstep || ((c->flags & TF_PREEMPT) && (next_random(d) & 7) == 0)) queue_yield(t);
}

static inline Access access_of(TfThread* t, Check* c, const char* at, tf_u64 bytes, const void* pc, bool writes) {
  return { c, t, at, bytes, pc, who_is(t), c->time, t->schedule->warp_shift, TF_MEMORY_LOCAL, 0, 0, false, false, !writes, writes };
}

// The long way: what is not plainly inside memory of its own, and what happens beside.
void access_any(const char* at, tf_u64 bytes, const void* pc, bool writes) {
  TfThread* t = thread_here();
  Device* d = device_of(t);
  Check* c = d->check;
  tf_u64 offset = (tf_u64)(at - c->space);
  bool local = (tf_u64)(at - d->arenas) < d->arena_count * ARENA_STRIDE + PAGE;
  bool outside = offset >= SPACE_BYTES && !local;
  if (outside && is_own(c, at)) return;
  if (overwrite_races(c)) stop_race(c->overwrite.offence, c->overwrite.earlier, true);
  switch_if_due(d, t);
  Access a = access_of(t, c, at, bytes, pc, writes);
  if (outside) stop_bounds(a.offence());
  if (c->atomic_thread && in_atomic(a)) return;
  if (local) in_cluster(a);
  else in_extent(a, &c->extents[c->pages[offset / PAGE]]);
  c->attention = c->switches | (c->atomic_thread != nullptr) | c->overwrite.pending;
  if (c->switches) c->due = local ? DUE_LOCAL : DUE_DEVICE;
}

void access_touch(const void* at, tf_u64 bytes, tf_u32 writes, const void* pc) {
  if (!bytes) return;
  access_any((const char*)at, bytes, pc, writes);
}

void access_atomic_begin(const void* at, tf_u32 bytes, tf_u32 how) {
  const void* pc = __builtin_return_address(0);
  TfThread* t = thread_here();
  Device* d = device_of(t);
  Check* c = d->check;
  tf_u32 kind = how & 3;
  if (overwrite_races(c)) stop_race(c->overwrite.offence, c->overwrite.earlier, true);
  switch_if_due(d, t);
  if ((tf_u64)at & (bytes - 1)) stop_misaligned({ t, (const char*)at, bytes, kind != TF_ATOMIC_LOAD, pc }, bytes, 0);
  if (how & TF_ATOMIC_FENCED) access_fence();
  Access a = access_of(t, c, (const char*)at, bytes, pc, kind != TF_ATOMIC_LOAD);
  a.atomic = true;
  a.reads = kind != TF_ATOMIC_STORE;
  tf_u64 offset = (tf_u64)(a.at - c->space);
  if (offset < SPACE_BYTES) in_extent(a, &c->extents[c->pages[offset / PAGE]]);
  else if ((tf_u64)(a.at - d->arenas) < d->arena_count * ARENA_STRIDE + PAGE) in_cluster(a);
  else if (!is_own(c, a.at)) stop_bounds(a.offence());
  if (offset < SPACE_BYTES || (tf_u64)(a.at - c->base) < c->module->extent)
    clocks_atomic(c, at, (tf_u32)t->group->linear);
  c->attention = true;
  c->atomic_thread = t;
  c->atomic_start = (const char*)at;
  c->atomic_end = (const char*)at + bytes;
}

void access_atomic_end() {
  Check* c = device_of(thread_here())->check;
  c->atomic_thread = nullptr;
  c->attention = c->switches | c->overwrite.pending;
  if (c->switches) c->due = DUE_DEVICE;
}

void access_fence() {
  TfThread* t = thread_here();
  const TfGroup* g = t->group;
  clocks_fence(device_of(t)->check, (tf_u32)g->linear, g->grid_x * g->grid_y * g->grid_z);
}

void access_misaligned(const void* at, tf_u32 align, TfSite site) {
  stop_misaligned({ thread_here(), (const char*)at, 0, false, nullptr }, align, site);
}

} // namespace tf
