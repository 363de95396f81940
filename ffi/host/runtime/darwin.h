// What the runtime takes of macOS on arm64, declared by hand beside ffi/darwin: it is built where no SDK is. Sizes and numbers are those of
// its public headers <sys/mman.h>, <signal.h>, <sys/_types/_ucontext.h>, <mach/arm/_structs.h> and <pthread.h>.
#pragma once
#include "../image.h"
#include <string.h>
#include <time.h>

extern "C" {

enum { PROT_NONE = 0, PROT_READ = 1, PROT_WRITE = 2, PROT_EXEC = 4 };
enum { MAP_PRIVATE = 2, MAP_FIXED = 0x10, MAP_NORESERVE = 0x40, MAP_ANONYMOUS = 0x1000 };
#define MAP_FAILED ((void*)-1)
void* mmap(void*, __SIZE_TYPE__, int protection, int flags, int file, long long offset);
int mprotect(void*, __SIZE_TYPE__, int protection);
int munmap(void*, __SIZE_TYPE__);
void sys_icache_invalidate(void*, __SIZE_TYPE__);

enum { SIGILL = 4, SIGTRAP = 5, SIGFPE = 8, SIGBUS = 10, SIGSEGV = 11, SIGVTALRM = 26 };
enum { SA_ONSTACK = 1, SA_SIGINFO = 0x40 };
struct siginfo_t {
  int si_signo, si_errno, si_code, si_pid;
  tf_u32 si_uid;
  int si_status;
  void* si_addr;
  tf_u64 more[9];
};
struct sigaction {
  union {
    void (*sa_handler)(int);
    void (*sa_sigaction)(int, siginfo_t*, void*);
  };
  tf_u32 sa_mask;
  int sa_flags;
};
#define SIG_DFL ((void (*)(int))0)
#define SIG_IGN ((void (*)(int))1)
int sigaction(int number, const struct sigaction*, struct sigaction*);
void (*signal(int number, void (*handler)(int)))(int);
struct stack_t {
  void* ss_sp;
  __SIZE_TYPE__ ss_size;
  int ss_flags;
};
int sigaltstack(const stack_t*, stack_t*);

struct DarwinRegisters {
  tf_u64 far; // of the exception that was taken
  tf_u32 esr, exception;
  tf_u64 x[29], fp, lr, sp, pc;
  tf_u32 cpsr, flags;
};
struct ucontext_t {
  int uc_onstack;
  tf_u32 uc_sigmask;
  stack_t uc_stack;
  ucontext_t* uc_link;
  __SIZE_TYPE__ uc_mcsize;
  DarwinRegisters* uc_mcontext;
};
static_assert(sizeof(siginfo_t) == 104 && sizeof(struct sigaction) == 16 && sizeof(stack_t) == 24, "as the system has them");
static_assert(__builtin_offsetof(ucontext_t, uc_mcontext) == 48 && __builtin_offsetof(DarwinRegisters, sp) == 264, "");

struct DarwinMutex {
  long signature;
  char opaque[56];
};
struct DarwinCondition {
  long signature;
  char opaque[40];
};
static constexpr DarwinMutex DARWIN_MUTEX = { 0x32AAABA7, {} };
static constexpr DarwinCondition DARWIN_CONDITION = { 0x3CB0B1BB, {} };
typedef struct DarwinThread* pthread_t;
pthread_t pthread_self(void);
int pthread_create(pthread_t*, const void* attributes, void* (*start)(void*), void* argument);
int pthread_detach(pthread_t);
int pthread_kill(pthread_t, int number);
int pthread_mutex_lock(DarwinMutex*);
int pthread_mutex_unlock(DarwinMutex*);
int pthread_cond_signal(DarwinCondition*);
int pthread_cond_wait(DarwinCondition*, DarwinMutex*);
int pthread_cond_timedwait_relative_np(DarwinCondition*, DarwinMutex*, const timespec*);

}
