#include "arithmetic.h"

#define NAN_RANK 0xffffffffu // above every number's
#define NAN_FLAG 0x80000000u // set in the id when the pick is a NaN

/// A float's place in the order -inf < … < -0 = +0 < … < +inf < NaN, from its bits, so subnormals are told apart.
static inline uint rank_of(float v) {
  const uint bits = as_uint(v);
  if (is_nan(v)) return NAN_RANK;
  if (bits << 1 == 0) return 0x80000000u;
  return bits >> 31 ? ~bits : bits | 0x80000000u;
}

/// A value and its place in a row: x its rank, y its id. Rank 0 is below every float's: nothing seen yet.
typedef uint2 pick_t;

/// The one picked of two: the higher rank; the lower id of equal ranks.
static inline pick_t better(pick_t a, pick_t b) {
  const bool ahead = b.x > a.x;
  const bool tied_ahead = b.x == a.x && b.y < a.y;
  return ahead || tied_ahead ? b : a;
}

/// id = argmax(x): the lowest id of the largest value, or the first NaN's with bit 31 set. One work-group a row.
/// width: any, below 2^31.
kernel GROUP_OF_THREADS void tf_argmax_rows(global const float* restrict x, global uint* restrict id, uint width) {
  local uint2 partials[SUB_GROUPS];
  const uint thread = get_local_id(0);
  const ulong row = get_group_id(0);
  x += row * width;

  // 1. Each work-item's pick.
  pick_t pick = (pick_t)(0, 0);
  for (uint i = thread; i < width; i += THREADS) pick = better(pick, (pick_t)(rank_of(x[i]), i));

  // 2. The sub-group's.
  for (uint offset = LANES / 2; offset > 0; offset /= 2) {
    const uint rank = sub_group_shuffle_xor(pick.x, offset);
    pick = better(pick, (pick_t)(rank, sub_group_shuffle_xor(pick.y, offset)));
  }
  if (get_sub_group_local_id() == 0) partials[get_sub_group_id()] = pick;
  barrier(CLK_LOCAL_MEM_FENCE);

  // 3. The work-group's.
  if (thread != 0) return;
  for (uint i = 1; i < SUB_GROUPS; i++) pick = better(pick, partials[i]);
  const uint flag = pick.x == NAN_RANK ? NAN_FLAG : 0u;
  id[row] = pick.y | flag;
}
