// Collectives of a warp's lanes. Masked ones (CUDA's *_sync) wait for the lanes of their mask; unmasked ones (Metal's
// simd_*, HIP's __shfl, OpenCL's sub_group_*) for every lane that has not returned, and complete with those that came
// when nothing else can run. A TfLanes is valid until its thread's next collective or barrier.
#ifndef TF_SIMT_COLLECTIVE_H
#define TF_SIMT_COLLECTIVE_H
#include "schedule.h"

// What lanes do together; a warp whose lanes do different things under one mask has diverged. The runtime has the
// names.
enum TfOperation {
  TF_OP_SYNC = 1, TF_OP_SHUFFLE_XOR, TF_OP_SHUFFLE, TF_OP_SHUFFLE_UP, TF_OP_SHUFFLE_DOWN, TF_OP_BALLOT, TF_OP_MATCH,
  TF_OP_ADD, TF_OP_MULTIPLY, TF_OP_MIN, TF_OP_MAX, TF_OP_AND, TF_OP_OR, TF_OP_XOR, TF_OP_SCAN, TF_OP_BROADCAST,
  TF_OP_ACTIVE_MASK, TF_OP_MATRIX, TF_OP_SYNC_DEVICE, TF_OP_SYNC_LOCAL, TF_OP_SYNC_NONE, TF_OP_COUNT
};

// The lanes that came, and what each brought.
struct TfLanes {
  const tf_u64* value; // one a lane; only those of `mask` hold something
  tf_u64 mask;
  TfMeeting* meeting;
  tf_u32 buffer;
};

// All lanes of a warp.
static constexpr tf_u64 TF_ALL_LANES = ~0ull >> (64 - TF_WARP);

// What a lane reads from one that brought nothing: a NaN as a float, a wild index as an integer.
static constexpr tf_u64 TF_ABSENT_LANE = 0x7fa5dead7fa5deadull;

template <class T> TF_INLINE tf_u64 tf_bits(T value) {
  static_assert(sizeof(T) <= 8, "a lane brings at most 8 bytes");
  tf_u64 bits = 0;
  __builtin_memcpy(&bits, &value, sizeof value);
  return bits;
}
template <class T> TF_INLINE T tf_from_bits(tf_u64 bits) {
  T value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

#if defined(TF_STEPPED)
TF_INLINE TfLanes tf_meet_by(tf_u32 kind, tf_u64 mask, tf_u64 value, tf_u32 op, TfSite site) {
  tf_u64 token = tf_suspend(kind, op, mask, value, site);
  return { tf_met_values(token), tf_met_came(token), tf_met_meeting(token), tf_met_buffer(token) };
}
TF_INLINE TfLanes tf_meet(TfThread*, tf_u64 mask, tf_u64 value, tf_u32 op, TfSite site) {
  bool all = (mask & TF_ALL_LANES) == TF_ALL_LANES;
  if (__builtin_constant_p(all) && all) return tf_meet_by(TF_PLACE_WARP, TF_ALL_LANES, value, op, site);
  return tf_meet_by(TF_PLACE_MASKED, mask, value, op, site);
}
TF_INLINE TfLanes tf_meet_active(TfThread*, tf_u64 value, tf_u32 op, TfSite site) {
  return tf_meet_by(TF_PLACE_ACTIVE, 0, value, op, site);
}
#else
TF_INLINE void tf_complete(TfSchedule* s, TfWarp* warp, TfMeeting* m, tf_u64 arrived) {
  tf_u32 lanes = (tf_u32)__builtin_popcountll(arrived), buffer = m->generation & 1;
  TfThread *head = m->head, *tail = m->tail;
  m->came[buffer] = arrived;
  m->reduced &= ~(1u << buffer);
  m->readers += lanes - 1;
  warp->waiting -= lanes;
  m->arrived = 0;
  m->generation++;
  m->head = m->tail = nullptr;
#if defined(TF_CHECK)
  tf_runtime.met(warp, arrived, m->op);
#endif
  tf_release(s, head, tail);
}

// Arrives at a meeting; returns when it is complete. `wanted`: the lanes that complete it.
TF_INLINE void tf_arrive(TfThread* thread, TfWarp* warp, TfMeeting* m, tf_u64 wanted, tf_u32 op, TfSite site) {
  TfSchedule* s = thread->schedule;
  tf_u64 arrived = m->arrived | 1ull << thread->lane;
  m->arrived = arrived;
  m->op = op;
  m->site = site;
  warp->waiting++;
  if (arrived == wanted) return tf_complete(s, warp, m, arrived);
  tf_enqueue(m->head, m->tail, thread);
  tf_leave(thread, s);
  m->readers--;
}

// A masked collective.
TF_OUTLINED TfLanes tf_meet(TfThread* thread, tf_u64 mask, tf_u64 value, tf_u32 op, TfSite site) {
  TfWarp* warp = thread->warp;
  TfMeeting* m = &warp->meeting[TF_MEETING_FULL];
  mask &= warp->full;
  if (TF_UNLIKELY(m->mask != mask)) m = tf_runtime.meeting(thread, mask, site);
  tf_u32 buffer = m->generation & 1;
  m->value[buffer][thread->lane] = value;
  bool other = (m->arrived != 0) & (m->op != op);
  if (TF_UNLIKELY(other | (thread->schedule->seeded != 0))) tf_runtime.meet(thread, m, op, site);
  else tf_arrive(thread, warp, m, mask & warp->live, op, site);
  return { m->value[buffer], m->came[buffer], m, buffer };
}

// An unmasked collective.
TF_OUTLINED TfLanes tf_meet_active(TfThread* thread, tf_u64 value, tf_u32 op, TfSite site) {
  TfWarp* warp = thread->warp;
  TfMeeting* m = &warp->meeting[TF_MEETING_ACTIVE];
  tf_u32 buffer = m->generation & 1;
  bool other = (m->arrived != 0) & ((m->op != op) | (m->site != site));
  bool apart = warp->waiting != (tf_u32)__builtin_popcountll(m->arrived);
  if (TF_UNLIKELY(other | apart | (thread->schedule->seeded != 0))) {
    m = tf_runtime.meet_active(thread, value, op, site, &buffer);
  } else {
    m->value[buffer][thread->lane] = value;
    tf_arrive(thread, warp, m, warp->live, op, site);
  }
  return { m->value[buffer], m->came[buffer], m, buffer };
}

#endif

TF_INLINE bool tf_came(const TfLanes& lanes, tf_u32 lane) { return lane < TF_LANES_MAX && (lanes.mask >> lane & 1); }

// The value of one lane; `absent` where it did not come.
template <class T> TF_OUTLINED T tf_pick(const TfLanes& lanes, tf_u32 lane, T absent = tf_from_bits<T>(TF_ABSENT_LANE)) {
  return tf_came(lanes, lane) ? tf_from_bits<T>(lanes.value[lane]) : absent;
}

// The lane that a shuffle of `width` lanes (a power of two) reads; a lane past the end of the part reads itself.
TF_INLINE tf_u32 tf_source(tf_u32 op, tf_u32 lane, tf_u32 by, tf_u32 width) {
  tf_u32 first = lane & ~(width - 1), last = first + width - 1, source = lane;
  if (op == TF_OP_SHUFFLE) return first + (by & (width - 1));
  if (op == TF_OP_SHUFFLE_XOR) source = lane ^ by;
  else if (op == TF_OP_SHUFFLE_DOWN) source = lane + by;
  else return by > lane - first ? lane : lane - by;
  return source > last ? lane : source;
}

TF_OUTLINED tf_u64 tf_ballot_of(const TfLanes& lanes) {
  tf_u64 votes = 0;
  for (tf_u64 rest = lanes.mask; rest; rest &= rest - 1) {
    tf_u32 lane = (tf_u32)__builtin_ctzll(rest);
    votes |= (lanes.value[lane] & 1) << lane;
  }
  return votes;
}

// That of a whole warp, whose lanes the compiler knows by number.
template <class T, class F> TF_INLINE T tf_reduce_warp(const TfLanes& lanes, T* part, F combine) {
  for (tf_u32 lane = 0; lane < TF_WARP; lane++) part[lane] = tf_from_bits<T>(lanes.value[lane]);
  for (tf_u32 half = TF_WARP / 2; half; half /= 2)
    for (tf_u32 lane = 0; lane < half; lane++) part[lane] = combine(part[lane], part[lane + half]);
  lanes.meeting->result[lanes.buffer] = tf_bits(part[0]);
  lanes.meeting->reduced |= 1u << lanes.buffer;
  return part[0];
}

// The reduction of all values in one order, whatever the schedule: halves are added until one is left, as a butterfly
// of exclusive-or shuffles with the largest distance first does; a lane that is not there adds nothing. The first lane
// that asks computes it for all. Every lane of a meeting passes the same `combine`.
template <class T, class F> TF_OUTLINED T tf_reduce(const TfLanes& lanes, F combine) {
  TfMeeting* m = lanes.meeting;
  if (m->reduced >> lanes.buffer & 1) return tf_from_bits<T>(m->result[lanes.buffer]);
  T part[TF_LANES_MAX] TF_UNSET;
  tf_u64 there = lanes.mask;
  if (there == TF_ALL_LANES) return tf_reduce_warp<T>(lanes, part, combine);
  for (tf_u64 rest = there; rest; rest &= rest - 1) {
    tf_u32 lane = (tf_u32)__builtin_ctzll(rest);
    part[lane] = tf_from_bits<T>(lanes.value[lane]);
  }
  for (tf_u32 half = TF_LANES_MAX / 2; half; half /= 2) {
    for (tf_u32 lane = 0; lane < half; lane++) {
      bool low = there >> lane & 1, high = there >> (lane + half) & 1;
      if (low & high) part[lane] = combine(part[lane], part[lane + half]);
      else if (high) part[lane] = part[lane + half];
    }
    there |= there >> half;
  }
  m->result[lanes.buffer] = tf_bits(part[0]);
  m->reduced |= 1u << lanes.buffer;
  return part[0];
}

// An unmasked barrier. `left_out`: a bit a memory that it does not order.
TF_INLINE void tf_sync_active([[maybe_unused]] tf_u32 left_out, TfSite site) {
  TfThread* thread = tf_self();
#if defined(TF_CHECK)
  if (left_out == 1 << TF_MEMORY_LOCAL) return (void)tf_meet_active(thread, 0, TF_OP_SYNC_DEVICE, site);
  if (left_out == 1 << TF_MEMORY_DEVICE) return (void)tf_meet_active(thread, 0, TF_OP_SYNC_LOCAL, site);
  if (left_out) return (void)tf_meet_active(thread, 0, TF_OP_SYNC_NONE, site);
#endif
  tf_meet_active(thread, 0, TF_OP_SYNC, site);
}

// The combination of lanes 0..lane (`inclusive`) or 0..lane-1, in lane order; `start` where there is none.
template <class T, class F> TF_OUTLINED T tf_scan(const TfLanes& lanes, tf_u32 lane, bool inclusive, T start, F combine) {
  tf_u64 below = (1ull << lane) - 1;
  if (inclusive) below |= 1ull << lane;
  T sum = start;
  bool first = true;
  for (tf_u64 rest = lanes.mask & below; rest; rest &= rest - 1) {
    T value = tf_from_bits<T>(lanes.value[__builtin_ctzll(rest)]);
    sum = first ? value : combine(sum, value);
    first = false;
  }
  return sum;
}

#endif
