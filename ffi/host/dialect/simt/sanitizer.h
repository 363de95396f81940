// What a check image's compiler calls: before each access (-fsanitize=kernel-address), of which the toolchain makes
// tf_check_load and tf_check_store (src/device/toolchain/accesses.ts), for memory as a whole, and at a misaligned access
// (-fsanitize=alignment).
#ifndef TF_SIMT_SANITIZER_H
#define TF_SIMT_SANITIZER_H
#include "support.h"

#if defined(TF_CHECK)
#define TF_CHECKED TF_HIDDEN __attribute__((always_inline, used)) TF_NODEBUG TF_TRUSTED TF_UNCHECKED

extern "C" {
TF_HIDDEN TfRange tf_ranges[TF_RANGES];

// What is in the range of its place in the code needs no judging; rotated, a misaligned distance is past all of them. The
// rest is a call, which by its return address is the access.
TF_CHECKED bool tf_in_range(tf_u64 at, tf_u64 each, const TfRange* range) {
  if (range == &tf_ranges[TF_RANGES - 1]) return false; // of all places that have none of their own
  tf_u64 from = at - range->start;
  if (each > 1) from = __builtin_rotateright64(from, each == 2 ? 1 : each == 4 ? 2 : 3);
  return from < range->room;
}
TF_CHECKED void tf_check_load(tf_u64 at, tf_u64 bytes, tf_u64 each, TfRange* range) {
  TfJudge judge = bytes == 2 ? tf_runtime.load_half : bytes == 4 && each ? tf_runtime.load_word : tf_runtime.load;
  if (TF_UNLIKELY(!tf_in_range(at, each, range))) judge((const void*)at, bytes, each, range);
}
TF_CHECKED void tf_check_store(tf_u64 at, tf_u64 bytes, tf_u64 each, TfRange* range) {
  TfJudge judge = bytes == 2 ? tf_runtime.store_half : bytes == 4 && each ? tf_runtime.store_word : tf_runtime.store;
  if (TF_UNLIKELY(!tf_in_range(at, each, range))) judge((const void*)at, bytes, each, range);
}

// Before a loop (src/device/toolchain/loops): how many turns it takes that goes on while a counter, `from` at first, is not `to`,
// is below it, or is at most it. 0: not known.
enum { TF_TURNS_UNTIL, TF_TURNS_BELOW, TF_TURNS_UP_TO };
TF_CHECKED tf_u64 tf_check_turns(tf_u64 from, tf_u64 to, tf_u64 step, tf_u64 kind) {
  long long left = (long long)(to - from);
  if (kind == TF_TURNS_UNTIL) return left < 0 || (tf_u64)left % step ? 0 : (tf_u64)left / step + 1;
  if (kind == TF_TURNS_BELOW) return left <= 0 ? 1 : ((tf_u64)left + step - 1) / step + 1;
  return left < 0 ? 1 : (tf_u64)left / step + 2;
}
// Whether the accesses of all turns need no judging any more: `first` and `next` are the addresses of the first two, and `settled`
// whether others are that must be. `any`: reads of a loop that writes nothing, else only what is in a range is settled.
TF_CHECKED tf_u64 tf_check_run(const TfTurns& all, tf_u64 settled, TfSettle settle, TfRange* range) {
  constexpr tf_u64 MOST_TURNS = 1 << 20, MOST_STRIDE = 1ull << 32;
  if (!settled || all.turns - 1 >= MOST_TURNS || all.stride + MOST_STRIDE >= 2 * MOST_STRIDE) return 0;
  tf_u64 first = (tf_u64)all.first, last = first + (all.turns - 1) * all.stride;
  bool aligned = !all.each || !(all.stride & (all.each - 1) & 7);
  return (aligned && tf_in_range(first, all.each, range) && tf_in_range(last, all.each, range)) || settle(&all, range);
}
TF_CHECKED tf_u64 tf_check_load_run(
    tf_u64 settled, tf_u64 first, tf_u64 next, tf_u64 turns, tf_u64 bytes, tf_u64 each, TfRange* range, tf_u64 any) {
  const TfTurns all = { (const void*)first, turns == 1 ? 0 : next - first, turns, bytes, each, any };
  return tf_check_run(all, settled, tf_runtime.load_turns, range);
}
TF_CHECKED tf_u64 tf_check_store_run(
    tf_u64 settled, tf_u64 first, tf_u64 next, tf_u64 turns, tf_u64 bytes, tf_u64 each, TfRange* range, tf_u64) {
  const TfTurns all = { (const void*)first, turns == 1 ? 0 : next - first, turns, bytes, each, 0 };
  return tf_check_run(all, settled, tf_runtime.store_turns, range);
}
// In the loop.
TF_CHECKED void tf_check_load_unless(tf_u64 settled, tf_u64 at, tf_u64 bytes, tf_u64 each, TfRange* range) {
  if (TF_UNLIKELY(!settled)) tf_check_load(at, bytes, each, range);
}
TF_CHECKED void tf_check_store_unless(tf_u64 settled, tf_u64 at, tf_u64 bytes, tf_u64 each, TfRange* range) {
  if (TF_UNLIKELY(!settled)) tf_check_store(at, bytes, each, range);
}

// Called, so that the return address is the access: of as many bytes as only the run tells, and of memory as a whole.
TF_SUPPORT TF_TRUSTED void __asan_loadN_noabort(const void* p, tf_u64 bytes) {
  tf_runtime.touch(p, bytes, 0, __builtin_return_address(0));
}
TF_SUPPORT TF_TRUSTED void __asan_storeN_noabort(const void* p, tf_u64 bytes) {
  tf_runtime.touch(p, bytes, 1, __builtin_return_address(0));
}
TF_SUPPORT TF_TRUSTED void __asan_handle_no_return(void) {}

TF_SUPPORT TF_TRUSTED void* __asan_memcpy(void* to, const void* from, __SIZE_TYPE__ bytes) {
  tf_runtime.touch(from, bytes, 0, __builtin_return_address(0));
  tf_runtime.touch(to, bytes, 1, __builtin_return_address(0));
  return memcpy(to, from, bytes);
}
TF_SUPPORT TF_TRUSTED void* __asan_memmove(void* to, const void* from, __SIZE_TYPE__ bytes) {
  tf_runtime.touch(from, bytes, 0, __builtin_return_address(0));
  tf_runtime.touch(to, bytes, 1, __builtin_return_address(0));
  return memmove(to, from, bytes);
}
TF_SUPPORT TF_TRUSTED void* __asan_memset(void* to, int value, __SIZE_TYPE__ bytes) {
  tf_runtime.touch(to, bytes, 1, __builtin_return_address(0));
  return memset(to, value, bytes);
}

// What the compiler hands to the handler of a misaligned pointer.
struct TfMisaligned {
  const char* file;
  tf_u32 line, column;
  const void* type;
  tf_u8 align_log, kind;
};
TF_SUPPORT TF_TRUSTED void __ubsan_handle_type_mismatch_v1_abort(const TfMisaligned* at, const void* p) {
  tf_runtime.misaligned(p, 1u << at->align_log, tf_site(at->file, at->line));
}
}
#endif

#endif
