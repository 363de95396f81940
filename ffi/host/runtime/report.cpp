// What a failed launch says: what happened, to which thread, at which line of the kernel's source.
#include "../dialect/simt/collective.h"
#include "device.h"
#if !defined(__APPLE__)
#include <signal.h>
#endif

namespace tf {

Text report(Device* d) { return Text(d->error, sizeof d->error); }

void put_thread(Text& text, TfThread* thread) {
  TfGroup* g = thread->group;
  if (!g) {
    text << "a thread";
    return;
  }
  (text << "group ").triple(g->x, g->y, g->z);
  (text << " thread ").triple(thread->x, thread->y, thread->z);
}

const char* operation_name(tf_u32 op) {
  static const char* const NAMES[] = { "collective", "warp barrier", "shuffle xor", "shuffle", "shuffle up",
    "shuffle down", "ballot", "match", "sum", "product", "minimum", "maximum", "and", "or", "exclusive or", "scan",
    "broadcast", "query of the active lanes", "matrix operation", "warp barrier", "warp barrier", "warp barrier" };
  static_assert(sizeof NAMES / sizeof *NAMES == TF_OP_COUNT, "a name an operation");
  return NAMES[op < TF_OP_COUNT ? op : 0];
}

void stop_fault(TfThread* thread, const char* what, TfSite site) {
  Text text = report(device_of(thread));
  text << what << ": ";
  put_thread(text, thread);
  (text << " at ").site(site);
  stop(thread, TF_FAULT);
}

// A type as the compiler names it in quotes; of an alias only what it stands for: 'name' (aka 'float[32]').
static void put_type(Text& text, const char* name) {
  const char* last = name;
  bool quoted = false;
  for (const char* p = name; *p; p++)
    if (*p == '\'' && (quoted = !quoted)) last = p + 1;
  text.put('\'');
  for (; *last && *last != '\''; last++) text.put(*last);
  text.put('\'');
}

void stop_outside(TfThread* thread, long long index, const char* array, TfSite site) {
  Device* d = device_of(thread);
  if (d->stepping) thread = lane_running(d);
  Text text = report(d);
  text << "out of bounds: ";
  put_thread(text, thread);
  text << " takes element " << (index < 0 ? "-" : "");
  text << (tf_u64)(index < 0 ? -index : index) << " of an array ";
  put_type(text, array);
  (text << " at ").site(site);
  stop(thread, TF_FAULT);
}

static void put_place(Device* d, Text& text) {
  tf_u64 pc = d->fault.pc;
  Module* m = module_holding(d, pc);
  text << " at ";
  if (!m) (text << "address ").hex(pc);
  else if (!line_of(m, pc, text)) (text << "offset ").hex(pc - (tf_u64)m->base) << " of the image";
  text << ", kernel " << d->running->kernel->entry->name;
}

// The argument that a buffer was passed as.
static void put_argument(Device* d, Text& text, const Buffer* b) {
  const Queued* q = d->running;
  for (tf_u32 i = 0; i < q->launch.argument_count; i++)
    if (q->arguments[i].kind == TF_BUFFER && memory_holding(&d->memory, q->arguments[i].value, 0) == b) {
      text << " (argument " << i << ")";
      return;
    }
}

static void put_buffer(Device* d, Text& text) {
  Buffer* b = memory_nearest(&d->memory, d->fault.address);
  if (!b) {
    text << " where no buffer is";
    return;
  }
  tf_u64 start = (tf_u64)b->start, address = d->fault.address;
  if (address < start) text << " " << start - address << " bytes before";
  else text << " at byte " << address - start << " of";
  text << " a buffer of " << b->bytes << " bytes";
  put_argument(d, text, b);
}

static void put_local(Device* d, Text& text) {
  tf_u64 stride = LOCAL_MAX + PAGE, offset = d->fault.address - (tf_u64)d->arenas;
  char* end = arena_end(d, (tf_u32)(offset / stride ? offset / stride - 1 : 0));
  TfGroup* g = d->fault.thread->group;
  if (g) end = arena_end(d, (tf_u32)(g - d->groups));
  tf_u64 address = d->fault.address;
  if (address >= (tf_u64)end) text << " local memory " << address - (tf_u64)end << " bytes past its end";
  else text << " outside its group's local memory";
  for (tf_u32 i = 0; i < d->variable_count; i++)
    text << (i ? ", " : "; variables: ") << d->variables[i]->name << " (" << d->variables[i]->bytes << " bytes)";
}

static bool in_arenas(Device* d, tf_u64 address) {
  return d->arenas && address - (tf_u64)d->arenas < d->arena_count * (tf_u64)(LOCAL_MAX + PAGE) + PAGE;
}

static void report_access(Device* d, Text& text) {
  const Fault* f = &d->fault;
  const char* verb = f->access == 0 ? " reads" : f->access == 1 ? " writes" : " touches";
  bool ours = f->address - (tf_u64)d->memory.space < SPACE_BYTES, local = in_arenas(d, f->address);
  if (f->address - (tf_u64)d->region < REGION_BYTES) {
    text << "stack overflow: ";
    put_thread(text, f->thread);
    text << " needs more than " << (STACK_BYTES >> 10) << " KiB of stack";
    return;
  }
  bool unknown = f->signal == SIGSEGV && !f->address && f->code == 128; // the CPU gives no address
  text << (unknown ? "misaligned or wild" : ours || local ? "out of bounds" : f->address < 65536 ? "null" : "wild");
  text << (ours || local ? ": " : " pointer: ");
  put_thread(text, f->thread);
  text << verb;
  if (local) put_local(d, text);
  else if (ours) put_buffer(d, text);
  else if (unknown) text << " memory at an address that the processor does not tell";
  else (text << " address ").hex(f->address);
}

// The compiler's check of alignment traps by an instruction of its own; that of accesses to a variable, by the one of
// __builtin_trap.
static bool is_alignment_trap(const Fault* f) {
  const tf_u8* i = f->instruction;
#if defined(__x86_64__)
  return i[0] == 0x67 && i[1] == 0x0f && i[2] == 0xb9 && i[3] == 0x40; // ud1l number(%eax),%eax
#else
  tf_u32 word;
  memcpy(&word, i, 4);
  return (word & ~(0xffu << 5)) == (0xd4200000u | 0x5500u << 5); // brk #0x55..
#endif
}

void report_fault(Device* d) {
  const Fault* f = &d->fault;
  Text text = report(d);
  if (f->signal == SIGSEGV || f->signal == SIGBUS) {
    report_access(d, text);
  } else {
    bool trap = f->signal == SIGILL || f->signal == SIGTRAP;
    if (f->signal == SIGFPE) text << "integer division by zero, or of the least integer by -1: ";
    else if (trap && is_alignment_trap(f)) text << "misaligned access: ";
    else text << (trap ? "trap, or an access past the end of a variable: " : "time limit: ");
    put_thread(text, f->thread);
    if (!trap && f->signal != SIGFPE) text << " still runs";
  }
  put_place(d, text);
}

// Writes what waits, up to a few queues: of each its first thread.
struct WaitingList {
  Text& text;
  tf_u32 shown;

  bool begin(TfThread* first) {
    constexpr tf_u32 MOST = 6;
    if (!first || shown == MOST) return false;
    text << (shown++ ? "; " : " ");
    put_thread(text, first);
    return true;
  }
  void barrier(const TfBarrier* b, const char* name) {
    if (!begin(b->head)) return;
    if (b->waiting > 1) text << " and " << b->waiting - 1 << " more wait";
    else text << " waits";
    (text << " at the " << name << " at ").site(b->site);
  }
  void meeting(const TfMeeting* m, tf_u64 wanted) {
    if (!m->arrived || !begin(m->head)) return;
    (text << " waits in a " << operation_name(m->op) << " for lanes ").hex(wanted & ~m->arrived);
    (text << " at ").site(m->site);
  }
};

void report_deadlock(Device* d) {
  Text text = report(d);
  tf_u32 returned = d->total - d->live;
  text << (!d->leaves && returned ? "barrier divergence: " : "deadlock: no thread can run; ");
  text << returned << " of " << d->total << " threads returned;";
  WaitingList list = { text, 0 };
  for (TfGroup* g = d->groups; g < d->groups + d->group_count; g++) {
    list.barrier(&g->barrier, "barrier");
    for (TfWarp* w = g->warps; w < g->warps + g->warp_count; w++)
      for (TfMeeting& m : w->meeting) list.meeting(&m, m.mask & w->live);
  }
  list.barrier(&d->wide_barriers[0], "grid barrier");
  for (tf_u32 i = 1; i <= d->group_count / d->groups->cluster_size; i++)
    list.barrier(&d->wide_barriers[i], "cluster barrier");
}

} // namespace tf
