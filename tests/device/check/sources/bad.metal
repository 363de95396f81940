// One planted fault a kernel. The lines of a fault are marked with its name.
#include <metal_stdlib>
using namespace metal;
#define KERNEL(name)                                                                                                  \
  kernel void name(device const float* x [[buffer(0)]], device float* y [[buffer(1)]],                                \
                   device atomic_uint* count [[buffer(2)]], uint i [[thread_index_in_threadgroup]],                   \
                   uint g [[threadgroup_position_in_grid]], uint groups [[threadgroups_per_grid]])
#define BARRIER() threadgroup_barrier(mem_flags::mem_threadgroup)

KERNEL(tree_right) {
  threadgroup float s[256];
  s[i] = x[g * 256 + i];
  BARRIER();
  for (uint half_of = 128; half_of > 0; half_of /= 2) {
    if (i < half_of) s[i] += s[i + half_of];
    BARRIER();
  }
  if (i == 0) y[g] = s[0];
}
KERNEL(tree_race) {
  threadgroup float s[256]; // tree_race:variable
  s[i] = x[g * 256 + i];
  BARRIER();
  for (uint half_of = 128; half_of > 0; half_of /= 2)
    if (i < half_of)
      s[i] +=
        s[i + half_of]; // tree_race:read
  if (i == 0) y[g] = s[0];
}
KERNEL(partials_race) {
  threadgroup float partials[8]; // partials_race:variable
  if (i % 32 == 0) partials[i / 32] = x[i]; // partials_race:write
  float sum = 0;
  for (int k = 0; k < 8; k++) sum += partials[k]; // partials_race:read
  if (i == 0) y[g] = sum;
}
KERNEL(warp_right) {
  threadgroup float s[256];
  s[i] = x[i];
  simdgroup_barrier(mem_flags::mem_threadgroup);
  y[g * 256 + i] = s[i ^ 1];
}
KERNEL(warp_race) {
  threadgroup float s[256]; // warp_race:variable
  s[i] = x[i]; // warp_race:write
  y[g * 256 + i] = s[i ^ 1]; // warp_race:read
}
KERNEL(warp_strict) {
  threadgroup float s[256]; // warp_strict:variable
  s[i] = x[i]; // warp_strict:write
  float other = simd_shuffle_xor(x[i], 1);
  y[g * 256 + i] = s[i ^ 1] + other; // warp_strict:read
}
KERNEL(lockstep_tree) {
  threadgroup volatile float s[64];
  if (i >= 32) return;
  s[i] = x[i];
  s[i + 32] = 0;
  for (int by = 16; by > 0; by /= 2) s[i] += s[i + by];
  if (i == 0) y[g] = s[0];
}
KERNEL(update_race) {
  threadgroup uint sum; // update_race:variable
  if (i == 0) sum = 0;
  BARRIER();
  sum += 1; // update_race:read update_race:write
  BARRIER();
  if (i == 0) y[g] = sum;
}
KERNEL(update_groups) {
  device uint* plain = (device uint*)count;
  if (i == 0) plain[0] += 1; // update_groups:read update_groups:write
  y[g * 256 + i] = 0;
}
KERNEL(groups_race) {
  if (i == 0) y[0] = x[g]; // groups_race:write
}
KERNEL(global_race) {
  y[g * 256 + i] = x[i]; // global_race:write
  if (i == 0) y[g * 256] = y[g * 256 + 40]; // global_race:read
}
#define LAST(name, fence)                                                                                             \
  KERNEL(name) {                                                                                                      \
    threadgroup bool last;                                                                                            \
    if (i == 0) {                                                                                                     \
      y[1 + g] = x[g];                                                                                                \
      fence;                                                                                                          \
      last = atomic_fetch_add_explicit(count, 1, memory_order_relaxed) == groups - 1;                                 \
    }                                                                                                                 \
    BARRIER();                                                                                                        \
    if (!last || i != 0) return;                                                                                      \
    float sum = 0;                                                                                                    \
    for (uint k = 0; k < groups; k++) sum += y[1 + k];                                                                \
    y[0] = sum;                                                                                                       \
  }
LAST(last_right, atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_device))
LAST(last_race, ) // last_race:write last_race:read
KERNEL(local_overrun) {
  threadgroup float s[256]; // local_overrun:variable
  threadgroup float neighbour[256];
  threadgroup float* p = s;
  neighbour[i] = 0;
  p[i + 1] = x[i]; // local_overrun:write
  BARRIER();
  y[g * 256 + i] = s[1 + i % 255] + neighbour[i];
}
KERNEL(buffer_overrun) {
  y[g * 256 + i] = x[g * 256 + i + 1]; // buffer_overrun:read
}
KERNEL(output_overrun) {
  y[g * 256 + i + 1] = x[i]; // output_overrun:write
}
KERNEL(null_pointer) {
  device const float* p = ((device uint*)count)[0] == 0 ? nullptr : x;
  y[i] = p[i]; // null_pointer:read
}
KERNEL(misaligned) {
  const float4 v = *(device const float4*)(x + 1 + i); // misaligned:read
  y[g * 256 + i] = v.x + v.w;
}
KERNEL(local_unset) {
  threadgroup float s[257]; // local_unset:variable
  s[i] = x[i];
  BARRIER();
  y[g * 256 + i] = s[i + 1]; // local_unset:read
}
KERNEL(sum_unset) {
  threadgroup float s[256]; // sum_unset:variable
  s[i] += x[i]; // sum_unset:read
  y[g * 256 + i] = s[i];
}
KERNEL(output_unset) {
  y[g * 256 + i] += x[i]; // output_unset:read
}
KERNEL(input_written) {
  if (i == 0) ((device float*)x)[g] = 1; // input_written:write
  y[g * 256 + i] = 1;
}
KERNEL(barrier_apart) {
  if (i < 100)
    BARRIER(); // barrier_apart:one
  else
    BARRIER(); // barrier_apart:other
  y[g * 256 + i] = 1;
}
