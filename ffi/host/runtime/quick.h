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
  tf_u32 common; // of the group, in its local memory; 0 elsewhere
  bool wants_set;

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

  __attribute__((always_inline)) bool read(Cell* cell, Readers* r) const {
    tf_u32 flags = cell->flags, seen = flags & READ;
    if ((flags & CELL_ATOMIC) || cell->written.time < since || (wants_set && (flags & SET) != SET)) return false;
    if (!past(cell->written)) return false;
    if (seen == READ) {
      if (r->read.who != me) {
        // Two warps have read since the last barrier: a write that is not ordered after one of them races already.
        if (r->read.time >= ordered && r->other.time >= ordered && (r->read.who ^ r->other.who) >> shift) {
          if (common && cell->written.time < ordered && (flags & CELL_COMMON) == CELL_COMMON) cell->flags = common;
          return true;
        }
        bool apart = (r->read.who ^ me) >> shift;
        if (r->read.time >= since && (r->other.time < ordered || apart)) r->other = r->read;
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

  template <bool WRITES> __attribute__((always_inline)) bool step(const Shadow& s, tf_u64 word, bool upper) const {
    return WRITES ? write(s.cell(word, upper), s.readers(word, upper)) : read(s.cell(word, upper), s.readers(word, upper));
  }

  // `from`: where the access begins, in bytes from the first cell's word.
  template <bool WRITES> __attribute__((always_inline)) bool access(const Shadow& s, tf_u64 from, tf_u64 bytes) const {
    tf_u64 word = from / 4;
    if (bytes == 2) return (s.cell(word, false)->flags & CELL_SPLIT) && step<WRITES>(s, word, from & 2);
    if ((bytes | from) & 3) return false;
    for (tf_u64 end = word + bytes / 4; word < end; word++) {
      bool split = s.cell(word, false)->flags & CELL_SPLIT;
      if (TF_UNLIKELY(split && !step<WRITES>(s, word, true)) || !step<WRITES>(s, word, false)) return false;
      if (WRITES && split) s.cell(word, false)->flags &= ~CELL_SPLIT; // both halves are this write's
    }
    return true;
  }
};

} // namespace tf
