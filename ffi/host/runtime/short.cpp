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
  if (!e->shadow.cells) {
    if (!WRITES) free_range(c, range, (tf_u64)e->start, (tf_u64)e->end, bytes, each);
    return !WRITES;
  }
  tf_u64 from = (tf_u64)at - ((tf_u64)e->start & ~3ull);
  e->unfold(from, bytes, c->launch_time);
  return Quick(here, e, pc).access<WRITES>(e->shadow, from, bytes);
}

// A write of 2 or 4 bytes of the buffer that its place in the code wrote last, where no other thread has been in this launch.
template <tf_u32 BYTES> TF_HOT bool is_fresh_write(const char* at, const TfRange* range, const void* pc) {
  const Extent* e = (const Extent*)range->extent;
  const Here here;
  const Check* c = here.device->check;
  if (!e || is_slow(c, at, BYTES) || at < e->start || at + BYTES > e->end || !e->shadow.cells) return false;
  tf_u64 from = (tf_u64)at - ((tf_u64)e->start & ~3ull);
  Fold& fold = e->folds[from / Fold::BYTES];
  if (fold.state != c->launch_time && from % BYTES == 0) {
    const tf_u32 next = from % Fold::BYTES / BYTES, who = who_is(here.thread) - next, place = place_of(c, pc);
    const bool goes_on = fold.state == Fold::threads_of(BYTES, next) && fold.written.who == who &&
                         fold.written.time == c->time && fold.written.place == place;
    if (!goes_on && (next || fold.holds(c->launch_time))) return false;
    if (!goes_on) fold.written = { who, c->time, place };
    fold.state = Fold::threads_of(BYTES, next + 1);
    return true;
  }
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
  return Quick(here, g, pc).access<WRITES>({ (Cell*)g->shadow }, offset, bytes);
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
};

// A read of words of local memory that all threads of the group may read (TAG_COMMON). They are one variable's, since
// nothing is ever written between two.
TF_HOT bool is_common(const char* at, tf_u64 bytes, tf_u64 align) {
  const Words words(Here(), at, bytes, align);
  if (!words.are) return false;
  tf_u32 common = words.group->common;
  const tf_u32* tags = tags_of(words.group) + words.word;
  for (tf_u64 i = 0; i < bytes / 4; i++)
    if (tags[i] != common) return false;
  return true;
}

// A read of words that were written since the group began, so that they are one variable's too.
TF_HOT bool settled_in_words(const char* at, tf_u64 bytes, tf_u64 align, const void* pc) {
  const Here here;
  const Words words(here, at, bytes, align);
  if (!words.are || here.device->check->attention) return false;
  return Quick(here, words.group, pc).read_words({ (Cell*)words.group->shadow }, words.word, bytes / 4);
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
// Where a place has not yet written a buffer, first to local memory.
TF_FAR TF_JUDGE(store_local_word) { if (!settled_in_local<true>((const char*)at, 4, 4, TF_WHERE)) TF_NEXT(access_store); }
TF_JUDGE(access_store_word) {
  if (!range->extent) TF_NEXT(store_local_word);
  if (!is_fresh_write<4>((const char*)at, range, TF_WHERE)) TF_NEXT(access_store);
}
TF_JUDGE(access_store_half) { if (!is_fresh_write<2>((const char*)at, range, TF_WHERE)) TF_NEXT(access_store); }

// --- all turns of a loop ---

// What they span, if it is aligned and may be settled shortly.
struct Turned {
  const TfTurns& all;
  const char *start, *end;
  bool is_short;

  TF_MEMBER Turned(const Check* c, const TfTurns& turns) : all(turns) {
    const char *first = (const char*)all.first, *last = first + (all.turns - 1) * all.stride;
    start = first < last ? first : last;
    end = (first < last ? last : first) + all.bytes;
    is_short = !is_slow(c, first, all.each) && !is_misaligned((const void*)all.stride, all.each);
  }
};

// `from`: where an access begins, in bytes from the first cell's word. Halves of a word get cells of their own.
template <bool WRITES> TF_HOT bool in_cell(const Shadow& s, tf_u64 from, tf_u64 bytes, const Quick& q) {
  if (WRITES && bytes == 2 && !(s.cell(from / 4, false)->flags & CELL_SPLIT)) s.split(from / 4);
  return q.access<WRITES>(s, from, bytes);
}

template <bool WRITES> TF_HOT bool turns_in_cells(const Turned& t, const Shadow& s, tf_u64 from, const Quick& q) {
  for (tf_u64 turn = 0; turn < t.all.turns; turn++, from += t.all.stride)
    if (TF_UNLIKELY(!in_cell<WRITES>(s, from, t.all.bytes, q))) return false;
  return true;
}

// Whether a fold's words hold nothing of this launch but what is ordered before.
TF_HOT bool is_free(const Fold& fold, const Quick& q, tf_u32 launch_time) {
  return fold.state == Fold::FOLDED ? q.past(fold.written) : fold.state != launch_time && !fold.holds(launch_time);
}

// Writes of bytes that lie in a row: where they fill a fold that holds nothing else of this launch, it holds them.
TF_HOT bool written_in_row(const Turned& t, const Extent* e, tf_u64 from, const Quick& q, tf_u32 launch_time) {
  const tf_u64 end = from + (tf_u64)(t.end - t.start), unit = (from | end) & 3 ? 2 : 4;
  while (from < end) {
    Fold& fold = e->folds[from / Fold::BYTES];
    tf_u64 next = (from / Fold::BYTES + 1) * Fold::BYTES;
    bool filled = from % Fold::BYTES == 0 && next <= end && is_free(fold, q, launch_time);
    if (filled) {
      fold = { { q.me, q.now, q.place }, Fold::FOLDED };
    } else {
      if (fold.state != launch_time) e->unfold_one(from / Fold::BYTES, launch_time);
      next = next < end ? next : end;
      for (tf_u64 at = from; at < next; at += unit)
        if (!in_cell<true>(e->shadow, at, unit, q)) return false;
    }
    from = next;
  }
  return true;
}

template <bool WRITES> TF_HOT bool turns_in_buffer(const Here& here, const Turned& t, TfRange* range, const void* pc) {
  Check* c = here.device->check;
  tf_u64 offset = (tf_u64)(t.start - c->space);
  if (offset >= SPACE_BYTES) return false;
  const Extent* e = &c->extents[c->pages[offset / PAGE]];
  if (t.start < e->start || t.end > e->end) return false;
  if (!e->shadow.cells && !WRITES) free_range(c, range, (tf_u64)e->start, (tf_u64)e->end, t.all.bytes, t.all.each);
  if (!e->shadow.cells || (!WRITES && !t.all.any)) return !e->shadow.cells && !WRITES;
  const Quick q(here, e, pc);
  tf_u64 base = (tf_u64)e->start & ~3ull;
  bool in_row = t.all.stride == t.all.bytes && !(((tf_u64)t.start - base) & 1) && !(t.all.bytes & 1);
  if (WRITES && in_row) return written_in_row(t, e, (tf_u64)t.start - base, q, c->launch_time);
  e->unfold((tf_u64)t.start - base, (tf_u64)(t.end - t.start), c->launch_time);
  return turns_in_cells<WRITES>(t, e->shadow, (tf_u64)t.all.first - base, q);
}

template <bool WRITES> TF_HOT bool turns_in_local(const Here& here, const Turned& t, const void* pc) {
  const Check* c = here.device->check;
  const TfGroup* g = here.thread->group;
  tf_u64 offset = (tf_u64)(t.start - g->arena);
  if (offset >= LOCAL_MAX || (!WRITES && !t.all.any)) return false;
  Span place = c->spans[c->place_at[offset / 16]];
  if (offset < place.from || (tf_u64)(t.end - g->arena) > place.end) return false;
  const Quick q(here, g, pc);
  const Shadow s = { (Cell*)g->shadow };
  tf_u64 from = (tf_u64)((const char*)t.all.first - g->arena);
  if (WRITES || ((from | t.all.stride | t.all.bytes) & 3)) return turns_in_cells<WRITES>(t, s, from, q);
  tf_u64 word = from / 4, stride = (tf_u64)((long long)t.all.stride / 4), count = t.all.bytes / 4;
  for (tf_u64 turn = 0; turn < t.all.turns; turn++, word += stride) {
    if (q.are_tagged(word, count, q.common)) continue;
    if (q.are_tagged(word, count, q.own)) q.note_reads(s, word, count);
    else if (!q.read_words(s, word, count)) return false;
  }
  return true;
}

TF_HOT bool turns_in_own(Check* c, const Turned& t, TfRange* range) {
  for (const Own& one : c->own) {
    if (t.start < one.start || t.end > one.start + one.bytes) continue;
    free_range(c, range, (tf_u64)one.start, (tf_u64)one.start + one.bytes, t.all.bytes, t.all.each);
    return true;
  }
  return false;
}

#define TF_TURNED                                                                                                      \
  const Here here;                                                                                                     \
  Check* c = here.device->check;                                                                                       \
  const Turned t(c, *all)
TF_FAR TF_SETTLE(load_turns_own) { TF_TURNED; return turns_in_own(c, t, range); }
TF_FAR TF_SETTLE(load_turns_buffer) {
  TF_TURNED;
  if (turns_in_buffer<false>(here, t, range, TF_WHERE)) return true;
  TF_TAIL load_turns_own(all, range);
}
TF_SETTLE(turns_load) {
  TF_TURNED;
  if (!t.is_short) return false;
  if (turns_in_local<false>(here, t, TF_WHERE)) return true;
  TF_TAIL load_turns_buffer(all, range);
}

TF_FAR TF_SETTLE(store_turns_local) {
  TF_TURNED;
  return turns_in_local<true>(here, t, TF_WHERE) || turns_in_own(c, t, range);
}
TF_SETTLE(turns_store) {
  TF_TURNED;
  if (!t.is_short) return false;
  if (turns_in_buffer<true>(here, t, range, TF_WHERE)) return true;
  TF_TAIL store_turns_local(all, range);
}

} // namespace tf
