// A fault inside a kernel becomes the launch's status. The handler does not jump: it keeps the facts, rewrites the
// interrupted context to the place where tf_wait goes on, and returns. Handlers are installed once a process, and
// chained for addresses that are no kernel's.
#include "device.h"
#if !defined(__APPLE__)
#include <signal.h>
#include <ucontext.h>
#endif

namespace tf {

#if defined(__x86_64__)
#define TF_REGISTER(u, name) ((u)->uc_mcontext.gregs[REG_##name])
#define TF_SP(u) TF_REGISTER(u, RSP)
#define TF_PC(u) TF_REGISTER(u, RIP)
#define TF_FP(u) TF_REGISTER(u, RBP)
#define TF_BASE(u) TF_REGISTER(u, RBX)
#define TF_ACCESS_KIND(u) (TF_REGISTER(u, ERR) >> 1 & 1)
#elif defined(__APPLE__)
#define TF_SP(u) ((u)->uc_mcontext->sp)
#define TF_PC(u) ((u)->uc_mcontext->pc)
#define TF_FP(u) ((u)->uc_mcontext->fp)
#define TF_BASE(u) ((u)->uc_mcontext->x[19])
#define TF_ACCESS_KIND(u) access_kind((u)->uc_mcontext->esr)
#else
#define TF_SP(u) ((u)->uc_mcontext.sp)
#define TF_PC(u) ((u)->uc_mcontext.pc)
#define TF_FP(u) ((u)->uc_mcontext.regs[29])
#define TF_BASE(u) ((u)->uc_mcontext.regs[19])
#define TF_ACCESS_KIND(u) access_kind(syndrome(u))
#endif

#if defined(__aarch64__)
// From what the processor says of an exception: of a data abort, bit 6 tells a write.
static int access_kind(tf_u64 syndrome) {
  tf_u64 cause = syndrome >> 26 & 63;
  return cause == 0x24 || cause == 0x25 ? (int)(syndrome >> 6 & 1) : 2;
}
#if !defined(__APPLE__)
// The kernel lists records behind the registers, each with its name and size; 0 ends them.
static tf_u64 syndrome(ucontext_t* u) {
  struct Record {
    tf_u32 name, bytes;
    tf_u64 value;
  };
  constexpr tf_u32 SYNDROME = 0x45535201;
  char* at = (char*)u->uc_mcontext.__reserved;
  char* end = at + sizeof u->uc_mcontext.__reserved;
  while (at + sizeof(Record) <= end) {
    Record* record = (Record*)at;
    if (record->name == SYNDROME) return record->value;
    if (!record->name || record->bytes < sizeof(tf_u64)) break;
    at += record->bytes;
  }
  return 0;
}
#endif
#endif

#if defined(__x86_64__)
typedef long long Register;
#else
typedef tf_u64 Register;
#endif

constexpr int SIGNALS[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, TIMER_SIGNAL };
constexpr int SIGNAL_COUNT = sizeof SIGNALS / sizeof *SIGNALS;
constexpr tf_u64 SIGNAL_STACK = 65536;

Device* volatile registry[DEVICES_MAX];
static struct sigaction previous[SIGNAL_COUNT];
static int installed; // 0 no, 1 by some thread now, 2 yes

static Device* device_at(tf_u64 sp) {
  for (Device* d : registry)
    if (d && (tf_u64)d->region == (sp & ~(REGION_BYTES - 1))) return d;
  return nullptr;
}

static void chain(int signal_number, siginfo_t* info, void* context) {
  int i = 0;
  while (i < SIGNAL_COUNT - 1 && SIGNALS[i] != signal_number) i++;
  struct sigaction* old = &previous[i];
  if (old->sa_flags & SA_SIGINFO) return old->sa_sigaction(signal_number, info, context);
  if (old->sa_handler == SIG_IGN) return;
  if (old->sa_handler != SIG_DFL) return old->sa_handler(signal_number);
  if (signal_number == TIMER_SIGNAL) return;
  signal(signal_number, SIG_DFL); // the instruction runs again and ends the process
}

static void set_late(tf_u64 thread) {
  for (Device* d : registry)
    if (d && d->running && d->timer_thread == thread) d->late = 1;
}

static void on_signal(int number, siginfo_t* info, void* context) {
  ucontext_t* u = (ucontext_t*)context;
  Device* d = device_at((tf_u64)TF_SP(u));
  if (!d) {
    if (number == TIMER_SIGNAL) set_late(this_thread());
    return chain(number, info, context); // another copy of this library may be loaded, and own it
  }
  Fault* f = &d->fault;
  f->signal = number;
  f->code = info->si_code;
  f->address = (tf_u64)info->si_addr;
  f->pc = (tf_u64)TF_PC(u);
  f->access = (int)TF_ACCESS_KIND(u);
  tf_u32 slot = (tf_u32)(((tf_u64)TF_SP(u) - (tf_u64)d->region) >> TF_STACK_SHIFT);
  f->thread = d->stepping ? lane_running(d) : context_at(d, slot);
  memset(f->instruction, 0, sizeof f->instruction);
  if (number == SIGILL || number == SIGTRAP) memcpy(f->instruction, (void*)TF_PC(u), sizeof f->instruction);
  d->status = number == TIMER_SIGNAL ? TF_TIMEOUT : TF_FAULT;
  TF_SP(u) = (Register)d->main.sp;
  TF_PC(u) = (Register)d->main.pc;
  TF_FP(u) = (Register)d->main.fp;
  TF_BASE(u) = (Register)d->main.base;
}

static void install() {
  int none = 0;
  if (__atomic_load_n(&installed, __ATOMIC_ACQUIRE) == 2) return;
  if (!__atomic_compare_exchange_n(&installed, &none, 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    while (__atomic_load_n(&installed, __ATOMIC_ACQUIRE) != 2) {}
    return;
  }
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (int i = 0; i < SIGNAL_COUNT; i++) sigaction(SIGNALS[i], &action, &previous[i]);
  __atomic_store_n(&installed, 2, __ATOMIC_RELEASE);
}

// The calling thread's signal stack: the interrupted stack may be the one that overflowed.
static void use_signal_stack(Device* d) {
  stack_t now;
  sigaltstack(nullptr, &now);
  if (d->signal_stack && now.ss_sp == d->signal_stack) return;
  if (!d->signal_stack) d->signal_stack = os_pages(SIGNAL_STACK);
  stack_t ours;
  ours.ss_sp = d->signal_stack;
  ours.ss_size = SIGNAL_STACK;
  ours.ss_flags = 0;
  sigaltstack(&ours, nullptr);
}

void signals_enter(Device* d, tf_u64 limit_ns) {
  install();
  use_signal_stack(d);
  d->late = 0;
  if (limit_ns) timer_set(d, limit_ns);
}

} // namespace tf
