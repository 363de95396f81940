// Work-item functions, barriers, fences, and what the lowering calls.
#ifndef TF_OPENCL_WORKITEM_H
#define TF_OPENCL_WORKITEM_H
#include "base.h"

int tf_cl_next(ulong thread);
ulong tf_cl_local(uint id, ulong bytes, ulong align, uint line);
ulong tf_cl_local_argument(ulong argument);
ulong tf_cl_local_id(uint dimension);
ulong tf_cl_group_id(uint dimension);
ulong tf_cl_local_size(uint dimension);
ulong tf_cl_group_count(uint dimension);
ulong tf_cl_linear_id(void);
void tf_cl_barrier(ulong file, uint line, uint flags);
void tf_cl_sub_group_barrier(ulong file, uint line, uint flags);
void tf_cl_let_others_run(void);
void tf_cl_fence(void);

TF_CL size_t get_local_id(uint d) { return tf_cl_local_id(d); }
TF_CL size_t get_group_id(uint d) { return tf_cl_group_id(d); }
TF_CL size_t get_local_size(uint d) { return tf_cl_local_size(d); }
TF_CL size_t get_enqueued_local_size(uint d) { return tf_cl_local_size(d); }
TF_CL size_t get_num_groups(uint d) { return tf_cl_group_count(d); }
TF_CL size_t get_global_id(uint d) { return tf_cl_group_id(d) * tf_cl_local_size(d) + tf_cl_local_id(d); }
TF_CL size_t get_global_size(uint d) { return tf_cl_group_count(d) * tf_cl_local_size(d); }
TF_CL size_t get_global_offset(uint d) { return 0; }
TF_CL uint get_work_dim(void) { return 3; }
TF_CL size_t get_local_linear_id(void) { return tf_cl_linear_id(); }
TF_CL size_t get_global_linear_id(void) {
  return (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0);
}

// Of the flags, and of a scope that may follow them.
#define TF_CL_FLAGS(flags, ...) (flags)
#define barrier(...) tf_cl_barrier(TF_CL_HERE, TF_CL_FLAGS(__VA_ARGS__, 0))
#define work_group_barrier(...) tf_cl_barrier(TF_CL_HERE, TF_CL_FLAGS(__VA_ARGS__, 0))
#define sub_group_barrier(...) tf_cl_sub_group_barrier(TF_CL_HERE, TF_CL_FLAGS(__VA_ARGS__, 0))

// A fence of one sub-group or group orders nothing that the compiler does not keep in order.
TF_CL void mem_fence(uint flags) {
  if (flags & CLK_GLOBAL_MEM_FENCE) tf_cl_fence();
  else __asm__ volatile("" ::: "memory");
}
TF_CL void read_mem_fence(uint flags) { mem_fence(flags); }
TF_CL void write_mem_fence(uint flags) { mem_fence(flags); }
#define atomic_work_item_fence(flags, order, scope)                                                                    \
  ((order) == memory_order_relaxed || (scope) < memory_scope_device ? (void)0 : tf_cl_fence())

#define prefetch(...) ((void)0)
#undef printf
#define printf(...) 0 // a kernel's text goes nowhere

#endif
