template <typename T> T tree(threadgroup T* part, uint i, uint n) {
  for (uint half_n = n / 2; half_n > 0; half_n /= 2) {
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (i < half_n) part[i] += part[i + half_n];
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  return part[0];
}
kernel void memories(device float* y [[buffer(0)]], device const float* x [[buffer(1)]],
                     threadgroup float* given [[threadgroup(0)]], uint i [[thread_index_in_threadgroup]]) {
  threadgroup float own[64], one;
  own[i] = x[i], given[i] = x[i];
  if (i == 0) one = 3;
  y[i] = tree(own, i, 64) + tree(given, i, 64) * one;
}
struct Cells { atomic_int i; atomic_uint u; atomic_float f; };
kernel void atomics(device uint* y, device Cells* c, uint i [[thread_index_in_threadgroup]]) {
  threadgroup atomic_uint most;
  if (i == 0) atomic_store_explicit(&most, 0, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  atomic_fetch_max_explicit(&most, i, memory_order_relaxed);
  atomic_fetch_sub_explicit(&c->i, 2, memory_order_relaxed);
  atomic_fetch_or_explicit(&c->u, 1u << i, memory_order_relaxed);
  atomic_fetch_add_explicit(&c->f, 0.5, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_device);
  if (i != 0) return;
  y[0] = atomic_load_explicit(&most, memory_order_relaxed);
  y[1] = uint(atomic_load_explicit(&c->i, memory_order_relaxed));
  y[2] = atomic_exchange_explicit(&c->u, 7, memory_order_relaxed);
  y[3] = as_type<uint>(atomic_load_explicit(&c->f, memory_order_relaxed));
}
kernel void in_any_order(device float* y, device const float* x, uint i [[thread_index_in_threadgroup]]) {
  threadgroup atomic_uint cell;
  if (i == 0) atomic_store_explicit(&cell, 0u, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  uint seen = atomic_load_explicit(&cell, memory_order_relaxed);
  while (!atomic_compare_exchange_weak_explicit(&cell, &seen, as_type<uint>(as_type<float>(seen) + x[i]),
                                                memory_order_relaxed, memory_order_relaxed)) {}
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (i == 0) y[0] = as_type<float>(atomic_load_explicit(&cell, memory_order_relaxed));
}
kernel void places(device uint* y, uint3 grid [[thread_position_in_grid]], uint3 size [[threads_per_grid]],
                   ushort3 group [[threadgroup_position_in_grid]], uint2 groups [[threadgroups_per_grid]],
                   uint index [[thread_index_in_threadgroup]], uint3 threads [[threads_per_threadgroup]],
                   ushort lane [[thread_index_in_simdgroup]], uint simd [[simdgroup_index_in_threadgroup]],
                   uint simds [[simdgroups_per_threadgroup]], uint width [[threads_per_simdgroup]],
                   uint3 place [[thread_position_in_threadgroup]], uint quad [[quadgroup_index_in_threadgroup]]) {
  const uint at = 14 * ((grid.z * size.y + grid.y) * size.x + grid.x);
  const uint all[14] = {grid.x, grid.y, grid.z, group.x, group.y, groups.x, index,
                        threads.y, lane, simd, simds, width, place.y, quad};
  for (uint i = 0; i < 14; i++) y[at + i] = all[i];
}
constant uint SCALE [[function_constant(2)]];
constant bool FLAG [[function_constant(3)]];
kernel void constants(device uint* y) { y[0] = FLAG ? SCALE : 0; }
kernel void left_early(device float* y, uint i [[thread_index_in_threadgroup]]) {
  if (i == 5) return;
  threadgroup_barrier(mem_flags::mem_threadgroup); // not all
  y[i] = 1;
}
template <typename T> [[kernel, max_total_threads_per_threadgroup(64)]] void named(device T* y) { y[0] = T(2.5); }
template [[host_name("named_bfloat")]] [[kernel]] decltype(named<bfloat>) named<bfloat>;
