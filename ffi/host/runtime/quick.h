// The short way of an access: whole halves and words that nobody else has touched since the last barrier but to read. What
// it cannot settle (false) is judged anew by access.cpp, which takes no harm from what was noted here.
#pragma once
#include "check.h"

#define TF_HOT static inline __attribute__((always_inline))

namespace tf {

TF_HOT void note(Touch* touch, tf_u32 who, tf_u32 time, tf_u32 place) {
  touch->who = who;
  touch->time = time;
  touch->place = place;
}

struct Quick {
  tf_u32 me, now, ordered, since, shift, place;
  bool wants_set;
  tf_u32* tags; // of local memory; null elsewhere
  tf_u32 common, own; // of the group and of the warp

  // Of an access to a buffer's extent, and to local memory.
  TF_MEMBER Quick(const Here& here, const Extent* e, const void* pc)
      : Quick(here, pc, here.device->check->launch_time, TF_MEMORY_DEVICE) {
    wants_set = e->access == TF_EXTENT_WRITTEN;
  }
  TF_MEMBER Quick(const Here& here, const TfGroup* g, const void* pc)
      : Quick(here, pc, here.device->check->resident_time, TF_MEMORY_LOCAL) {
    tags = tags_of(g);
    common = g->common;
    own = common - TAG_COMMON + TAG_WARP + here.thread->warp->index;
  }
  TF_MEMBER Quick(const Here& here, const void* pc, tf_u32 from, TfMemory memory)
      : me(who_is(here.thread)), now(here.device->check->time), ordered(here.thread->group->ordered[memory]), since(from),
        shift(here.device->warp_shift), place(place_of(here.device->check, pc)), wants_set(true), tags(nullptr) {}

  static constexpr tf_u32 READ = CELL_BYTES * CELL_READ, SET = CELL_BYTES * CELL_SET;

  __attribute__((always_inline)) bool past(const Touch& t) const {
    return t.time < since || t.who == me || (t.time < ordered && group_of(t.who ^ me) == 0);
  }

  __attribute__((always_inline)) bool write(Cell* cell, Readers* r) const {
    tf_u32 flags = cell->flags;
    if ((flags & CELL_ATOMIC) || !past(cell->written)) return false;
    if ((flags & READ) && !(past(r->read) && past(r->other))) return false;
    note(&cell->written, me, now, place);
    cell->flags = (flags & CELL_SPLIT) | CELL_BYTES * CELL_WRITTEN | SET;
    return true;
  }

  // Of a word's lower cell its tag, else null.
  __attribute__((always_inline)) bool read(Cell* cell, Readers* r, tf_u32* tag) const {
    tf_u32 flags = cell->flags, seen = flags & READ;
    if ((flags & CELL_ATOMIC) || cell->written.time < since || (wants_set && (flags & SET) != SET)) return false;
    if (!past(cell->written)) return false;
    if (seen == READ) {
      bool known = tag && cell->written.time < ordered && (flags & (CELL_KNOWN | CELL_SPLIT)) == CELL_KNOWN;
      if (r->read.who != me) {
        // Two warps have read since the last barrier: a write that is not ordered after one of them races already.
        if (r->read.time >= ordered && r->other.time >= ordered && (r->read.who ^ r->other.who) >> shift) {
          if (known && common != TAG_NEVER) *tag = common;
          return true;
        }
        bool apart = (r->read.who ^ me) >> shift;
        if (r->read.time >= since && (r->other.time < ordered || apart)) r->other = r->read;
        known = known && common != TAG_NEVER && r->other.time >= ordered; // and this is the other read since the barrier
        if (tag) *tag = !known ? (tf_u32)TAG_NONE : (r->other.who ^ me) >> shift ? common : own;
      } else if (tag) {
        *tag = TAG_NONE;
      }
    } else if (seen) {
      return false;
    } else {
      r->other.time = 0;
      cell->flags = flags | READ;
    }
    note(&r->read, me, now, place);
    return true;
  }

  // Whether all of some words have this tag.
  __attribute__((always_inline)) bool are_tagged(tf_u64 word, tf_u64 count, tf_u32 tag) const {
    typedef tf_u32 Four __attribute__((vector_size(16), aligned(4)));
    typedef tf_u64 Two __attribute__((vector_size(16)));
    typedef tf_u64 Pair __attribute__((aligned(4), may_alias));
    const tf_u32* first = tags + word;
    if (count == 2) return *(const Pair*)first == (tag | (tf_u64)tag << 32);
    if (count == 4) {
      Two apart = (Two)(*(const Four*)first ^ Four{ tag, tag, tag, tag });
      return !(apart[0] | apart[1]);
    }
    tf_u32 apart = 0;
    for (tf_u64 i = 0; i < count; i++) apart |= first[i] ^ tag;
    return !apart;
  }

  __attribute__((always_inline)) void note_reads(const Shadow& s, tf_u64 word, tf_u64 count) const {
    for (tf_u64 end = word + count; word < end; word++) note(&s.readers(word, false)->read, me, now, place);
  }

  // Whether the words from one on, none of them split, may be read.
  __attribute__((always_inline)) bool read_words(const Shadow& s, tf_u64 word, tf_u64 count) const {
    for (tf_u64 end = word + count; word < end; word++) {
      if (tags[word] == common) continue;
      Readers* readers = s.readers(word, false);
      if (tags[word] == own) {
        note(&readers->read, me, now, place);
        continue;
      }
      Cell* cell = s.cell(word, false);
      if ((cell->flags & CELL_SPLIT) || !read(cell, readers, tags + word)) return false;
    }
    return true;
  }

  // Whether a tag is of before the last barrier: nobody has been there since.
  __attribute__((always_inline)) bool is_past(tf_u32 tag) const {
    return tag != TAG_NONE && (tag ^ common) >> (32 - TAG_TIME_BITS);
  }

  template <bool WRITES> __attribute__((always_inline)) bool step(const Shadow& s, tf_u64 word, bool upper) const {
    Cell* cell = s.cell(word, upper);
    Readers* readers = s.readers(word, upper);
    if (WRITES && tags) tags[word] = TAG_NONE;
    return WRITES ? write(cell, readers) : read(cell, readers, tags && !upper ? tags + word : nullptr);
  }

  // `from`: where the access begins, in bytes from the first cell's word.
  template <bool WRITES> __attribute__((always_inline)) bool access(const Shadow& s, tf_u64 from, tf_u64 bytes) const {
    tf_u64 word = from / 4;
    if (bytes == 2) return (s.cell(word, false)->flags & CELL_SPLIT) && step<WRITES>(s, word, from & 2);
    if ((bytes | from) & 3) return false;
    for (tf_u64 end = word + bytes / 4; word < end; word++) {
      if (WRITES && tags && is_past(tags[word])) {
        tags[word] = TAG_NONE;
        note(&s.cell(word, false)->written, me, now, place);
        s.cell(word, false)->flags = CELL_BYTES * CELL_WRITTEN | SET;
        continue;
      }
      bool split = s.cell(word, false)->flags & CELL_SPLIT;
      if (TF_UNLIKELY(split && !step<WRITES>(s, word, true)) || !step<WRITES>(s, word, false)) return false;
      if (WRITES && split) s.cell(word, false)->flags &= ~CELL_SPLIT; // both halves are this write's
    }
    return true;
  }
};

} // namespace tf
