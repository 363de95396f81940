import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { HostDevice } from '../../../src/device/host.ts';
import { buffer, download, failureOf, imageOf, launchOf, newDevice, run, u32, upload } from './device.ts';

const POISON = 0x7fa5dead;

const SOURCE = `
extern "C" __global__ void add(unsigned* y, unsigned value) { y[threadIdx.x] += value; }
extern "C" __global__ void unwritten(unsigned* y) {
  __shared__ unsigned fixed[32];
  extern __shared__ unsigned grown[];
  y[blockIdx.x * 64 + threadIdx.x] = fixed[threadIdx.x];
  y[blockIdx.x * 64 + 32 + threadIdx.x] = grown[threadIdx.x];
  fixed[threadIdx.x] = grown[threadIdx.x] = 1;
}
extern "C" __global__ void last_of_dynamic(unsigned* y, unsigned i) {
  extern __shared__ unsigned grown[];
  grown[i] = 3;
  y[threadIdx.x] = grown[i];
}
extern "C" __global__ void __launch_bounds__(64) bounded(unsigned* y) { y[threadIdx.x] = 1; }
extern "C" __global__ void place(unsigned* y) {
  unsigned group = blockIdx.y * gridDim.x + blockIdx.x;
  unsigned i = group * 12 + (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  y[i] = threadIdx.x | threadIdx.y << 4 | threadIdx.z << 8 | blockIdx.x << 12 | blockIdx.y << 16;
}
extern "C" __global__ void early_exit(unsigned* y) {
  if (threadIdx.x < 8) return;
  __syncthreads();
  y[threadIdx.x] = 1;
}
extern "C" __global__ void product(const float* x, float* y) { y[threadIdx.x] = x[threadIdx.x] * 0.5f; }
`;

let device: HostDevice;
let module: ReturnType<HostDevice['load']>;
let y: number;

beforeAll(async () => {
  device = await newDevice();
  module = device.load(await imageOf(SOURCE));
  y = upload(device, new Uint32Array(1024));
});
afterAll(() => device.close());

const words = (count: number) => [...download(device, y, new Uint32Array(count))];

test('arguments are read afresh at every launch of the same kernel', () => {
  const kernel = device.kernel(module, 'add');
  device.fill(y, 0, 4096);
  const other = upload(device, new Uint32Array(32));
  for (const value of [1, 10, 100]) run(device, launchOf(kernel, [buffer(y), u32(value)]));
  run(device, launchOf(kernel, [buffer(other), u32(5)]));
  expect(words(32)).toEqual(Array(32).fill(111));
  expect([...download(device, other, new Uint32Array(32))]).toEqual(Array(32).fill(5));
});

test('launches queue, and run in order', () => {
  device.fill(y, 0, 4096);
  const kernel = device.kernel(module, 'add');
  for (let i = 0; i < 200; i++) device.launch(launchOf(kernel, [buffer(y), u32(i)]));
  expect(words(1)).toEqual([0]);
  device.wait(1000);
  expect(words(1)).toEqual([(199 * 200) / 2]);
});

test('local memory holds the poison word before every group', () => {
  const shape = { grid: [4, 1, 1], localPoison: POISON, dynamicLocalBytes: 128 } as const;
  for (const schedule of [0, 3]) {
    run(device, launchOf(device.kernel(module, 'unwritten'), [buffer(y)], { ...shape, schedule }));
    expect(words(256)).toEqual(Array(256).fill(POISON));
  }
});

test('the static local bytes of a kernel are known once it ran', () => {
  run(device, launchOf(device.kernel(module, 'unwritten'), [buffer(y)], { dynamicLocalBytes: 128 }));
  expect(device.kernel(module, 'unwritten').staticLocalBytes).toBe(128);
});

test('dynamic local memory ends at its declared size', () => {
  const kernel = device.kernel(module, 'last_of_dynamic');
  run(device, launchOf(kernel, [buffer(y), u32(31)], { dynamicLocalBytes: 128 }));
  const error = failureOf(device, launchOf(kernel, [buffer(y), u32(32)], { dynamicLocalBytes: 128 }));
  expect(error.message).toContain('local memory 0 bytes past its end');
});

test('indices run over three dimensions, x first', () => {
  run(device, launchOf(device.kernel(module, 'place'), [buffer(y)], { grid: [2, 2, 1], group: [3, 2, 2] }));
  const want = [];
  for (let by = 0; by < 2; by++)
    for (let bx = 0; bx < 2; bx++) {
      for (let z = 0; z < 2; z++)
        for (let ty = 0; ty < 2; ty++)
          for (let x = 0; x < 3; x++) {
            want.push(x | (ty << 4) | (z << 8) | (bx << 12) | (by << 16));
          }
    }
  expect(words(48)).toEqual(want);
});

test('a thread may return before the barrier of the others in CUDA', () => {
  for (const schedule of [0, 1, 2, 3]) {
    device.fill(y, 0, 4096);
    run(device, launchOf(device.kernel(module, 'early_exit'), [buffer(y)], { schedule }));
    expect(words(32)).toEqual([...Array(8).fill(0), ...Array(24).fill(1)]);
  }
});

test('an impossible launch is refused in words', () => {
  const add = device.kernel(module, 'add');
  const refused = (launch: Parameters<HostDevice['launch']>[0]) => () => device.launch(launch);
  expect(refused(launchOf(add, [buffer(y)]))).toThrow('takes 2 arguments, not 1');
  expect(refused(launchOf(add, [u32(1), u32(1)]))).toThrow('argument 0 of add is a buffer');
  expect(refused(launchOf(add, [buffer(y), buffer(y)]))).toThrow('argument 1 of add is bytes of 4 bytes');
  expect(refused(launchOf(add, [buffer(y), u32(1)], { group: [2048, 1, 1] }))).toThrow('a group has no side past 1024');
  expect(refused(launchOf(add, [buffer(y), u32(1)], { group: [64, 64, 1] }))).toThrow('at most 1024 threads');
  expect(refused(launchOf(add, [buffer(y), u32(1)], { grid: [0, 1, 1] }))).toThrow('side of 0');
  const bounded = device.kernel(module, 'bounded');
  expect(refused(launchOf(bounded, [buffer(y)], { group: [96, 1, 1] }))).toThrow('launch bound 64');
  expect(refused(launchOf(add, [buffer(y), u32(1)], { dynamicLocalBytes: 1 << 20 }))).toThrow('256 KiB');
  expect(bounded.maxThreads).toBe(64);
});

test('denormals are kept or flushed as the launch says, and the control word of the caller comes back', () => {
  const x = upload(device, new Uint32Array(32).fill(1 << 22)); // an fp32 denormal
  const kernel = device.kernel(module, 'product');
  run(device, launchOf(kernel, [buffer(x), buffer(y)]));
  expect(words(1)).toEqual([1 << 21]);
  run(device, launchOf(kernel, [buffer(x), buffer(y)], { flushDenormals: true }));
  expect(words(1)).toEqual([0]);
  const least = new Float64Array([Number.MIN_VALUE, 2]);
  expect((least[0] ?? 0) * (least[1] ?? 0)).toBe(2 * Number.MIN_VALUE);
});

test('the control word comes back after a fault too', () => {
  const launch = launchOf(device.kernel(module, 'product'), [buffer(0), buffer(y)], { flushDenormals: true });
  expect(failureOf(device, launch).failure).toBe('fault');
  const least = new Float64Array([Number.MIN_VALUE, 2]);
  expect((least[0] ?? 0) * (least[1] ?? 0)).toBe(2 * Number.MIN_VALUE);
});

test('a group that the source requires is the only one that it is launched with', async () => {
  const attribute = '__attribute__((reqd_work_group_size(32, 2, 1)))';
  const source = `kernel ${attribute} void f(global uint* y) { y[get_local_linear_id()] = 1; }`;
  const f = device.kernel(device.load(await imageOf(source, 'xpu')), 'f');
  for (const group of [
    [32, 1, 1],
    [64, 1, 1],
    [2, 32, 1],
    [32, 2, 2],
  ] as const)
    expect(() => device.launch(launchOf(f, [buffer(y)], { group }))).toThrow('f requires 32 x 2 x 1');
  device.fill(y, 0, 4096);
  run(device, launchOf(f, [buffer(y)], { group: [32, 2, 1] }));
  expect(words(64)).toEqual(Array(64).fill(1));
});

test('a time limit ends a grid of many short groups', () => {
  const launch = launchOf(device.kernel(module, 'bounded'), [buffer(y)], { grid: [0x7fffffff, 1, 1] });
  expect(failureOf(device, launch, 30).failure).toBe('timeout');
  run(device, launchOf(device.kernel(module, 'bounded'), [buffer(y)]));
});
