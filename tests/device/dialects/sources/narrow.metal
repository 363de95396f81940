template <typename T> void all_operations(device ushort* y, T a, T b, T c, uint i, uint n) {
  y[i] = as_type<ushort>(T(a + b));
  y[n + i] = as_type<ushort>(T(a * b));
  y[2 * n + i] = as_type<ushort>(fma(a, b, c));
  T sum = a;
  sum += b;
  y[3 * n + i] = as_type<ushort>(T(sum + c));
}
kernel void halves(device ushort* y, device const half* x, constant uint& n, uint i [[thread_position_in_grid]]) {
  all_operations(y, x[i], x[n + i], x[2 * n + i], i, n);
}
kernel void bfloats(device ushort* y, device const bfloat* x, constant uint& n, uint i [[thread_position_in_grid]]) {
  all_operations(y, x[i], x[n + i], x[2 * n + i], i, n);
}
kernel void rounded(device ushort* y, device const float* x, constant uint& n, uint i [[thread_position_in_grid]]) {
  y[i] = as_type<ushort>(half(x[i]));
  y[n + i] = as_type<ushort>(bfloat(x[i]));
  bfloat implied = x[i];
  y[2 * n + i] = as_type<ushort>(implied);
}
