#pragma OPENCL EXTENSION cl_khr_fp16 : enable

kernel void loads(global float* y, global const float* x, global const half* h) {
  local float part[8];
  vstore4(vload4(1, x), 0, y);
  vstore3(vload3(1, x), 0, part + 1);
  float own[4] = {part[1], part[2], part[3], 9};
  vstore2(vload4(0, own).wz, 2, y);
  y[6] = vload_half(1, h);
  y[7] = vload_half4(0, h).w;
  y[8] = vload8(0, x).s7;
  y[9] = vload2(0, own).y;
}
kernel void halves_stored(global half* y, global const float* x) {
  vstore_half(x[0], 0, y), vstore_half_rte(x[1], 1, y), vstore_half2((float2)(x[2], x[3]), 1, y);
}
kernel void conversions(global uint* y, global const float* x) {
  y[0] = convert_uint(x[0]);
  y[1] = convert_uint(x[1]);
  y[2] = (uint)convert_int(x[2]);
  y[3] = convert_int_rte(2.5f);
  y[4] = convert_uchar_sat(300);
  y[5] = (uint)convert_char_sat(-300);
  y[6] = convert_uint4((uchar4)(1, 2, 3, 250)).w;
  y[7] = as_uint(convert_float8((uint8)(7)).s5);
  y[8] = as_uint(x[3]);
  y[9] = as_ushort(convert_half(x[3]));
  y[10] = as_uint((ushort2)(1, 2));
  y[11] = convert_int2_rtp((float2)(1.1f, -1.1f)).x;
  y[12] = convert_ushort2_sat((int2)(-1, 70000)).y;
  y[13] = (uint)convert_int_rtn(-1.5f);
}
struct pair { uint a; float b; ulong c; };
kernel void by_value(global uint* y, uint plain, float real, struct pair p) {
  y[0] = plain;
  y[1] = as_uint(real);
  y[2] = p.a;
  y[3] = as_uint(p.b);
  y[4] = (uint)p.c;
}
kernel void halves(global half* y, global const half* x, uint n) {
  const uint i = get_global_id(0);
  const half a = x[i], b = x[n + i], c = x[2 * n + i];
  y[i] = a + b;
  y[n + i] = a * b;
  y[2 * n + i] = fma(a, b, c);
  half sum = a;
  sum += b;
  y[3 * n + i] = sum + c;
}
kernel void doubles(global double* y, global const float* x) {
  const double a = x[0];
  y[0] = a / 3, y[1] = fma(a, a, -2.0), y[2] = convert_double4((float4)(1, 2, 3, 4)).w + fmax(a, 0.5);
  y[3] = sqrt(a) + isnan(a);
}
