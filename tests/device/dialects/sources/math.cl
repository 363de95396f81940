kernel void functions(global float* y, global const float* x) {
  const float a = x[0], b = x[1], nan = x[2];
  float whole;
  y[0] = sqrt(a);
  y[1] = native_rsqrt(a);
  y[2] = fma(a, b, -(a * b));
  y[3] = exp(a);
  y[4] = exp2((float4)(3, a, a, a)).x;
  y[5] = fmax(a, nan);
  y[6] = fmin(nan, a);
  y[7] = mad(a, b, 1.0f);
  y[8] = round(2.5f);
  y[9] = rint(2.5f);
  y[10] = fabs(-a);
  y[11] = a / b;
  y[12] = native_divide(a, b);
  y[13] = dot((float3)(1, 2, 3), (float3)(a));
  y[14] = clamp(a, 0.0f, 1.0f);
  y[15] = fract(-a, &whole) + 4 * whole;
  y[16] = mix(a, b, 0.5f);
  y[17] = half_recip(b);
  y[18] = pown(a, 2);
  y[19] = max(a, b);
  y[20] = fmax((float2)(a, b), 1.0f).y;
  y[21] = (float)log2((half)8);
  y[22] = ldexp(a, 3);
  y[23] = length((float2)(3, 4));
}
kernel void tests(global uint* y, global const float* x) {
  const float a = x[0], nan = x[2];
  y[0] = isnan(nan);
  y[1] = isnan(a);
  y[2] = isinf(INFINITY);
  y[3] = isfinite(a);
  y[4] = (uint)isnan((float2)(a, nan)).y;
  y[5] = any(isnan((float4)(a, a, a, nan)));
  y[6] = all((int2)(-1, 0));
  y[7] = select(3u, 4u, 1u);
  y[8] = isless(a, nan);
  y[9] = select((uint2)(1, 2), (uint2)(3, 4), (int2)(0, -1)).y;
  y[10] = isunordered(a, nan);
  y[11] = isnan((half)nan);
}
kernel void integers(global uint* y, global const uint* x) {
  const uint a = x[0];
  y[0] = popcount(a);
  y[1] = clz(a);
  y[2] = ctz(a);
  y[3] = mul_hi(a, a);
  y[4] = rotate(a, 8u);
  y[5] = add_sat(a, ~0u);
  y[6] = (uint)sub_sat((int)INT_MIN, 1);
  y[7] = abs_diff(2u, 5u);
  y[8] = abs(-7);
  y[9] = hadd(7u, 8u);
  y[10] = rhadd(7u, 8u);
  y[11] = upsample((ushort)1, (ushort)2);
  y[12] = mad24(3, 4, 5);
  y[13] = min((uint4)(9, 8, 7, 6), 7u).x;
  y[14] = clz((uchar)1);
}
