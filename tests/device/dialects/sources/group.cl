float tree(local float* part, uint i, uint n) {
  for (uint half_n = n / 2; half_n > 0; half_n /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < half_n) part[i] += part[i + half_n];
  }
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  return part[0];
}
kernel void memories(global float* y, global const float* x, local float* given) {
  local float own[64], one;
  const uint i = get_local_id(0);
  own[i] = x[i], given[i] = x[i];
  if (i == 0) one = 3;
  y[i] = tree(own, i, 64) + tree(given, i, 64) * one;
}
kernel void atomics(global uint* y, volatile global int* c, volatile global atomic_uint* u,
                    volatile global atomic_float* f) {
  local uint most;
  const uint i = get_local_id(0);
  if (i == 0) most = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_max(&most, i);
  atomic_sub(c, 2), atomic_inc(c + 1), atomic_or(c + 2, 1 << i);
  atomic_fetch_add_explicit(u, 3u, memory_order_relaxed, memory_scope_device);
  atomic_fetch_add_explicit(f, 0.5f, memory_order_relaxed);
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (i != 0) return;
  y[0] = most;
  y[1] = c[0];
  y[2] = c[1];
  y[3] = atomic_xchg(c + 2, 7);
  y[4] = atomic_load(u);
  y[5] = as_uint(atomic_load(f));
  uint expected = 96;
  y[6] = atomic_compare_exchange_strong(u, &expected, 5u);
  y[7] = atomic_load_explicit(u, memory_order_acquire);
}
kernel void in_any_order(global float* y, global const float* x) {
  local uint cell;
  if (get_local_id(0) == 0) cell = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint seen = cell;
  for (uint old = ~seen; old != seen;) {
    const uint expected = seen;
    seen = atomic_cmpxchg(&cell, expected, as_uint(as_float(expected) + x[get_local_id(0)]));
    old = expected;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) y[0] = as_float(cell);
}
kernel void places(global uint* y) {
  const size_t at = 12 * get_global_linear_id();
  const uint all[12] = {get_global_id(0), get_global_id(1), get_global_id(2), get_group_id(0), get_group_id(1),
    get_num_groups(0), get_local_linear_id(), get_local_size(1), get_sub_group_local_id(), get_sub_group_id(),
    get_num_sub_groups(), get_local_id(1)};
  for (uint i = 0; i < 12; i++) y[at + i] = all[i];
}
kernel void left_early(global float* y) {
  if (get_local_id(0) == 5) return;
  barrier(CLK_LOCAL_MEM_FENCE); // not all
  y[get_local_id(0)] = 1;
}
kernel void past_the_end(global float* y) {
  y[get_local_id(0) * 4096] = 1; // beyond
}
