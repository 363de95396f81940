// Order between groups by fences and atomic accesses. A group's fence makes what it did before ready to be seen; its next
// atomic access to a place hands that on to whoever has an atomic access there later, with all that was handed to it.
#include "check.h"

namespace tf {

struct ClockPlace {
  const void* at;
  tf_u32* known; // a group: what it did before this time
};

struct Clocks {
  bool on;       // a group of this launch has fenced
  bool full;     // too many groups or places: nothing is said
  tf_u32 groups;
  tf_u64 used;
  char* pool;    // zero past `used`
  tf_u32* fenced;  // a group: the time of its last fence
  tf_u32** known;  // a group; null: nothing
  ClockPlace places[CLOCK_PLACES];
};

void clocks_begin(Check* c) {
  Clocks* k = c->clocks;
  if (!k || !k->on) return;
  os_unmap(k->pool, CLOCK_BYTES);
  os_unmap(k, sizeof(Clocks));
  c->clocks = nullptr;
}

void clocks_close(Check* c) {
  Clocks* k = c->clocks;
  if (!k) return;
  if (k->pool) os_unmap(k->pool, CLOCK_BYTES);
  os_unmap(k, sizeof(Clocks));
  c->clocks = nullptr;
}

static void* take(Clocks* k, tf_u64 bytes) {
  bytes = round_up(bytes, 64);
  if (k->used + bytes > CLOCK_BYTES) return k->full = true, nullptr;
  void* taken = k->pool + k->used;
  k->used += bytes;
  return taken;
}

static Clocks* open_clocks(tf_u32 groups) {
  Clocks* k = (Clocks*)os_pages(sizeof(Clocks));
  if (!k) return nullptr;
  k->on = true;
  k->groups = groups;
  k->pool = (char*)os_pages(CLOCK_BYTES);
  k->full = !k->pool || groups > CLOCK_GROUPS;
  if (k->full) return k;
  k->fenced = (tf_u32*)take(k, groups * sizeof(tf_u32));
  k->known = (tf_u32**)take(k, groups * sizeof(tf_u32*));
  return k;
}

void clocks_fence(Check* c, tf_u32 group, tf_u32 groups) {
  if (!c->clocks) c->clocks = open_clocks(groups);
  Clocks* k = c->clocks;
  if (k && !k->full) k->fenced[group] = ++c->time;
}

static ClockPlace* place_of(Clocks* k, const void* at) {
  tf_u32 slot = (tf_u32)(((tf_u64)at >> 2) * 0x9e3779b97f4a7c15ull >> 52);
  for (tf_u32 i = 0; i < CLOCK_PLACES; i++) {
    ClockPlace* place = &k->places[(slot + i) % CLOCK_PLACES];
    if (place->at == at) return place;
    if (place->at) continue;
    place->at = at;
    return place;
  }
  k->full = true;
  return nullptr;
}

static tf_u32* vector(Clocks* k, tf_u32*& known) {
  if (!known) known = (tf_u32*)take(k, k->groups * sizeof(tf_u32));
  return known;
}

void clocks_atomic(Check* c, const void* at, tf_u32 group) {
  Clocks* k = c->clocks;
  if (!k || k->full) return;
  ClockPlace* place = place_of(k, at);
  bool fenced = k->fenced[group] != 0;
  if (!place || (!fenced && !place->known)) return;
  tf_u32 *mine = vector(k, k->known[group]), *there = vector(k, place->known);
  if (!mine || !there) return;
  for (tf_u32 i = 0; i < k->groups; i++) mine[i] = mine[i] > there[i] ? mine[i] : there[i];
  if (!fenced) return;
  mine[group] = k->fenced[group];
  memcpy(there, mine, k->groups * sizeof(tf_u32));
}

bool clocks_before(const Check* c, tf_u32 group, tf_u32 time, tf_u32 observer) {
  const Clocks* k = c->clocks;
  if (!k) return false;
  return k->full || (k->known[observer] && time < k->known[observer][group]);
}

} // namespace tf
