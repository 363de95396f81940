// A sub-group's collectives, for every scalar of OpenCL C.
#ifndef TF_OPENCL_IMAGE_SUBGROUP_H
#define TF_OPENCL_IMAGE_SUBGROUP_H
#include "../../math.h"
#include "../functions.h"
#include "export.h"

TF_CL_C uint tf_cl_lane() { return tf_self()->lane; }
TF_CL_C uint tf_cl_sub_group() { return tf_self()->warp->index; }
TF_CL_C uint tf_cl_sub_group_width() { return tf_self()->group->warp_width; }
TF_CL_C uint tf_cl_sub_group_size() { return (uint)__builtin_popcountll(tf_self()->warp->full); }
TF_CL_C uint tf_cl_sub_group_count() { return tf_self()->group->warp_count; }
TF_CL_C uint tf_cl_ballot(int predicate, ulong file, uint line) {
  TfLanes lanes = tf_meet_active(tf_self(), predicate != 0, TF_OP_BALLOT, tf_site((const char*)file, line));
  return (uint)tf_ballot_of(lanes);
}

TF_INLINE tf_u32 tf_cl_operation(uint how) {
  constexpr tf_u32 OPERATIONS[] = { TF_OP_ADD, TF_OP_MAX, TF_OP_MIN, TF_OP_MULTIPLY, TF_OP_AND, TF_OP_OR, TF_OP_XOR };
  return OPERATIONS[how];
}
template <class T>
constexpr bool tf_cl_is_float = __is_same(T, float) || __is_same(T, _Float16) || __is_same(T, double);

TF_INLINE float tf_cl_larger(float a, float b) { return tf_fmax(a, b); }
TF_INLINE float tf_cl_smaller(float a, float b) { return tf_fmin(a, b); }
TF_INLINE _Float16 tf_cl_larger(_Float16 a, _Float16 b) { return (_Float16)tf_fmax((float)a, (float)b); }
TF_INLINE _Float16 tf_cl_smaller(_Float16 a, _Float16 b) { return (_Float16)tf_fmin((float)a, (float)b); }
TF_INLINE double tf_cl_larger(double a, double b) { return a > b || b != b ? a : b; }
TF_INLINE double tf_cl_smaller(double a, double b) { return a < b || b != b ? a : b; }

template <class T> TF_INLINE T tf_cl_combine(uint how, T a, T b) {
  if (how == TF_CL_ADD) return (T)(a + b);
  if (how == TF_CL_MULTIPLY) return (T)(a * b);
  if constexpr (tf_cl_is_float<T>) return (T)(how == TF_CL_MAX ? tf_cl_larger(a, b) : tf_cl_smaller(a, b));
  else {
    if (how == TF_CL_MAX) return a < b ? b : a;
    if (how == TF_CL_MIN) return b < a ? b : a;
    return (T)(how == TF_CL_AND ? a & b : how == TF_CL_OR ? a | b : a ^ b);
  }
}
// What combines with any value to that value.
template <class T> TF_INLINE T tf_cl_neutral(uint how) {
  if (how == TF_CL_ADD) return (T)0;
  if constexpr (tf_cl_is_float<T>) return (T)(how == TF_CL_MAX ? -TF_INFINITY : TF_INFINITY);
  else {
    constexpr T most = (T)(~0ull >> (64 - 8 * sizeof(T) + __is_signed(T)));
    constexpr T least = __is_signed(T) ? (T)(-most - 1) : (T)0;
    return how == TF_CL_MAX ? least : most;
  }
}

template <class T> TF_INLINE T tf_cl_reduce_lanes(T v, uint how, TfSite site) {
  TfLanes lanes = tf_meet_active(tf_self(), tf_bits(v), tf_cl_operation(how), site);
  return tf_reduce<T>(lanes, [how](T a, T b) __attribute__((always_inline)) { return tf_cl_combine<T>(how, a, b); });
}
template <class T> TF_INLINE T tf_cl_scan_lanes(T v, uint how, uint inclusive, TfSite site) {
  TfThread* t = tf_self();
  return tf_scan<T>(tf_meet_active(t, tf_bits(v), TF_OP_SCAN, site), t->lane, inclusive != 0, tf_cl_neutral<T>(how),
                    [how](T a, T b) __attribute__((always_inline)) { return tf_cl_combine<T>(how, a, b); });
}
template <class T> TF_INLINE T tf_cl_move_lanes(T v, uint how, uint by, TfSite site) {
  constexpr tf_u32 OPERATIONS[] = {
    TF_OP_SHUFFLE, TF_OP_SHUFFLE_XOR, TF_OP_SHUFFLE_UP, TF_OP_SHUFFLE_DOWN, TF_OP_BROADCAST
  };
  TfThread* t = tf_self();
  TfLanes lanes = tf_meet_active(t, tf_bits(v), OPERATIONS[how], site);
  tf_u32 source = by;
  if (how == TF_CL_TO_XOR) source = t->lane ^ by;
  if (how == TF_CL_TO_UP) source = t->lane - by;
  if (how == TF_CL_TO_DOWN) source = t->lane + by;
  if (how == TF_CL_TO_FIRST) source = (tf_u32)__builtin_ctzll(lanes.mask);
  return tf_pick<T>(lanes, source);
}

// Both languages give a function of these types one name, but for half, which OpenCL C spells otherwise than C++.
#define TF_CL_COLLECTIVES(T, reduce_name, scan_name, move_name)                                                        \
  TF_CL_EXPORT T tf_cl_reduce(T v, uint how, ulong file, uint line) reduce_name;                                       \
  TF_CL_EXPORT T tf_cl_scan(T v, uint how, uint inclusive, ulong file, uint line) scan_name;                           \
  TF_CL_EXPORT T tf_cl_move(T v, uint how, uint by, ulong file, uint line) move_name;                                  \
  T tf_cl_reduce(T v, uint how, ulong file, uint line) {                                                               \
    return tf_cl_reduce_lanes<T>(v, how, tf_site((const char*)file, line));                                            \
  }                                                                                                                    \
  T tf_cl_scan(T v, uint how, uint inclusive, ulong file, uint line) {                                                 \
    return tf_cl_scan_lanes<T>(v, how, inclusive, tf_site((const char*)file, line));                                   \
  }                                                                                                                    \
  T tf_cl_move(T v, uint how, uint by, ulong file, uint line) {                                                        \
    return tf_cl_move_lanes<T>(v, how, by, tf_site((const char*)file, line));                                          \
  }
TF_CL_COLLECTIVES(char, , , )
TF_CL_COLLECTIVES(uchar, , , )
TF_CL_COLLECTIVES(short, , , )
TF_CL_COLLECTIVES(ushort, , , )
TF_CL_COLLECTIVES(int, , , )
TF_CL_COLLECTIVES(uint, , , )
TF_CL_COLLECTIVES(long, , , )
TF_CL_COLLECTIVES(ulong, , , )
TF_CL_COLLECTIVES(float, , , )
TF_CL_COLLECTIVES(double, , , )
TF_CL_COLLECTIVES(_Float16, __asm__("_Z12tf_cl_reduceDhjmj"), __asm__("_Z10tf_cl_scanDhjjmj"),
                  __asm__("_Z10tf_cl_moveDhjjmj"))
#undef TF_CL_COLLECTIVES

#endif
