// Every access of a check image: is it inside what it may touch, is it written before it is read, and is it ordered after
// what other threads did there.
#include "check.h"

namespace tf {

// One access, with what its cells are judged by.
struct Access {
  Check* check;
  TfThread* thread;
  const char* at;
  tf_u64 bytes;
  const void* pc;
  tf_u32 me, now, ordered;
  tf_u32 since;   // a cell's times before this one are stale
  bool wants_set; // a byte that nobody wrote holds nothing
  bool atomic, reads, writes;

  Offence offence() const { return { thread, at, bytes, writes, pc }; }
  Touch touch() const { return { me, now, (tf_u32)((const char*)pc - check->module->base) }; }
  bool after(const Touch& a) const {
    if (a.who == me) return true;
    if (group_of(a.who) == group_of(me) && a.time < ordered) return true;
    return check_before(check, thread, me, a);
  }
};

static inline bool same_warp(const Access& a, const Touch& t) {
  return ((t.who ^ a.me) >> ((const Device*)a.thread->schedule)->warp_shift) == 0;
}

static inline void note_read(const Access& a, Cell* cell, tf_u32 mask) {
  const Touch& last = cell->read;
  tf_u32 kept = last.who == a.me && last.time == a.now ? cell->flags & (CELL_BYTES * CELL_READ) : 0;
  if (last.who != a.me && last.time >= a.since) {
    bool stale = cell->other.time < a.since || cell->other.time < a.ordered;
    if (stale || !same_warp(a, last)) cell->other = last;
    kept = cell->flags & (CELL_BYTES * CELL_READ); // the mask holds for both readers
  }
  cell->read = a.touch();
  cell->flags = (cell->flags & ~(CELL_BYTES * CELL_READ)) | kept | mask * CELL_READ;
}

static inline void note_write(const Access& a, Cell* cell, tf_u32 mask) {
  bool again = cell->written.who == a.me && cell->written.time == a.now;
  tf_u32 flags = cell->flags & ~CELL_ATOMIC;
  if (!again) flags &= ~(CELL_BYTES * CELL_WRITTEN);
  cell->flags = flags | mask * (CELL_WRITTEN | CELL_SET) | (a.atomic ? CELL_ATOMIC : 0);
  cell->written = a.touch();
  if (mask == CELL_BYTES) cell->read.time = cell->other.time = 0; // what is ordered after this write is after them too
}

bool overwrite_races(Check* c) {
  const Overwrite& o = c->overwrite;
  if (!o.pending) return false;
  c->overwrite.pending = false;
  return memcmp(o.offence.at, o.before, o.offence.bytes) != 0;
}

static void note_overwrite(const Access& a, const Touch& earlier) {
  Overwrite& o = a.check->overwrite;
  if (a.atomic || a.bytes > sizeof o.before) stop_race(a.offence(), earlier, true);
  if (o.pending) return; // of another word of this access
  o.thread = *a.thread;
  o.offence = a.offence();
  o.offence.thread = &o.thread;
  o.earlier = earlier;
  memcpy(o.before, a.at, a.bytes);
  o.pending = true;
}

static inline void judge(const Access& a, Cell* cell, tf_u32 mask) {
  if (!a.writes && cell->read.who == a.me && cell->read.time == a.now && (cell->flags / CELL_READ & mask) == mask) return;
  bool live = cell->written.time >= a.since;
  if (!live) cell->flags &= CELL_BYTES * CELL_READ | CELL_SPLIT;
  if (a.reads && a.wants_set && (cell->flags / CELL_SET & mask) != mask && !a.check->unset)
    note_unset(a.offence());
  bool both_atomic = a.atomic && (cell->flags & CELL_ATOMIC);
  if (live && (cell->flags / CELL_WRITTEN & mask) && !both_atomic && !a.after(cell->written)) {
    if (!a.writes) stop_race(a.offence(), cell->written, true);
    note_overwrite(a, cell->written);
  }
  if (!a.writes) {
    if (!a.atomic) note_read(a, cell, mask);
    return;
  }
  if (cell->flags / CELL_READ & mask) {
    if (cell->read.time >= a.since && !a.after(cell->read)) stop_race(a.offence(), cell->read, false);
    if (cell->other.time >= a.since && !a.after(cell->other)) stop_race(a.offence(), cell->other, false);
  }
  note_write(a, cell, mask);
}

// The bytes lo..hi of a word.
static inline void judge_word(const Access& a, Cell* cell, Cell* half, tf_u32 lo, tf_u32 hi) {
  bool whole = hi - lo == 4;
  if (whole && TF_UNLIKELY(cell->flags & CELL_SPLIT)) {
    judge(a, cell, CELL_BYTES);
    judge(a, half, CELL_BYTES);
    if (a.writes) cell->flags &= ~CELL_SPLIT;
    return;
  }
  if (whole) return judge(a, cell, CELL_BYTES);
  if (!(cell->flags & CELL_SPLIT)) {
    *half = *cell;
    cell->flags |= CELL_SPLIT;
  }
  tf_u32 bytes = (1u << hi) - (1u << lo);
  if (bytes & CELL_BYTES) judge(a, cell, bytes & CELL_BYTES);
  if (bytes >> 2) judge(a, half, bytes >> 2);
}

// `from`: where the access begins, in bytes from the first cell's word.
static inline void judge_words(const Access& a, Cell* cells, Cell* halves, tf_u64 from) {
  tf_u64 end = from + a.bytes;
  for (tf_u64 word = from / 4; word * 4 < end; word++) {
    tf_u32 lo = from > word * 4 ? (tf_u32)(from - word * 4) : 0, hi = end < word * 4 + 4 ? (tf_u32)(end - word * 4) : 4;
    judge_word(a, &cells[word], &halves[word], lo, hi);
  }
}

static bool in_atomic(const Access& a) {
  const Check* c = a.check;
  return c->atomic_thread == a.thread && a.at >= c->atomic_start && a.at + a.bytes <= c->atomic_end;
}

// --- buffers ---

static const Extent* extent_of(const Check* c, const char* at, tf_u64 page) {
  tf_u32 index = c->pages[page];
  if (index && index != 255) return &c->extents[index - 1];
  for (const Extent* e = c->extents; index && e < c->extents + c->extent_count; e++)
    if (at >= e->start && at < e->end) return e;
  return nullptr;
}

static inline void access_buffer(Access& a, tf_u64 offset) {
  const Extent* e = extent_of(a.check, a.at, offset / PAGE);
  if (TF_UNLIKELY(!e || a.at < e->start || a.at + a.bytes > e->end)) stop_bounds(a.offence());
  if (!e->cells) {
    if (TF_UNLIKELY(a.writes)) stop_input(a.offence());
    return;
  }
  a.since = a.check->launch_time;
  a.wants_set = e->access == TF_EXTENT_WRITTEN;
  judge_words(a, e->cells, e->halves, (tf_u64)a.at - ((tf_u64)e->start & ~3ull));
}

// --- local memory ---

// The resident group of the thread's cluster in whose arena the address lies; null: none.
static const TfGroup* owner_of(const Device* d, const Access& a) {
  const TfGroup* own = a.thread->group;
  for (tf_u32 i = 0; i < own->cluster_size; i++)
    if ((tf_u64)(a.at - arena_start(d, own->cluster_first + i)) < LOCAL_MAX) return own->cluster_first + i;
  return nullptr;
}

static inline void access_local(const Device* d, Access& a) {
  const TfGroup* g = a.thread->group;
  tf_u64 offset = (tf_u64)(a.at - arena_start(d, g));
  if (TF_UNLIKELY(offset >= LOCAL_MAX)) {
    g = owner_of(d, a);
    if (!g) stop_bounds(a.offence());
    offset = (tf_u64)(a.at - arena_start(d, g));
  }
  Check* c = a.check;
  tf_u32 index = c->place_at[offset / 16];
  const Extent* place = &c->places[index - 1];
  char* first = arena_start(d, d->groups); // places are told by their addresses in the first group
  if (TF_UNLIKELY(!index || first + offset < place->start || first + offset + a.bytes > place->end))
    stop_bounds(a.offence());
  a.since = c->resident_time;
  a.wants_set = true;
  Cell* cells = (Cell*)c->local + (tf_u64)(g - d->groups) * (LOCAL_MAX / 4) * 2;
  judge_words(a, cells, cells + LOCAL_MAX / 4, offset);
}

// --- all of memory ---

// Stacks, the image's constants and variables, and the runtime's structures that inlined code reads.
static bool is_own(const Device* d, const char* p) {
  tf_u64 at = (tf_u64)p;
  if (at - (tf_u64)d->region < REGION_BYTES) return true;
  if (at - (tf_u64)d->warps < d->warp_capacity * sizeof(TfWarp)) return true;
  if (at - (tf_u64)d->groups < d->group_capacity * sizeof(TfGroup)) return true;
  if (at - (tf_u64)d < sizeof(Device) || at - (tf_u64)d->check->module->base < d->check->module->extent) return true;
  return at - (tf_u64)d->wide_barriers < (STACKS + 1) * sizeof(TfBarrier);
}

// In lockstep the lanes of a warp take turns at every access to local memory.
static void switch_after(Device* d, TfThread* t, bool local) {
  bool lockstep = (d->check->flags & TF_LOCKSTEP) && local;
  if (lockstep || ((d->check->flags & TF_PREEMPT) && (next_random(d) & 7) == 0)) queue_yield(t);
}

static inline void access(const char* at, tf_u64 bytes, const void* pc, bool writes) {
  TfThread* t = tf_self();
  Device* d = device_of(t);
  tf_u64 offset = (tf_u64)(at - d->memory.space);
  bool local = (tf_u64)(at - d->arenas) < d->arena_count * ARENA_STRIDE + PAGE;
  if (TF_UNLIKELY(offset >= SPACE_BYTES && !local)) {
    if (is_own(d, at)) return;
    stop_bounds({ t, at, bytes, writes, pc });
  }
  Check* c = d->check;
  if (TF_UNLIKELY(c->overwrite.pending) && overwrite_races(c))
    stop_race(c->overwrite.offence, c->overwrite.earlier, true);
  Access a = { c, t, at, bytes, pc, who_is(t), c->time, t->group->ordered, 0, false, false, !writes, writes };
  if (TF_UNLIKELY(c->atomic_thread != nullptr) && in_atomic(a)) return;
  if (local) access_local(d, a);
  else access_buffer(a, offset);
  if (TF_UNLIKELY(c->switches) && !c->overwrite.pending) switch_after(d, t, local);
}

// The compiler calls for a size that it takes to be aligned, to 8 bytes at most.
static inline void check_align(const void* at, tf_u64 bytes, const void* pc, bool writes) {
  tf_u64 align = bytes < 8 ? bytes : 8;
  if (TF_UNLIKELY((tf_u64)at & (align - 1)) && (bytes & (bytes - 1)) == 0 && bytes <= 16)
    stop_misaligned({ tf_self(), (const char*)at, bytes, writes, pc }, (tf_u32)align, 0);
}

void access_load(const void* at, tf_u64 bytes) {
  check_align(at, bytes, __builtin_return_address(0), false);
  access((const char*)at, bytes, __builtin_return_address(0), false);
}
void access_store(const void* at, tf_u64 bytes) {
  check_align(at, bytes, __builtin_return_address(0), true);
  access((const char*)at, bytes, __builtin_return_address(0), true);
}
void access_touch(const void* at, tf_u64 bytes, tf_u32 writes, const void* pc) {
  if (bytes) access((const char*)at, bytes, pc, writes != 0);
}

void access_atomic_begin(const void* at, tf_u32 bytes, tf_u32 how) {
  const void* pc = __builtin_return_address(0);
  TfThread* t = tf_self();
  Device* d = device_of(t);
  Check* c = d->check;
  tf_u32 kind = how & 3;
  if (overwrite_races(c)) stop_race(c->overwrite.offence, c->overwrite.earlier, true);
  if ((tf_u64)at & (bytes - 1)) stop_misaligned({ t, (const char*)at, bytes, kind != TF_ATOMIC_LOAD, pc }, bytes, 0);
  if (how & TF_ATOMIC_FENCED) access_fence();
  tf_u64 offset = (tf_u64)((const char*)at - d->memory.space);
  Access a = { c, t, (const char*)at, bytes, pc, who_is(t), c->time, t->group->ordered, 0, false, true,
               kind != TF_ATOMIC_STORE, kind != TF_ATOMIC_LOAD };
  if (offset < SPACE_BYTES) {
    access_buffer(a, offset);
    clocks_atomic(c, at, (tf_u32)t->group->linear);
  } else if ((tf_u64)((const char*)at - d->arenas) < d->arena_count * ARENA_STRIDE + PAGE) access_local(d, a);
  else if ((tf_u64)at - (tf_u64)c->module->base < c->module->extent) clocks_atomic(c, at, (tf_u32)t->group->linear);
  else if (!is_own(d, (const char*)at)) stop_bounds(a.offence());
  c->atomic_thread = t;
  c->atomic_start = (const char*)at;
  c->atomic_end = (const char*)at + bytes;
}

void access_atomic_end() {
  TfThread* t = tf_self();
  Device* d = device_of(t);
  d->check->atomic_thread = nullptr;
  if (TF_UNLIKELY(d->check->switches)) switch_after(d, t, false);
}

void access_fence() {
  TfThread* t = tf_self();
  const TfGroup* g = t->group;
  clocks_fence(device_of(t)->check, (tf_u32)g->linear, g->grid_x * g->grid_y * g->grid_z);
}

void access_misaligned(const void* at, tf_u32 align, TfSite site) {
  stop_misaligned({ tf_self(), (const char*)at, 0, false, nullptr }, align, site);
}

} // namespace tf
