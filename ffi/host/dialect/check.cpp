// Linked into every check image: the functions that the compiler calls at each access (-fsanitize=kernel-address) and
// at a misaligned one (-fsanitize=alignment). Each access is a jump into the runtime (a tail call, which the optimiser
// makes of it), so that the return address is the access.
#include "../image.h"

extern "C" {
TF_HIDDEN extern TfRuntime tf_runtime;
void* memcpy(void*, const void*, __SIZE_TYPE__);
void* memmove(void*, const void*, __SIZE_TYPE__);
void* memset(void*, int, __SIZE_TYPE__);

#define TF_ACCESSES(n)                                                                                                \
  TF_HIDDEN void __asan_load##n##_noabort(const void* p) { tf_runtime.load(p, n); }                                   \
  TF_HIDDEN void __asan_store##n##_noabort(const void* p) { tf_runtime.store(p, n); }
TF_ACCESSES(1) TF_ACCESSES(2) TF_ACCESSES(4) TF_ACCESSES(8) TF_ACCESSES(16)
TF_HIDDEN void __asan_loadN_noabort(const void* p, tf_u64 bytes) {
  tf_runtime.touch(p, bytes, 0, __builtin_return_address(0)); // its alignment is not known
}
TF_HIDDEN void __asan_storeN_noabort(const void* p, tf_u64 bytes) {
  tf_runtime.touch(p, bytes, 1, __builtin_return_address(0));
}
TF_HIDDEN void __asan_handle_no_return(void) {}

TF_HIDDEN void* __asan_memcpy(void* to, const void* from, __SIZE_TYPE__ bytes) {
  tf_runtime.touch(from, bytes, 0, __builtin_return_address(0));
  tf_runtime.touch(to, bytes, 1, __builtin_return_address(0));
  return memcpy(to, from, bytes);
}
TF_HIDDEN void* __asan_memmove(void* to, const void* from, __SIZE_TYPE__ bytes) {
  tf_runtime.touch(from, bytes, 0, __builtin_return_address(0));
  tf_runtime.touch(to, bytes, 1, __builtin_return_address(0));
  return memmove(to, from, bytes);
}
TF_HIDDEN void* __asan_memset(void* to, int value, __SIZE_TYPE__ bytes) {
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
TF_HIDDEN void __ubsan_handle_type_mismatch_v1_abort(const TfMisaligned* at, const void* p) {
  tf_runtime.misaligned(p, 1u << at->align_log, tf_site(at->file, at->line));
}
}
