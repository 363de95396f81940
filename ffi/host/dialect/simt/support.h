// Functions that compilers call without being asked, so that an image needs no library: weak and hidden, one a file.
#ifndef TF_SIMT_SUPPORT_H
#define TF_SIMT_SUPPORT_H
#include "../../image.h"

#define TF_SUPPORT __attribute__((weak, visibility("hidden"), noinline, used))
#if defined(__clang__)
#define TF_NO_BUILTIN __attribute__((no_builtin))
#else
#define TF_NO_BUILTIN __attribute__((optimize("no-tree-loop-distribute-patterns")))
#endif

extern "C" {
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
