#include "arithmetic.h"

constexpr constant uint NAN_RANK = 0xffffffffu; // above every number's
constexpr constant uint NAN_FLAG = 0x80000000u; // set in the id when the pick is a NaN

/// A float's place in the order -inf < … < -0 = +0 < … < +inf < NaN, from its bits, so subnormals are told apart.
inline uint rank_of(float v) {
  const uint bits = as_type<uint>(v);
  if (is_nan(v)) return NAN_RANK;
  if ((bits << 1) == 0) return 0x80000000u;
  return bits >> 31 ? ~bits : bits | 0x80000000u;
}

/// A value's rank and place in its row. Rank 0 is below every float's: nothing seen yet.
struct Pick {
  uint rank;
  uint id;
};

/// The one picked of two: the higher rank; the lower id of equal ranks.
inline Pick better(Pick a, Pick b) {
  const bool ahead = b.rank > a.rank;
  const bool tied_ahead = b.rank == a.rank && b.id < a.id;
  return ahead || tied_ahead ? b : a;
}

/// id = argmax(x): the lowest id of the largest value, or the first NaN's with bit 31 set. One threadgroup a row.
/// width: any, below 2^31.
[[kernel, max_total_threads_per_threadgroup(THREADS)]] void tf_argmax_rows(
    device const float* x [[buffer(0)]],
    device uint* id [[buffer(1)]],
    constant uint& width [[buffer(2)]],
    uint row [[threadgroup_position_in_grid]],
    uint thread_index [[thread_index_in_threadgroup]],
    uint lane [[thread_index_in_simdgroup]],
    uint simd [[simdgroup_index_in_threadgroup]]) {
  threadgroup uint partial_rank[SIMDS];
  threadgroup uint partial_id[SIMDS];
  x += ulong(row) * width;

  // 1. Each thread's pick.
  Pick pick = {0, 0};
  for (uint i = thread_index; i < width; i += THREADS) pick = better(pick, Pick{rank_of(x[i]), i});

  // 2. The simdgroup's.
  for (ushort offset = LANES / 2; offset > 0; offset /= 2) {
    const uint rank = simd_shuffle_xor(pick.rank, offset);
    pick = better(pick, Pick{rank, simd_shuffle_xor(pick.id, offset)});
  }
  if (lane == 0) {
    partial_rank[simd] = pick.rank;
    partial_id[simd] = pick.id;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);

  // 3. The threadgroup's.
  if (thread_index != 0) return;
  for (uint i = 1; i < SIMDS; i++) pick = better(pick, Pick{partial_rank[i], partial_id[i]});
  const uint flag = pick.rank == NAN_RANK ? NAN_FLAG : 0u;
  id[row] = pick.id | flag;
}
