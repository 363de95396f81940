// One planted fault a kernel. The lines of a fault are marked with its name.
#define KERNEL(name) kernel void name(global const float* x, global float* y, global uint* count)
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#define I ((uint)get_local_id(0))
#define G ((uint)get_group_id(0))

KERNEL(tree_right) {
  local float s[256];
  s[I] = x[G * 256 + I];
  BARRIER();
  for (uint half_of = 128; half_of > 0; half_of /= 2) {
    if (I < half_of) s[I] += s[I + half_of];
    BARRIER();
  }
  if (I == 0) y[G] = s[0];
}
KERNEL(tree_race) {
  local float s[256]; // tree_race:variable
  s[I] = x[G * 256 + I];
  BARRIER();
  for (uint half_of = 128; half_of > 0; half_of /= 2)
    if (I < half_of)
      s[I] +=
        s[I + half_of]; // tree_race:read
  if (I == 0) y[G] = s[0];
}
KERNEL(partials_race) {
  local float partials[8]; // partials_race:variable
  if (I % 32 == 0) partials[I / 32] = x[I]; // partials_race:write
  float sum = 0;
  for (int k = 0; k < 8; k++) sum += partials[k]; // partials_race:read
  if (I == 0) y[G] = sum;
}
KERNEL(warp_right) {
  local float s[256];
  s[I] = x[I];
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);
  y[G * 256 + I] = s[I ^ 1];
}
KERNEL(warp_race) {
  local float s[256]; // warp_race:variable
  s[I] = x[I]; // warp_race:write
  y[G * 256 + I] = s[I ^ 1]; // warp_race:read
}
KERNEL(warp_strict) {
  local float s[256]; // warp_strict:variable
  s[I] = x[I]; // warp_strict:write
  float other = sub_group_reduce_add(x[I]);
  y[G * 256 + I] = s[I ^ 1] + other; // warp_strict:read
}
KERNEL(lockstep_tree) {
  local volatile float s[64];
  if (I >= 32) return;
  s[I] = x[I];
  s[I + 32] = 0;
  for (int by = 16; by > 0; by /= 2) s[I] += s[I + by];
  if (I == 0) y[G] = s[0];
}
KERNEL(update_race) {
  local uint sum; // update_race:variable
  if (I == 0) sum = 0;
  BARRIER();
  sum += 1; // update_race:read update_race:write
  BARRIER();
  if (I == 0) y[G] = sum;
}
KERNEL(update_groups) {
  if (I == 0) count[0] += 1; // update_groups:read update_groups:write
  y[G * 256 + I] = 0;
}
KERNEL(groups_race) {
  if (I == 0) y[0] = x[G]; // groups_race:write
}
KERNEL(global_race) {
  y[G * 256 + I] = x[I]; // global_race:write
  if (I == 0) y[G * 256] = y[G * 256 + 40]; // global_race:read
}
#define LAST(name, fence)                                                                                             \
  KERNEL(name) {                                                                                                      \
    local uint last;                                                                                                  \
    if (I == 0) {                                                                                                     \
      y[1 + G] = x[G];                                                                                                \
      fence;                                                                                                          \
      last = atomic_inc(count) == get_num_groups(0) - 1;                                                              \
    }                                                                                                                 \
    BARRIER();                                                                                                        \
    if (!last || I != 0) return;                                                                                      \
    float sum = 0;                                                                                                    \
    for (uint k = 0; k < get_num_groups(0); k++) sum += y[1 + k];                                                     \
    y[0] = sum;                                                                                                       \
  }
LAST(last_right, mem_fence(CLK_GLOBAL_MEM_FENCE))
LAST(last_race, ) // last_race:write last_race:read
KERNEL(local_overrun) {
  local float s[256]; // local_overrun:variable
  local float neighbour[256];
  local float* p = s;
  neighbour[I] = 0;
  p[I + 1] = x[I]; // local_overrun:write
  BARRIER();
  y[G * 256 + I] = s[1 + I % 255] + neighbour[I];
}
KERNEL(buffer_overrun) {
  y[G * 256 + I] = x[G * 256 + I + 1]; // buffer_overrun:read
}
KERNEL(output_overrun) {
  y[G * 256 + I + 1] = x[I]; // output_overrun:write
}
KERNEL(null_pointer) {
  global const float* p = count[0] == 0 ? 0 : x;
  y[I] = p[I]; // null_pointer:read
}
KERNEL(misaligned) {
  const float4 v = *(global const float4*)(x + 1 + I); // misaligned:read
  y[G * 256 + I] = v.x + v.w;
}
KERNEL(local_unset) {
  local float s[257]; // local_unset:variable
  s[I] = x[I];
  BARRIER();
  y[G * 256 + I] = s[I + 1]; // local_unset:read
}
KERNEL(sum_unset) {
  local float s[256]; // sum_unset:variable
  s[I] += x[I]; // sum_unset:read
  y[G * 256 + I] = s[I];
}
KERNEL(output_unset) {
  y[G * 256 + I] += x[I]; // output_unset:read
}
KERNEL(input_written) {
  if (I == 0) ((global float*)x)[G] = 1; // input_written:write
  y[G * 256 + I] = 1;
}
KERNEL(barrier_apart) {
  if (I < 100)
    BARRIER(); // barrier_apart:one
  else
    BARRIER(); // barrier_apart:other
  y[G * 256 + I] = 1;
}
