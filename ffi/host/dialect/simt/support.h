// Functions that compilers call without being asked, so that an image needs no library: weak and hidden, one a file.
#ifndef TF_SIMT_SUPPORT_H
#define TF_SIMT_SUPPORT_H
#include "schedule.h"

#define TF_SUPPORT __attribute__((weak, visibility("hidden"), noinline, used)) TF_UNCHECKED
#if defined(__clang__)
#define TF_NO_BUILTIN __attribute__((no_builtin))
#else
#define TF_NO_BUILTIN __attribute__((optimize("no-tree-loop-distribute-patterns")))
#endif

// What the compiler hands to the handler of an index past the end of an array (-fsanitize=array-bounds).
struct TfIndexedType {
  unsigned short kind, info; // info: bit 0 signed, above it the logarithm of the width
  char name[1];              // in quotes
};
struct TfIndexed {
  const char* file;
  tf_u32 line, column;
  const TfIndexedType *array, *index;
};

extern "C" {
TF_SUPPORT TF_TRUSTED void __ubsan_handle_out_of_bounds_abort(const TfIndexed* at, tf_u64 index) {
  tf_u32 unused = 64 - (1u << (at->index->info >> 1));
  bool is_signed = (at->index->info & 1) != 0;
  long long value = is_signed ? (long long)(index << unused) >> unused : (long long)index;
  tf_runtime.outside(tf_stack_thread(), value, at->array->name, tf_site(at->file, at->line));
}
TF_SUPPORT TF_NO_BUILTIN void* memcpy(void* to, const void* from, __SIZE_TYPE__ bytes) {
  for (__SIZE_TYPE__ i = 0; i < bytes; i++) ((char*)to)[i] = ((const char*)from)[i];
  return to;
}
TF_SUPPORT TF_NO_BUILTIN void* memmove(void* to, const void* from, __SIZE_TYPE__ bytes) {
  if ((tf_address)to <= (tf_address)from) return memcpy(to, from, bytes);
  for (__SIZE_TYPE__ i = bytes; i-- > 0;) ((char*)to)[i] = ((const char*)from)[i];
  return to;
}
TF_SUPPORT TF_NO_BUILTIN void* memset(void* to, int value, __SIZE_TYPE__ bytes) {
  for (__SIZE_TYPE__ i = 0; i < bytes; i++) ((char*)to)[i] = (char)value;
  return to;
}
}

#endif
