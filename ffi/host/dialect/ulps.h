// What a library function may give in place of the correctly rounded result. In an image of the kind `ulps`, every function
// with a documented limit passes its result through tf_loose, which notes that it was called and, in a launch that asks for
// it, moves the result by at most that limit; elsewhere TF_LOOSE is the result itself.
//
// TF_LIMIT_<name> comes from the table of the dialect's functions: id, steps, slope, absolute error, from, to.
#ifndef TF_ULPS_H
#define TF_ULPS_H
#include "fp.h"

#if defined(TF_ULPS)

extern "C" TF_HIDDEN TfUlps tf_ulps;

struct TfLimit {
  tf_u32 id;
  double steps, slope;     // steps of fp32 from the correctly rounded result, and floor(slope |x|) of them more
  double error, from, to;  // instead, an absolute error of operands from..to; 0 for none
};

TF_INLINE tf_u64 tf_ulps_draw(tf_u32 seed, tf_u32 id, tf_u32 x, tf_u32 y) { // splitmix64
  tf_u64 h = ((tf_u64)seed << 32 | x) * 0x9e3779b97f4a7c15ull + ((tf_u64)id << 32 | y);
  h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9ull;
  h = (h ^ h >> 27) * 0x94d049bb133111ebull;
  return h ^ h >> 31;
}

// The least step at a value's magnitude, its binade's: a move never passes the limit where the spacing doubles.
TF_INLINE double tf_ulps_step(float value) {
  tf_u32 exponent = tf_float_bits(value) >> 23 & 255;
  return tf_bits_double((tf_u64)((exponent ? exponent : 1) - 150 + 1023) << 52);
}

// The float nearest `exact` that is no farther from it than `aim` is.
TF_INLINE float tf_ulps_toward(float exact, double aim) {
  float moved = (float)aim;
  double most = aim - (double)exact, gone = (double)moved - (double)exact;
  if ((most < 0 ? -most : most) >= (gone < 0 ? -gone : gone)) return moved;
  tf_u32 bits = tf_float_bits(moved);
  return tf_bits_float((moved > exact) == (moved > 0) ? bits - 1 : bits + 1);
}

static inline TF_NODEBUG float tf_loose(float exact, TfLimit limit, float x, float y = 0) {
  tf_ulps.used[limit.id / 64] |= 1ull << limit.id % 64;
  tf_u32 size = tf_float_bits(exact) & 0x7fffffff;
  // Infinities, NaN and zeros are results that no ulp blurs, as is that of 0, which every library states.
  if (!tf_ulps.seed || !size || size >= 0x7f800000 || x == 0) return exact;
  tf_u64 drawn = tf_ulps_draw(tf_ulps.seed, limit.id, tf_float_bits(x), tf_float_bits(y));
  double step = tf_ulps_step(exact), magnitude = x < 0 ? -(double)x : (double)x;
  double steps = limit.steps + (double)(tf_u64)(limit.slope * (magnitude < 1e6 ? magnitude : 1e6));
  if (limit.error > 0 && (double)x >= limit.from && (double)x <= limit.to) steps = limit.error / step - 0.5;
  if (steps < 0) steps = 0;
  bool full = tf_ulps.seed < TF_ULPS_MIXED || drawn & 2;
  double part = full ? steps : steps * ((double)(drawn >> 11) * 0x1p-53);
  bool up = tf_ulps.seed == TF_ULPS_UP || (tf_ulps.seed >= TF_ULPS_MIXED && drawn & 1);
  part = (double)(tf_u64)part;
  float moved = tf_ulps_toward(exact, (double)exact + (up ? part : -part) * step);
  if ((tf_float_bits(moved) & 0x7fffffff) >= 0x7f800000) return exact;
  bool crossed = limit.error == 0 && (tf_float_bits(moved) ^ tf_float_bits(exact)) >> 31;
  return crossed ? tf_bits_float(tf_float_bits(exact) & 0x80000000) : moved;
}
// No library's sine, tangent or error function leaves [-1, 1].
TF_INLINE float tf_within_one(float value) { return value > 1 ? 1.0f : value < -1 ? -1.0f : value; }

#define TF_LIMIT(name) (TfLimit{ TF_LIMIT_##name })
#define TF_LOOSE(name, exact, ...) tf_loose(exact, TF_LIMIT(name), __VA_ARGS__)
#define TF_LOOSE_UNIT(name, exact, x) tf_within_one(TF_LOOSE(name, exact, x))

#else

#define TF_LOOSE(name, exact, ...) (exact)
#define TF_LOOSE_UNIT(name, exact, x) (exact)

#endif
#endif
