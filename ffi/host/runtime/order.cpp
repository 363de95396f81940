// The order in which the threads of a seeded schedule start, and the rank of warps in a ranked one: from the first warp
// up or from the last one down, through all resident groups.
#include "device.h"

namespace tf {

TfWarp* warp_at(const Device* d, tf_u32 rank) {
  return d->warps + (d->descending ? d->warp_total - 1 - rank : rank);
}

tf_u32 rank_of(const Device* d, const TfWarp* warp) {
  tf_u32 index = (tf_u32)(warp - d->warps);
  return d->descending ? d->warp_total - 1 - index : index;
}

static void shuffle_indices(Device* d, tf_u32* indices, tf_u32 count) {
  for (tf_u32 i = count; i > 1; i--) {
    tf_u32 j = (tf_u32)(next_random(d) % i), other = indices[j];
    indices[j] = indices[i - 1];
    indices[i - 1] = other;
  }
}

// Warps by rank, the lanes of each shuffled.
static void order_by_rank(Device* d) {
  tf_u32* next = d->order_buffer;
  for (tf_u32 rank = 0; rank < d->warp_total; rank++) {
    const TfWarp* warp = warp_at(d, rank);
    const TfGroup* group = warp->group;
    tf_u32 first = (tf_u32)(group - d->groups) * group->threads + warp->index * group->warp_width;
    tf_u32 lanes = (tf_u32)__builtin_popcountll(warp->full);
    for (tf_u32 i = 0; i < lanes; i++) next[i] = first + i;
    shuffle_indices(d, next, lanes);
    next += lanes;
  }
}

void order_threads(Device* d) {
  if (d->ranked) return order_by_rank(d);
  for (tf_u32 i = 0; i < d->total; i++) d->order_buffer[i] = i;
  shuffle_indices(d, d->order_buffer, d->total);
}

} // namespace tf
