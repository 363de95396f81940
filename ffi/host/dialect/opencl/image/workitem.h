// Where a thread is, barriers, local memory.
#ifndef TF_OPENCL_IMAGE_WORKITEM_H
#define TF_OPENCL_IMAGE_WORKITEM_H
#include "export.h"

TF_INLINE ulong tf_cl_pick(uint dimension, tf_u32 x, tf_u32 y, tf_u32 z, ulong beyond) {
  return dimension == 0 ? x : dimension == 1 ? y : dimension == 2 ? z : beyond;
}
TF_CL_C ulong tf_cl_local_id(uint d) {
  const TfThread* t = tf_self();
  return tf_cl_pick(d, t->x, t->y, t->z, 0);
}
TF_CL_C ulong tf_cl_group_id(uint d) {
  const TfGroup* g = tf_self()->group;
  return tf_cl_pick(d, g->x, g->y, g->z, 0);
}
TF_CL_C ulong tf_cl_local_size(uint d) {
  const TfGroup* g = tf_self()->group;
  return tf_cl_pick(d, g->size_x, g->size_y, g->size_z, 1);
}
TF_CL_C ulong tf_cl_group_count(uint d) {
  const TfGroup* g = tf_self()->group;
  return tf_cl_pick(d, g->grid_x, g->grid_y, g->grid_z, 1);
}
TF_CL_C ulong tf_cl_linear_id() { return tf_self()->linear; }

TF_CL_C int tf_cl_next(ulong thread) { return tf_next((TfThread*)thread); }
// A barrier orders the memory that its flags name: CLK_LOCAL_MEM_FENCE is 1, CLK_GLOBAL_MEM_FENCE 2.
TF_INLINE tf_u32 tf_cl_left_out(uint flags) {
  return (flags & 1 ? 0 : 1 << TF_MEMORY_LOCAL) | (flags & 2 ? 0 : 1 << TF_MEMORY_DEVICE);
}
TF_CL_C void tf_cl_barrier(ulong file, uint line, uint flags) {
  tf_barrier(tf_site((const char*)file, line), tf_cl_left_out(flags));
}
TF_CL_C void tf_cl_sub_group_barrier(ulong file, uint line, uint flags) {
  tf_sync_active(tf_cl_left_out(flags), tf_site((const char*)file, line));
}
// What another group writes can only come if it runs: who waits for it lets it, where groups run side by side.
TF_CL_C void tf_cl_let_others_run() {
  TfThread* t = tf_self();
  if (TF_UNLIKELY(t->schedule->wide)) tf_runtime.yield(t);
}

TF_CL_C void tf_cl_fence() { tf_fence(); }
#if defined(TF_CHECK)
TF_CL_C void tf_cl_atomic_begin(ulong p, uint bytes, uint how) { tf_runtime.atomic_begin((const void*)p, bytes, how); }
TF_CL_C void tf_cl_atomic_end() { tf_runtime.atomic_end(); }
#endif

// The local variables of the source, by their id; the table names them, the first use sizes them.
extern TfLocalVariable tf_cl_locals[];
#define TF_CL_LOCALS_BEGIN(source)                                                                                     \
  static constexpr char tf_cl_source[] = source;                                                                       \
  __attribute__((visibility("hidden"))) TfLocalVariable tf_cl_locals[] = {
#define TF_CL_LOCAL(name, line) { 0, 0, name, tf_cl_source, line, 0, 0, 0 },
#define TF_CL_LOCALS_END { 0, 0, nullptr, nullptr, 0, 0, 0, 0 } };

TF_CL_C ulong tf_cl_local(uint id, ulong bytes, ulong align, uint) {
  TfLocalVariable* variable = &tf_cl_locals[id];
  variable->bytes = (tf_u32)bytes;
  variable->align = tf_local_align(1, align);
  return (ulong)tf_local(variable);
}
TF_CL_C ulong tf_cl_local_argument(ulong argument) { return *(ulong*)argument; }

#endif
