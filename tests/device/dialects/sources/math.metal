kernel void extremes(device float* y, device const float* x) {
  const float a = x[0], nan = x[1];
  y[0] = fmax(a, nan);
  y[1] = max(nan, a);
  y[2] = fmin(nan, a);
  y[3] = clamp(nan, 0.0, 1.0);
  y[4] = saturate(2.5 * a);
  y[5] = fmax(nan, nan);
  y[6] = max3(a, 5.0, 4.0);
  y[7] = float(max(half2(1, 5), half2(3, 2)).y);
  y[8] = median3(a, 9.0, 3.0);
  y[9] = min(3, int(a));
  y[10] = isnan(nan) + 2 * isinf(INFINITY) + 4 * isfinite(a) + 8 * isnan(a);
}
kernel void functions(device float* y, device const float* x) {
  const float a = x[0], b = x[1];
  y[0] = precise::sqrt(a);
  y[1] = fast::rsqrt(a);
  y[2] = fma(a, b, -a * b);
  y[3] = precise::exp(a);
  y[4] = log2(float2(8, a)).x;
  y[5] = fabs(-a);
  y[6] = abs(-3);
  y[7] = floor(-b);
  y[8] = round(2.5 * 1.0);
  y[9] = rint(2.5 * 1.0);
  y[10] = fract(a);
  y[11] = dot(float3(1, 2, 3), float3(a));
  y[12] = mix(a, b, 0.5);
  y[13] = length(float2(3, 4));
  y[14] = sign(-a);
  y[15] = precise::divide(a, b);
  y[16] = pow(a, 2.0);
  y[17] = copysign(a, -1.0);
  y[18] = ldexp(a, 3);
  y[19] = step(a, b);
}
kernel void integers(device uint* y, device const uint* x) {
  const uint a = x[0];
  y[0] = popcount(a);
  y[1] = clz(a);
  y[2] = ctz(a);
  y[3] = mulhi(a, a);
  y[4] = rotate(a, 8u);
  y[5] = reverse_bits(a);
  y[6] = extract_bits(a, 4, 8);
  y[7] = insert_bits(a, 0xffu, 8, 4);
  y[8] = uint(extract_bits(int(a), 28, 4));
  y[9] = clz(0u);
  y[10] = addsat(a, ~0u);
  y[11] = uint(subsat(int(INT_MIN), 1));
  y[12] = absdiff(2u, 5u);
  y[13] = popcount(uint2(1, 7)).y;
}
