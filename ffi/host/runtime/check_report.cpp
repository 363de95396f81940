// What a check image has found, in words: the memory by its name, every thread, every line.
#include "check.h"

namespace tf {

static void put_line(Text& text, const Device* d, tf_u64 place) {
  const Module* m = d->check->module;
  tf_u64 pc = (tf_u64)m->base + place - 1; // of the call, not of what follows it
  if (!line_of(m, pc, text)) (text << "offset ").hex(place - 1) << " of the image";
}

static void put_line(Text& text, const Offence& o) {
  const Device* d = device_of(o.thread);
  put_line(text, d, (tf_u64)o.pc - (tf_u64)d->check->module->base);
}

static void put_other(Text& text, const TfThread* near, const Touch& t) {
  const TfGroup* g = near->group;
  tf_u32 group = group_of(t.who), thread = thread_of(t.who);
  if (group != g->linear)
    (text << "group ").triple(group % g->grid_x, group / g->grid_x % g->grid_y, group / (g->grid_x * g->grid_y)) << " ";
  (text << "thread ").triple(thread % g->size_x, thread / g->size_x % g->size_y, thread / (g->size_x * g->size_y));
}

static const Extent* nearest(const Extent* all, tf_u32 count, const char* at) {
  const Extent* best = nullptr;
  tf_u64 least = ~0ull;
  for (const Extent* e = all + 1; e <= all + count; e++) {
    tf_u64 away = at < e->start ? (tf_u64)(e->start - at) : at < e->end ? 0 : (tf_u64)(at - e->end) + 1;
    if (away < least) best = e, least = away;
  }
  return best;
}

static void put_extent(Text& text, const Extent* e, const char* at) {
  tf_u64 bytes = (tf_u64)(e->end - e->start);
  if (at < e->start) text << (tf_u64)(e->start - at) << " bytes before ";
  else text << "byte " << (tf_u64)(at - e->start) << " of ";
  if (e->file) (text << "local memory " << e->name << " (" << bytes << " bytes, declared at ").site(tf_site(e->file, e->line)) << ")";
  else if (e->name && *e->name) text << e->name << " (" << bytes << " bytes, argument " << e->line << ")";
  else text << "argument " << e->line << " (" << bytes << " bytes)";
}

// The memory by the name that the source has for it.
static void put_memory(Text& text, const Device* d, const TfThread* t, const char* at) {
  const Check* c = d->check;
  bool local = (tf_u64)(at - d->arenas) < d->arena_count * ARENA_STRIDE + PAGE;
  if ((tf_u64)(at - d->memory.space) < SPACE_BYTES) {
    if (const Extent* e = nearest(c->extents, c->extent_count, at)) return put_extent(text, e, at);
    text << "memory that is no argument's";
  } else if (local) {
    tf_u64 index = (tf_u64)(at - d->arenas - PAGE) / ARENA_STRIDE;
    const TfGroup* g = index < d->group_count ? &d->groups[index] : t->group;
    const char* in_first = d->groups->arena + (at - g->arena);
    if (const Extent* e = nearest(c->places, c->place_count, in_first)) return put_extent(text, e, in_first);
    text << "local memory, of which the kernel has none";
  } else if ((tf_u64)at < 65536) text << "a null pointer";
  else (text << "address ").hex((tf_u64)at) << ", which is no memory of the kernel";
}

static void put_offence(Text& text, const Offence& o, const char* what) {
  text << what << ": ";
  put_thread(text, o.thread);
  text << (o.writes ? " writes " : " reads ");
  if (o.bytes) text << o.bytes << (o.bytes == 1 ? " byte at " : " bytes at ");
  put_memory(text, device_of(o.thread), o.thread, o.at);
  put_line(text << ", at ", o);
}

// Whether a barrier lies between, of the group or of one warp, that orders other memory.
static bool is_left_out(const TfThread* t, const Touch& earlier) {
  bool one_warp = thread_of(earlier.who) >> t->schedule->warp_shift == t->warp->index;
  return earlier.time < t->group->left_out_time || (one_warp && earlier.time < t->warp->left_out_time);
}

void report_race(const Offence& o, const Touch& earlier, bool wrote) {
  Device* d = device_of(o.thread);
  bool groups = group_of(earlier.who) != o.thread->group->linear;
  Text text = report(d);
  put_offence(text, o, groups ? "race between groups" : "race");
  text << "; ";
  put_other(text, o.thread, earlier);
  put_line(text << (wrote ? " wrote it at " : " read it at "), d, earlier.place);
  text << (groups ? ", and nothing orders the two groups"
           : is_left_out(o.thread, earlier) ? ", and the flags of the barrier between leave this memory out"
                                            : ", and no barrier lies between");
}

void stop_race(const Offence& o, const Touch& earlier, bool wrote) {
  report_race(o, earlier, wrote);
  stop(tf_self(), TF_RACE);
}

void note_unset(const Offence& offence) {
  Offence o = offence;
  o.writes = false;
  Check* c = device_of(o.thread)->check;
  Text text(c->unset_text, sizeof c->unset_text);
  c->unset = true;
  put_offence(text, o, "uninitialised");
  text << ", and nothing has written them";
}

void report_unset(Device* d) {
  if (!d->check->unset || d->status == TF_RACE) return;
  report(d) << d->check->unset_text;
  d->status = TF_UNINITIALISED;
}

void stop_bounds(const Offence& o) {
  Text text = report(device_of(o.thread));
  put_offence(text, o, "out of bounds");
  stop(o.thread, TF_BOUNDS);
}

void stop_input(const Offence& o) {
  Text text = report(device_of(o.thread));
  put_offence(text, o, "write to an input");
  stop(o.thread, TF_INPUT);
}

void stop_misaligned(const Offence& o, tf_u32 align, TfSite site) {
  Device* d = device_of(o.thread);
  Text text = report(d);
  text << "misaligned: ";
  put_thread(text, o.thread);
  text << " takes ";
  put_memory(text, d, o.thread, o.at);
  text << ", at ";
  if (o.pc) put_line(text, o);
  else text.site(site);
  text << ", as a multiple of " << align << " bytes";
  stop(o.thread, TF_MISALIGNED);
}

} // namespace tf
