// The few calls of the operating system that the runtime makes.
#pragma once
#include "../image.h"
#if defined(__APPLE__)
#include "darwin.h"
#else
#include <string.h>
#include <sys/mman.h>
#endif

namespace tf {

#if defined(__x86_64__)
constexpr tf_u64 PAGE = 4096;
#else
constexpr tf_u64 PAGE = 16384; // a system's own pages are no larger: those of 64 KiB are past what Bun runs on
#endif
constexpr int ANONYMOUS = MAP_ANONYMOUS | MAP_PRIVATE, LAZY = MAP_NORESERVE;

inline tf_u64 round_up(tf_u64 value, tf_u64 step) { return (value + step - 1) / step * step; }

// Zeroed memory for the runtime's own tables; null when there is none.
inline void* os_pages(tf_u64 bytes) {
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, ANONYMOUS | LAZY, -1, 0);
  return p == MAP_FAILED ? nullptr : p;
}
inline void os_unmap(void* at, tf_u64 bytes) { munmap(at, bytes); }

// Addresses without memory: every access faults until os_commit.
inline char* os_reserve(tf_u64 bytes) {
  void* p = mmap(nullptr, bytes, PROT_NONE, ANONYMOUS | LAZY, -1, 0);
  return p == MAP_FAILED ? nullptr : (char*)p;
}
inline bool os_commit(char* at, tf_u64 bytes) { return mprotect(at, bytes, PROT_READ | PROT_WRITE) == 0; }
inline bool os_guard(char* at, tf_u64 bytes) { return mprotect(at, bytes, PROT_NONE) == 0; }
// What was written stays, as code or as data.
inline bool os_seal(char* at, tf_u64 bytes, bool code) {
  return mprotect(at, bytes, code ? PROT_READ | PROT_EXEC : PROT_READ) == 0;
}
// Called between writing code and running it.
inline void os_code_written(char* at, tf_u64 bytes) {
#if defined(__APPLE__)
  sys_icache_invalidate(at, bytes);
#elif defined(__aarch64__)
  constexpr tf_u64 LINE = 16; // the least that a processor has
  for (char* p = at; p < at + bytes; p += LINE) __asm__ volatile("dc cvau, %0" ::"r"(p) : "memory");
  __asm__ volatile("dsb ish" ::: "memory");
  for (char* p = at; p < at + bytes; p += LINE) __asm__ volatile("ic ivau, %0" ::"r"(p) : "memory");
  __asm__ volatile("dsb ish\n isb" ::: "memory");
#else
  (void)at, (void)bytes;
#endif
}
// Gives the memory back and keeps the addresses inaccessible.
inline void os_decommit(char* at, tf_u64 bytes) { mmap(at, bytes, PROT_NONE, ANONYMOUS | LAZY | MAP_FIXED, -1, 0); }

// A reservation whose start is a multiple of its size.
inline char* os_reserve_aligned(tf_u64 bytes) {
  char* p = os_reserve(bytes * 2);
  if (!p) return nullptr;
  char* start = (char*)round_up((tf_address)p, bytes);
  if (start > p) os_unmap(p, (tf_u64)(start - p));
  os_unmap(start + bytes, (tf_u64)(p + bytes - start));
  return start;
}

// The floating-point control word: round to nearest, no traps; denormals of fp32 flushed or kept.
#if defined(__x86_64__)
inline tf_u64 os_float_control(bool flush) {
  tf_u32 before, now = 0x1f80 | (flush ? 0x8040u : 0); // masks; FTZ, DAZ
  __asm__ volatile("stmxcsr %0" : "=m"(before));
  __asm__ volatile("ldmxcsr %0" ::"m"(now));
  return before;
}
inline void os_float_restore(tf_u64 control) {
  tf_u32 word = (tf_u32)control;
  __asm__ volatile("ldmxcsr %0" ::"m"(word));
}
#else
inline tf_u64 os_float_control(bool flush) {
  tf_u64 before, now = flush ? 1ull << 24 : 0; // FZ
  __asm__ volatile("mrs %0,fpcr" : "=r"(before));
  __asm__ volatile("msr fpcr,%0" ::"r"(now));
  return before;
}
inline void os_float_restore(tf_u64 control) { __asm__ volatile("msr fpcr,%0" ::"r"(control)); }
#endif

} // namespace tf
