// Barriers, and the functions of a simdgroup and of a quad. A sum of lanes is a butterfly's, the largest distance
// first, in every schedule. A lane that does not take part reads as a NaN, or as a wild index.
#ifndef TF_METAL_SIMD_H
#define TF_METAL_SIMD_H
#include "math.h"

namespace metal {

enum class mem_flags {
  mem_none = 0, mem_device = 1, mem_threadgroup = 2, mem_texture = 4, mem_threadgroup_imageblock = 8
};
TF_INLINE constexpr mem_flags operator|(mem_flags a, mem_flags b) { return (mem_flags)((int)a | (int)b); }

// A barrier orders the memory that its flags name; mem_none only keeps threads together.
TF_INLINE constexpr tf_u32 tf_left_out(mem_flags flags) {
  tf_u32 local = (int)flags & (int)mem_flags::mem_threadgroup ? 0 : 1 << TF_MEMORY_LOCAL;
  return (int)flags & (int)mem_flags::mem_device ? local : local | 1 << TF_MEMORY_DEVICE;
}
TF_INLINE void threadgroup_barrier(mem_flags flags, TfSite site = tf_here()) { tf_barrier(site, tf_left_out(flags)); }
TF_INLINE void simdgroup_barrier(mem_flags flags, TfSite site = tf_here()) { tf_sync_active(tf_left_out(flags), site); }

} // namespace metal

namespace tf_metal {

static constexpr tf_u32 SIMD_LANES = 32, QUAD_LANES = 4;

// f of a value that a lane can bring whole, or of its components one by one.
template <class T, class F> TF_INLINE T by_part(T v, F f) {
  if constexpr (sizeof(T) <= 8) return f(v);
  else {
    T r;
    for (int i = 0; i < TfVector<T>::size; i++) r[i] = f(v[i]);
    return r;
  }
}

template <class T> TF_INLINE T shuffle(T v, tf_u32 op, tf_u32 source, TfSite site) {
  return by_part(v, [=](auto part) __attribute__((always_inline)) {
    return tf_pick<decltype(part)>(tf_meet_active(tf_self(), tf_bits(part), op, site), source);
  });
}
template <class T> TF_INLINE T shuffle_within(T v, tf_u32 op, tf_u32 by, tf_u32 width, TfSite site) {
  tf_u32 way = op == TF_OP_BROADCAST ? TF_OP_SHUFFLE : op;
  return shuffle(v, op, tf_source(way, tf_self()->lane, by, width), site);
}

template <class T, class F> TF_INLINE T reduce(T v, tf_u32 op, F combine, TfSite site) {
  return by_part(v, [=](auto part) __attribute__((always_inline)) {
    return tf_reduce<decltype(part)>(tf_meet_active(tf_self(), tf_bits(part), op, site), combine);
  });
}

// The lanes of a thread's quad, (0, 2) and (1, 3) first.
template <class T, class F> TF_INLINE T reduce_quad(T v, tf_u32 op, F combine, TfSite site) {
  return by_part(v, [=](auto own) __attribute__((always_inline)) {
    typedef decltype(own) P;
    TfLanes lanes = tf_meet_active(tf_self(), tf_bits(own), op, site);
    tf_u32 first = tf_self()->lane & ~(QUAD_LANES - 1);
    auto join = [&](bool has_a, P a, bool has_b, P b) __attribute__((always_inline)) {
      return has_a && has_b ? combine(a, b) : has_a ? a : b;
    };
    bool came[4];
    P part[4];
    for (tf_u32 i = 0; i < 4; i++) came[i] = tf_came(lanes, first + i), part[i] = tf_pick<P>(lanes, first + i);
    P even = join(came[0], part[0], came[2], part[2]), odd = join(came[1], part[1], came[3], part[3]);
    return join(came[0] || came[2], even, came[1] || came[3], odd);
  });
}

template <class T, class F> TF_INLINE T scan(T v, bool inclusive, int start, F combine, TfSite site) {
  return by_part(v, [=](auto part) __attribute__((always_inline)) {
    typedef decltype(part) P;
    TfThread* t = tf_self();
    return tf_scan<P>(tf_meet_active(t, tf_bits(part), TF_OP_SCAN, site), t->lane, inclusive, make<P>(start), combine);
  });
}

#define TF_COMBINE(name, expression)                                                                                   \
  struct name {                                                                                                        \
    template <class T> TF_MEMBER T operator()(T a, T b) const { return (T)(expression); }                              \
  };
TF_COMBINE(Add, a + b)
TF_COMBINE(Multiply, a * b)
TF_COMBINE(Max, metal::max(a, b))
TF_COMBINE(Min, metal::min(a, b))
TF_COMBINE(And, a & b)
TF_COMBINE(Or, a | b)
TF_COMBINE(Xor, a ^ b)
#undef TF_COMBINE

} // namespace tf_metal

namespace metal {

#define TF_REDUCE(name, op, combine)                                                                                   \
  template <class T> TF_INLINE T simd_##name(T v, TfSite site = tf_here()) {                                           \
    return tf_metal::reduce(v, op, tf_metal::combine(), site);                                                         \
  }                                                                                                                    \
  template <class T> TF_INLINE T quad_##name(T v, TfSite site = tf_here()) {                                           \
    return tf_metal::reduce_quad(v, op, tf_metal::combine(), site);                                                    \
  }
TF_REDUCE(sum, TF_OP_ADD, Add)
TF_REDUCE(product, TF_OP_MULTIPLY, Multiply)
TF_REDUCE(max, TF_OP_MAX, Max)
TF_REDUCE(min, TF_OP_MIN, Min)
TF_REDUCE(and, TF_OP_AND, And)
TF_REDUCE(or, TF_OP_OR, Or)
TF_REDUCE(xor, TF_OP_XOR, Xor)
#undef TF_REDUCE

#define TF_SCAN(name, inclusive, start, combine)                                                                       \
  template <class T> TF_INLINE T simd_prefix_##name(T v, TfSite site = tf_here()) {                                    \
    return tf_metal::scan(v, inclusive, start, tf_metal::combine(), site);                                             \
  }
TF_SCAN(inclusive_sum, true, 0, Add)
TF_SCAN(exclusive_sum, false, 0, Add)
TF_SCAN(inclusive_product, true, 1, Multiply)
TF_SCAN(exclusive_product, false, 1, Multiply)
#undef TF_SCAN

#define TF_SHUFFLE(name, op)                                                                                           \
  template <class T> TF_INLINE T simd_##name(T v, ushort by, TfSite site = tf_here()) {                                \
    return tf_metal::shuffle_within(v, op, by, tf_metal::SIMD_LANES, site);                                            \
  }                                                                                                                    \
  template <class T> TF_INLINE T quad_##name(T v, ushort by, TfSite site = tf_here()) {                                \
    return tf_metal::shuffle_within(v, op, by, tf_metal::QUAD_LANES, site);                                            \
  }
TF_SHUFFLE(shuffle, TF_OP_SHUFFLE)
TF_SHUFFLE(broadcast, TF_OP_BROADCAST)
TF_SHUFFLE(shuffle_xor, TF_OP_SHUFFLE_XOR)
TF_SHUFFLE(shuffle_up, TF_OP_SHUFFLE_UP)
TF_SHUFFLE(shuffle_down, TF_OP_SHUFFLE_DOWN)
#undef TF_SHUFFLE

template <class T> TF_INLINE T simd_shuffle_rotate_up(T v, ushort by, TfSite site = tf_here()) {
  return tf_metal::shuffle(v, TF_OP_SHUFFLE, (tf_self()->lane - by) & 31, site);
}
template <class T> TF_INLINE T simd_shuffle_rotate_down(T v, ushort by, TfSite site = tf_here()) {
  return tf_metal::shuffle(v, TF_OP_SHUFFLE, (tf_self()->lane + by) & 31, site);
}
// The lanes that a shift leaves open take those of `fill`, from its other end.
template <class T> TF_INLINE T simd_shuffle_and_fill_up(T v, T fill, ushort by, TfSite site = tf_here()) {
  T moved = simd_shuffle_rotate_up(v, by, site), filled = simd_shuffle_rotate_up(fill, by, site);
  return tf_self()->lane < by ? filled : moved;
}
template <class T> TF_INLINE T simd_shuffle_and_fill_down(T v, T fill, ushort by, TfSite site = tf_here()) {
  T moved = simd_shuffle_rotate_down(v, by, site), filled = simd_shuffle_rotate_down(fill, by, site);
  return tf_self()->lane + by > 31 ? filled : moved;
}
template <class T> TF_INLINE T simd_broadcast_first(T v, TfSite site = tf_here()) {
  return tf_metal::by_part(v, [=](auto part) __attribute__((always_inline)) {
    TfLanes lanes = tf_meet_active(tf_self(), tf_bits(part), TF_OP_BROADCAST, site);
    return tf_pick<decltype(part)>(lanes, (tf_u32)__builtin_ctzll(lanes.mask));
  });
}

class simd_vote {
public:
  typedef ulong vote_t;
  TF_MEMBER explicit simd_vote(vote_t votes = 0) : votes(votes) {}
  TF_MEMBER explicit operator vote_t() const { return votes; }
  TF_MEMBER bool all() const { return votes == tf_self()->warp->full; }
  TF_MEMBER bool any() const { return votes != 0; }

private:
  vote_t votes;
};
TF_INLINE simd_vote simd_ballot(bool p, TfSite site = tf_here()) {
  return simd_vote(tf_ballot_of(tf_meet_active(tf_self(), p, TF_OP_BALLOT, site)));
}
TF_INLINE bool simd_any(bool p, TfSite site = tf_here()) { return simd_ballot(p, site).any(); }
TF_INLINE bool simd_all(bool p, TfSite site = tf_here()) { return !simd_ballot(!p, site).any(); }
TF_INLINE simd_vote simd_active_threads_mask(TfSite site = tf_here()) { return simd_ballot(true, site); }
TF_INLINE bool simd_is_first(TfSite site = tf_here()) {
  return (ulong)simd_ballot(true, site) % (1ull << tf_self()->lane) == 0;
}
TF_INLINE bool quad_any(bool p, TfSite site = tf_here()) { return quad_or((uint)p, site) != 0; }
TF_INLINE bool quad_all(bool p, TfSite site = tf_here()) { return quad_and((uint)p, site) != 0; }
TF_INLINE bool quad_is_first(TfSite site = tf_here()) {
  tf_u32 lane = tf_self()->lane;
  return ((ulong)simd_ballot(true, site) >> (lane & ~3u)) % (1ull << (lane & 3)) == 0;
}

} // namespace metal

#endif
