import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { DeviceError, type DeviceModule } from '../../../src/device/device.ts';
import type { HostDevice } from '../../../src/device/host.ts';
import { decode, encode } from '../../../src/numerics/codec.ts';
import { failureOf, imageOf, lineOf, newDevice, u32 } from '../host/device.ts';
import { add, BF16, type Format, F16, isFinite, multiply, nearest, valueOf } from '../host/exact.ts';
import { butterfly, call, errorOf, type Inputs, launchFor, mixed, SCHEDULES } from './kit.ts';

const TYPES = `
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
  y[0] = a.x, y[1] = a.y, y[2] = a.z, y[3] = a.w;
  a.xw = a.wx;
  float3 b = a.rgb * FOUR.y + TABLE[1];
  y[4] = b.x, y[5] = b[1], y[6] = b.z;
  packed_float3 p = packed_float3(b);
  y[7] = (p.xyz_sum);
}
kernel void conversions(device uint* y, device const float* x) {
  y[0] = uint(x[0]), y[1] = uint(x[1]), y[2] = uint(int(x[2])), y[3] = uint2(x[3], x[4]).y;
  y[4] = as_type<uint>(x[5]), y[5] = as_type<ushort>(half(x[5])), y[6] = as_type<ushort>(bfloat(x[5]));
  y[7] = as_type<uint2>(half4(1, 2, 3, 4)).y, y[8] = as_type<ushort>(bfloat(half(x[5])));
  y[9] = as_type<ushort>(bfloat(16777217 * 257)), y[10] = as_type<ushort>(1.5h), y[11] = as_type<ushort>(1.5bf);
  y[12] = as_type<ushort>(bfloat(x[2])), y[13] = as_type<ushort>(half(x[2]));
}
kernel void masks(device uint* y, device const float4* x) {
  const float4 a = x[0], b = x[1], chosen = select(a, b, a < b);
  const bool4 less = a < b;
  for (uint i = 0; i < 4; i++) y[i] = uint(chosen[i]), y[4 + i] = less[i];
  y[8] = any(a < b), y[9] = all(a < b), y[10] = any(isnan(x[2])), y[11] = all(!less || less);
  y[12] = select(3u, 4u, a.x < b.x), y[13] = all(bool2(true, false));
}
`.replace('p.xyz_sum', 'p.x + p[1] + float3(p).z');

const NARROW = `
template <typename T> void all_operations(device ushort* y, T a, T b, T c, uint i, uint n) {
  y[i] = as_type<ushort>(T(a + b)), y[n + i] = as_type<ushort>(T(a * b)), y[2 * n + i] = as_type<ushort>(fma(a, b, c));
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
`;

const MATH = `
kernel void extremes(device float* y, device const float* x) {
  const float a = x[0], nan = x[1];
  y[0] = fmax(a, nan), y[1] = max(nan, a), y[2] = fmin(nan, a), y[3] = clamp(nan, 0.0, 1.0), y[4] = saturate(2.5 * a);
  y[5] = fmax(nan, nan), y[6] = max3(a, 5.0, 4.0), y[7] = float(max(half2(1, 5), half2(3, 2)).y), y[8] = median3(a, 9.0, 3.0);
  y[9] = min(3, int(a)), y[10] = isnan(nan) + 2 * isinf(INFINITY) + 4 * isfinite(a) + 8 * isnan(a);
}
kernel void functions(device float* y, device const float* x) {
  const float a = x[0], b = x[1];
  y[0] = precise::sqrt(a), y[1] = fast::rsqrt(a), y[2] = fma(a, b, -a * b), y[3] = precise::exp(a), y[4] = log2(float2(8, a)).x;
  y[5] = fabs(-a), y[6] = abs(-3), y[7] = floor(-b), y[8] = round(2.5 * 1.0), y[9] = rint(2.5 * 1.0), y[10] = fract(a);
  y[11] = dot(float3(1, 2, 3), float3(a)), y[12] = mix(a, b, 0.5), y[13] = length(float2(3, 4)), y[14] = sign(-a);
  y[15] = precise::divide(a, b), y[16] = pow(a, 2.0), y[17] = copysign(a, -1.0), y[18] = ldexp(a, 3), y[19] = step(a, b);
}
kernel void integers(device uint* y, device const uint* x) {
  const uint a = x[0];
  y[0] = popcount(a), y[1] = clz(a), y[2] = ctz(a), y[3] = mulhi(a, a), y[4] = rotate(a, 8u), y[5] = reverse_bits(a);
  y[6] = extract_bits(a, 4, 8), y[7] = insert_bits(a, 0xffu, 8, 4), y[8] = uint(extract_bits(int(a), 28, 4)), y[9] = clz(0u);
  y[10] = addsat(a, ~0u), y[11] = uint(subsat(int(INT_MIN), 1)), y[12] = absdiff(2u, 5u), y[13] = popcount(uint2(1, 7)).y;
}
`;

const SIMD = `
kernel void sums(device float* y, device const float* x, uint i [[thread_index_in_simdgroup]]) {
  const float4 four = simd_sum(float4(x[i], x[i] * 2, 0, 1));
  y[i] = simd_sum(x[i]), y[32 + i] = float(simd_sum(half(x[i]))), y[64 + i] = four.y, y[96 + i] = four.w;
  y[128 + i] = simd_max(i == 3 ? NAN : x[i]), y[160 + i] = simd_min(x[i]), y[192 + i] = quad_sum(x[i]);
}
kernel void moves(device uint* y, uint i [[thread_index_in_simdgroup]]) {
  y[i] = simd_shuffle_xor(i, 5), y[32 + i] = simd_shuffle(i, ushort(i / 2)), y[64 + i] = simd_shuffle_up(i, 3);
  y[96 + i] = simd_shuffle_down(i, 3), y[128 + i] = simd_broadcast(i, 7), y[160 + i] = simd_broadcast_first(i + 4);
  y[192 + i] = simd_shuffle_rotate_up(i, 2), y[224 + i] = simd_shuffle_and_fill_down(i, i + 100, 2);
  y[256 + i] = quad_shuffle_xor(i, 1), y[288 + i] = quad_broadcast(i, 2);
}
kernel void votes(device uint* y, uint i [[thread_index_in_simdgroup]]) {
  y[i] = uint(ulong(simd_ballot(i % 3 == 0))), y[32 + i] = simd_any(i == 31) + 2 * simd_all(i < 31) + 4 * simd_is_first();
  y[64 + i] = simd_prefix_inclusive_sum(i), y[96 + i] = simd_prefix_exclusive_sum(i);
  y[128 + i] = simd_product(i == 5 ? 3u : 1u), y[160 + i] = simd_or(1u << i) & simd_xor(i), y[192 + i] = quad_any(i == 4);
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
`;

const GROUP = `
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
  const uint all[14] = {grid.x, grid.y, grid.z, group.x, group.y, groups.x, index, threads.y, lane, simd, simds, width, place.y, quad};
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
`;

const SOURCE = `#include <metal_stdlib>\nusing namespace metal;\n${TYPES}${NARROW}${MATH}${SIMD}${GROUP}`;

let device: HostDevice;
let module: DeviceModule;
beforeAll(async () => {
  device = await newDevice();
  const defines = '#define TF_FUNCTION_CONSTANT_UNUSED\n';
  module = device.load(await imageOf(defines + SOURCE, 'metal', { TF_FUNCTION_CONSTANT_2: 41, TF_FUNCTION_CONSTANT_3: 1 }));
});
afterAll(() => device.close());

const floats = (symbol: string, count: number, inputs: Inputs = [], rest = {}): number[] =>
  Array.from(call(device, module, symbol, new Float32Array(count), inputs, { group: [1, 1, 1], ...rest }));
const words = (symbol: string, count: number, inputs: Inputs = [], rest = {}): number[] =>
  Array.from(call(device, module, symbol, new Uint32Array(count), inputs, { group: [1, 1, 1], ...rest }));
const lanes = (value: (i: number) => number): number[] => Array.from({ length: 32 }, (_, i) => value(i));
const f32 = Math.fround;
