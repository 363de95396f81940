#include <metal_stdlib>
using namespace metal;

struct Mixed { char c; packed_float3 p; half h; };
#define SIZE(T) y[n++] = sizeof(T) * 1000 + alignof(T);
kernel void sizes(device uint* y) {
  uint n = 0;
  SIZE(half) SIZE(bfloat) SIZE(float2) SIZE(float3) SIZE(half3) SIZE(uchar3) SIZE(long3) SIZE(bfloat4) SIZE(bool4)
  SIZE(packed_float3) SIZE(packed_half4) SIZE(Mixed) SIZE(size_t) SIZE(atomic_uint)
}
constant float TABLE[] = {0.5, 0.25};
constexpr constant float4 FOUR = float4(1, 2, 3, 4);
kernel void vectors(device float* y) {
  float4 a = float4(1, float2(2, 3), 4);
  y[0] = a.x;
  y[1] = a.y;
  y[2] = a.z;
  y[3] = a.w;
  a.xw = a.wx;
  float3 b = a.rgb * FOUR.y + TABLE[1];
  y[4] = b.x;
  y[5] = b[1];
  y[6] = b.z;
  packed_float3 p = packed_float3(b);
  y[7] = (p.x + p[1] + float3(p).z);
}
kernel void conversions(device uint* y, device const float* x) {
  y[0] = uint(x[0]);
  y[1] = uint(x[1]);
  y[2] = uint(int(x[2]));
  y[3] = uint2(x[3], x[4]).y;
  y[4] = as_type<uint>(x[5]);
  y[5] = as_type<ushort>(half(x[5]));
  y[6] = as_type<ushort>(bfloat(x[5]));
  y[7] = as_type<uint2>(half4(1, 2, 3, 4)).y;
  y[8] = as_type<ushort>(bfloat(half(x[5])));
  y[9] = as_type<ushort>(bfloat(16777217 * 257));
  y[10] = as_type<ushort>(1.5h);
  y[11] = as_type<ushort>(1.5bf);
  y[12] = as_type<ushort>(bfloat(x[2]));
  y[13] = as_type<ushort>(half(x[2]));
}
kernel void masks(device uint* y, device const float4* x) {
  const float4 a = x[0], b = x[1], chosen = select(a, b, a < b);
  const bool4 less = a < b;
  for (uint i = 0; i < 4; i++) y[i] = uint(chosen[i]), y[4 + i] = less[i];
  y[8] = any(a < b);
  y[9] = all(a < b);
  y[10] = any(isnan(x[2]));
  y[11] = all(!less || less);
  y[12] = select(3u, 4u, a.x < b.x);
  y[13] = all(bool2(true, false));
}
kernel void columns(device float* y, device const float* x) {
  float2x2 a = float2x2(float2(x[0], x[1]), float2(x[2], x[3]));
  const float2x2 b = transpose(a) * 2 - float2x2(1);
  const float2 v = a * float2(5, 6), w = float2(5, 6) * a;
  half4x4 h = half4x4(half(0));
  h[1][2] = 3;
  const float4x4 wide = float4x4(h);
  y[0] = b[0][1], y[1] = b[1].y, y[2] = v.x, y[3] = v.y;
  y[4] = w.x, y[5] = (a * b)[1][0], y[6] = wide[1].z, y[7] = wide[2][2];
}
