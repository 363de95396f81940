// The short ways of accesses of check images, which are all but few: what they cannot settle is for access.cpp. Each is a
// function that a tail call leaves for the next, so that it needs no registers but its own and the return address stays the
// access.
#include "quick.h"

namespace tf {

// The accesses of a place in the code that begin in start..end need no judging until the launch ends.
TF_HOT void free_range(Check* c, TfRange* range, tf_u64 start, tf_u64 end, tf_u64 bytes, tf_u64 each) {
  tf_u32 shift = each < 2 ? 0 : each == 2 ? 1 : each == 4 ? 2 : 3; // of the alignment
  start = (start + (1ull << shift) - 1) >> shift << shift;
  if (end < start + bytes) return;
  range->start = start;
  range->room = ((end - start - bytes) >> shift) + 1;
  if (range >= c->ranges_end) c->ranges_end = range + 1;
}

// The compiler calls for a size that it takes to be aligned, to 8 bytes at most.
TF_HOT bool is_misaligned(const void* at, tf_u64 each) { return each && ((tf_u64)at & (each - 1) & 7) != 0; }

// The short ways, by where the access is: whether one of them settles it.
TF_HOT bool is_slow(const Check* c, const char* at, tf_u64 each) { return c->attention || is_misaligned(at, each); }

template <bool WRITES>
TF_HOT bool settled_in_buffer(const char* at, tf_u64 bytes, tf_u64 each, TfRange* range, const void* pc) {
  const Here here;
  Check* c = here.device->check;
  if (is_slow(c, at, each)) return false;
  const Extent* e = (const Extent*)range->extent;
  if (!e || at < e->start || at + bytes > e->end) {
    tf_u64 offset = (tf_u64)(at - c->space);
    if (offset >= SPACE_BYTES) return false;
    e = &c->extents[c->pages[offset / PAGE]];
    if (at < e->start || at + bytes > e->end) return false;
    range->extent = e;
    if (range >= c->ranges_end) c->ranges_end = range + 1;
  }
  const TfThread* t = here.thread;
  if (!e->shadow.cells) {
    if (!WRITES) free_range(c, range, (tf_u64)e->start, (tf_u64)e->end, bytes, each);
    return !WRITES;
  }
  Quick q = { who_is(t), c->time, t->group->ordered, c->launch_time, here.device->warp_shift, place_of(c, pc), 0,
              e->access == TF_EXTENT_WRITTEN };
  return q.access<WRITES>(e->shadow, (tf_u64)at - ((tf_u64)e->start & ~3ull), bytes);
}

// A write of 2 or 4 bytes of the buffer that its place in the code wrote last, where no other thread has been in this launch.
template <tf_u32 BYTES> TF_HOT bool is_fresh_write(const char* at, const TfRange* range, const void* pc) {
  const Extent* e = (const Extent*)range->extent;
  const Here here;
  const Check* c = here.device->check;
  if (!e || is_slow(c, at, BYTES) || at < e->start || at + BYTES > e->end || !e->shadow.cells) return false;
  tf_u64 from = (tf_u64)at - ((tf_u64)e->start & ~3ull);
  Cell* cell = e->shadow.cell(from / 4, false);
  if (BYTES == 4 ? (cell->flags & CELL_SPLIT) || from & 3 : !(cell->flags & CELL_SPLIT)) return false;
  if (BYTES == 2) cell += from / 2 & 1;
  tf_u32 me = who_is(here.thread), flags = cell->flags;
  if (flags & (CELL_BYTES * CELL_READ | CELL_ATOMIC) || (cell->written.time >= c->launch_time && cell->written.who != me))
    return false;
  note(&cell->written, me, c->time, place_of(c, pc));
  cell->flags = (flags & CELL_SPLIT) | CELL_BYTES * (CELL_WRITTEN | CELL_SET);
  return true;
}

template <bool WRITES> TF_HOT bool settled_in_local(const char* at, tf_u64 bytes, tf_u64 each, const void* pc) {
  const Here here;
  const TfThread* t = here.thread;
  const TfGroup* g = t->group;
  tf_u64 offset = (tf_u64)(at - g->arena);
  if (offset >= LOCAL_MAX) return false;
  Check* c = here.device->check;
  Span place = c->spans[c->place_at[offset / 16]];
  if (offset < place.from || offset + bytes > place.end || is_slow(c, at, each)) return false;
  Quick q = { who_is(t), c->time, g->ordered, c->resident_time, here.device->warp_shift, place_of(c, pc), g->common, true };
  return q.access<WRITES>({ (Cell*)g->shadow }, offset, bytes);
}

// Stacks and contexts, the image, and the runtime's structures that inlined code reads.
TF_HOT bool is_known_own(const char* at, tf_u64 bytes, tf_u64 each, TfRange* range) {
  Check* c = device_of(tf_self())->check;
  if (is_slow(c, at, each)) return false;
  for (const Own& one : c->own) {
    if ((tf_u64)(at - one.start) >= one.bytes) continue;
    free_range(c, range, (tf_u64)one.start, (tf_u64)one.start + one.bytes, bytes, each);
    return true;
  }
  return false;
}

// Reads one by one, so that a report names the one. Writes as a whole: none of them is done before all are judged, and what
// they leave as it was (Overwrite) shows only then.
static void access_each(const char* at, tf_u64 bytes, tf_u64 each, bool writes, const void* pc) {
  for (const char* one = at; each && one < at + bytes; one += each) {
    if (TF_UNLIKELY(is_misaligned(one, each)))
      stop_misaligned({ thread_here(), one, each, writes, pc }, each < 8 ? (tf_u32)each : 8, 0);
    if (!writes) access_any(one, each, pc, false);
  }
  if (writes || !each) access_any(at, bytes, pc, writes);
}

// Each is by tail calls: the short way needs no registers but its own, and the return address is the access.
#define TF_TAIL [[clang::musttail]] return
#define TF_WHERE __builtin_return_address(0)

// Words of local memory whose cells lie in a row: those of a read, if it takes whole words of one block of shadow.
struct Words {
  const TfGroup* group;
  tf_u64 word;
  bool are; // there are such

  TF_MEMBER Words(const Here& here, const char* at, tf_u64 bytes, tf_u64 align) : group(here.thread->group) {
    constexpr tf_u64 BLOCK = Shadow::BLOCK_WORDS * 4;
    tf_u64 offset = (tf_u64)(at - group->arena);
    word = offset / 4;
    are = offset < LOCAL_MAX && !((offset & (align - 1)) | (bytes & 3)) && offset % BLOCK + bytes <= BLOCK;
  }
  TF_MEMBER Shadow shadow() const { return { (Cell*)group->shadow }; }
  TF_MEMBER Cell* cell() const { return shadow().cell(word, false); }
};

// A read of words of local memory that all threads of the group may read (CELL_COMMON). They are one variable's, since
// nothing is ever written between two.
TF_HOT bool is_common(const char* at, tf_u64 bytes, tf_u64 align) {
  const Words words(Here(), at, bytes, align);
  if (!words.are) return false;
  tf_u32 common = words.group->common;
  const Cell *cell = words.cell(), *end = cell + bytes / 2;
  for (; cell < end; cell += 2)
    if (cell->flags != common) return false;
  return true;
}

// A read of words that were written since the group began, so that they are one variable's too.
TF_HOT bool settled_in_words(const char* at, tf_u64 bytes, tf_u64 align, const void* pc) {
  const Here here;
  const Words words(here, at, bytes, align);
  const Check* c = here.device->check;
  if (!words.are || c->attention) return false;
  const TfThread* t = here.thread;
  const TfGroup* g = words.group;
  const Quick q = { who_is(t), c->time, g->ordered, c->resident_time, here.device->warp_shift, place_of(c, pc), g->common, true };
  Cell *cell = words.cell(), *end = cell + bytes / 2;
  for (Readers* readers = words.shadow().readers(words.word, false); cell < end; cell += 2, readers += 2) {
    if (cell->flags == q.common) continue;
    if ((cell->flags & CELL_SPLIT) || !q.read(cell, readers)) return false;
  }
  return true;
}

#define TF_FAR static __attribute__((noinline))
#define TF_NEXT(name) TF_TAIL name(at, bytes, each, range)
TF_FAR TF_JUDGE(load_each) { access_each((const char*)at, bytes, each, false, TF_WHERE); }
TF_FAR TF_JUDGE(load_own) { if (!is_known_own((const char*)at, bytes, each, range)) TF_NEXT(load_each); }
TF_FAR TF_JUDGE(load_buffer) { if (!settled_in_buffer<false>((const char*)at, bytes, each, range, TF_WHERE)) TF_NEXT(load_own); }
TF_FAR TF_JUDGE(load_local) { if (!settled_in_local<false>((const char*)at, bytes, each, TF_WHERE)) TF_NEXT(load_buffer); }
TF_FAR TF_JUDGE(load_local_word) { if (!settled_in_local<false>((const char*)at, 4, 4, TF_WHERE)) TF_NEXT(load_buffer); }
TF_FAR TF_JUDGE(load_words) { if (!settled_in_words((const char*)at, bytes, each >= 8 ? 8 : 4, TF_WHERE)) TF_NEXT(load_local); }
TF_FAR TF_JUDGE(load_one_word) { if (!settled_in_words((const char*)at, 4, 4, TF_WHERE)) TF_NEXT(load_local_word); }
TF_JUDGE(access_load) { if (!is_common((const char*)at, bytes, each >= 8 ? 8 : 4)) TF_NEXT(load_words); }
TF_JUDGE(access_load_word) { if (!is_common((const char*)at, 4, 4)) TF_NEXT(load_one_word); }
TF_JUDGE(access_load_half) { if (!settled_in_local<false>((const char*)at, 2, 2, TF_WHERE)) TF_NEXT(load_buffer); }

TF_FAR TF_JUDGE(store_each) { access_each((const char*)at, bytes, each, true, TF_WHERE); }
TF_FAR TF_JUDGE(store_own) { if (!is_known_own((const char*)at, bytes, each, range)) TF_NEXT(store_each); }
TF_FAR TF_JUDGE(store_local) { if (!settled_in_local<true>((const char*)at, bytes, each, TF_WHERE)) TF_NEXT(store_own); }
TF_JUDGE(access_store) { if (!settled_in_buffer<true>((const char*)at, bytes, each, range, TF_WHERE)) TF_NEXT(store_local); }
TF_JUDGE(access_store_word) { if (!is_fresh_write<4>((const char*)at, range, TF_WHERE)) TF_NEXT(access_store); }
TF_JUDGE(access_store_half) { if (!is_fresh_write<2>((const char*)at, range, TF_WHERE)) TF_NEXT(access_store); }

} // namespace tf
