import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { HostDevice } from '../../../src/device/host.ts';
import { buffer, download, failureOf, imageOf, launchOf, lineOf, newDevice, run, u32, upload } from './device.ts';

const TYPES = [
  'float',
  'float2',
  'float4',
  'int2',
  'int4',
  'uint2',
  'uint4',
  'ushort4',
  'short2',
  'uchar4',
  'char2',
  'double',
  'double2',
  'longlong2',
  'ulonglong4',
  '__half2',
  '__nv_bfloat162',
] as const;

const SOURCE = `
#include <cuda_fp16.h>
#include <cuda_bf16.h>
static_assert(sizeof(float4) == 16 && alignof(float4) == 16 && sizeof(float3) == 12, "as CUDA's");
static_assert(sizeof(double4) == 32 && alignof(double4) == 16 && alignof(uchar4) == 4, "as CUDA's");
static_assert(alignof(float3) == 4 && alignof(ushort2) == 4 && alignof(longlong2) == 16, "as CUDA's");
static_assert(sizeof(__half2) == 4 && alignof(__half2) == 4 && sizeof(__nv_bfloat16) == 2, "as CUDA's");
template <class T> __device__ T* at(char* p, unsigned offset) { return reinterpret_cast<T*>(p + offset); }
#define KERNELS(T) \\
  extern "C" __global__ void load_##T(char* x, char* y, unsigned by) { T v = *at<T>(x, by); *at<T>(y, 0) = v; } \\
  extern "C" __global__ void store_##T(char* x, char* y, unsigned by) { *at<T>(y, by) = *at<T>(x, 0); } \\
  extern "C" __global__ void ldg_##T(char* x, char* y, unsigned by) { *at<T>(y, 0) = __ldg(at<T>(x, by)); }
${TYPES.map((type) => `KERNELS(${type})`).join('\n')}
extern "C" __global__ void atomics(char* x, char* y, unsigned by) {
  atomicAdd(at<float>(y, by), 1.0f); // atomic
}
extern "C" __global__ void in_local(char* x, char* y, unsigned by) {
  __shared__ float part[8];
  part[threadIdx.x % 8] = threadIdx.x;
  __syncthreads();
  float4 v = *reinterpret_cast<float4*>(part + by / 4); // in-local
  *at<float4>(y, 0) = v;
}
extern "C" __global__ void aggregates(float* y) {
  float4 whole = {1, 2, 3, 4}, part = {5}, zero = {};
  union { uint4 v; unsigned short h[8]; } both;
  both.v = make_uint4(1, 2, 3, 4);
  y[0] = whole.w + part.x + part.w + zero.y + both.h[2];
}
`;

let device: HostDevice;
let module: ReturnType<HostDevice['load']>;
let x: number;
let y: number;

beforeAll(async () => {
  device = await newDevice();
  module = device.load(await imageOf(SOURCE));
  x = upload(
    device,
    Uint32Array.from({ length: 32 }, (_, i) => i + 1),
  );
  y = upload(device, new Uint32Array(32));
});
afterAll(() => device.close());

const launch = (symbol: string, by: number) =>
  launchOf(device.kernel(module, symbol), [buffer(x), buffer(y), u32(by)], { group: [1, 1, 1] });

for (const type of TYPES) {
  test(`${type}: a misaligned load or store faults, an aligned one does not`, () => {
    for (const verb of ['load', 'store', 'ldg']) {
      run(device, launch(`${verb}_${type}`, 32));
      const error = failureOf(device, launch(`${verb}_${type}`, 33));
      expect(error.failure).toBe('fault');
      expect(error.message).toContain('misaligned');
    }
  });
}

test('a vector that starts at one of its elements is misaligned', () => {
  const error = failureOf(device, launch('load_float4', 4));
  expect(error.message).toContain('misaligned access: group (0,0,0) thread (0,0,0) at test.cuda:');
  expect(failureOf(device, launch('load___half2', 2)).message).toContain('misaligned');
});

test("atomics and local memory are checked, and the line is the kernel's", () => {
  expect(failureOf(device, launch('atomics', 2)).message).toContain(`at test.cuda:${lineOf(SOURCE, '// atomic')}`);
  run(device, launch('in_local', 16));
  expect(failureOf(device, launch('in_local', 4)).message).toContain(`at test.cuda:${lineOf(SOURCE, '// in-local')}`);
});

test('vectors stay aggregates', () => {
  run(device, launchOf(device.kernel(module, 'aggregates'), [buffer(y)], { group: [1, 1, 1] }));
  expect([...download(device, y, new Float32Array(1))]).toEqual([4 + 5 + 0 + 0 + 2]);
});
