kernel void sums(global float* y, global const float* x) {
  const uint i = get_sub_group_local_id();
  y[i] = sub_group_reduce_add(x[i]);
  y[32 + i] = (float)sub_group_reduce_add((half)x[i]);
  y[64 + i] = sub_group_reduce_max(i == 3 ? NAN : x[i]);
  y[96 + i] = sub_group_reduce_min(x[i]);
}
kernel void moves(global uint* y) {
  const uint i = get_sub_group_local_id();
  y[i] = sub_group_shuffle_xor(i, 5);
  y[32 + i] = intel_sub_group_shuffle_xor(i, 5);
  y[64 + i] = sub_group_shuffle(i, i / 2);
  y[96 + i] = sub_group_broadcast(i, 7);
  y[128 + i] = intel_sub_group_shuffle_down(i, i + 100, 2);
  y[160 + i] = intel_sub_group_shuffle_up(i + 100, i, 2);
  y[192 + i] = sub_group_shuffle_xor((uint4)(i, 1, 2, 3), 1).x;
}
kernel void votes(global uint* y) {
  const uint i = get_sub_group_local_id();
  y[i] = sub_group_any(i == 31) + 2 * sub_group_all(i < 31);
  y[32 + i] = sub_group_ballot(i % 3 == 0).x;
  y[64 + i] = sub_group_scan_inclusive_add(i);
  y[96 + i] = sub_group_scan_exclusive_add(i);
  y[128 + i] = sub_group_scan_exclusive_max(i);
  y[160 + i] = intel_sub_group_block_read(y + 64);
}
kernel __attribute__((intel_reqd_sub_group_size(16))) void narrow_groups(global uint* y) {
  const uint i = get_local_id(0);
  y[i] = sub_group_reduce_add(1u) + 100 * get_sub_group_id();
  y[64 + i] = get_max_sub_group_size() + get_num_sub_groups();
}
