kernel void sums(device float* y, device const float* x, uint i [[thread_index_in_simdgroup]]) {
  const float4 four = simd_sum(float4(x[i], x[i] * 2, 0, 1));
  y[i] = simd_sum(x[i]);
  y[32 + i] = float(simd_sum(half(x[i])));
  y[64 + i] = four.y;
  y[96 + i] = four.w;
  y[128 + i] = simd_max(i == 3 ? NAN : x[i]);
  y[160 + i] = simd_min(x[i]);
  y[192 + i] = quad_sum(x[i]);
}
kernel void moves(device uint* y, uint i [[thread_index_in_simdgroup]]) {
  y[i] = simd_shuffle_xor(i, 5);
  y[32 + i] = simd_shuffle(i, ushort(i / 2));
  y[64 + i] = simd_shuffle_up(i, 3);
  y[96 + i] = simd_shuffle_down(i, 3);
  y[128 + i] = simd_broadcast(i, 7);
  y[160 + i] = simd_broadcast_first(i + 4);
  y[192 + i] = simd_shuffle_rotate_up(i, 2);
  y[224 + i] = simd_shuffle_and_fill_down(i, i + 100, 2);
  y[256 + i] = quad_shuffle_xor(i, 1);
  y[288 + i] = quad_broadcast(i, 2);
}
kernel void votes(device uint* y, uint i [[thread_index_in_simdgroup]]) {
  y[i] = uint(ulong(simd_ballot(i % 3 == 0)));
  y[32 + i] = simd_any(i == 31) + 2 * simd_all(i < 31) + 4 * simd_is_first();
  y[64 + i] = simd_prefix_inclusive_sum(i);
  y[96 + i] = simd_prefix_exclusive_sum(i);
  y[128 + i] = simd_product(i == 5 ? 3u : 1u);
  y[160 + i] = simd_or(1u << i) & simd_xor(i);
  y[192 + i] = quad_any(i == 4);
  if (i >= 4) y[224 + i] = simd_is_first();
}
kernel void matrices(device float* y, device const float* a, device const half* b) {
  simdgroup_float8x8 left, sum = make_filled_simdgroup_matrix<float, 8, 8>(1.0);
  simdgroup_matrix<half, 8, 8> right;
  simdgroup_load(left, a);
  simdgroup_load(right, b, 8, ulong2(0, 0), true);
  simdgroup_multiply_accumulate(sum, left, right, sum);
  simdgroup_store(sum, y, 8);
}
