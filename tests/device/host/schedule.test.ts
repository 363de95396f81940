import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { HostDevice } from '../../../src/device/host.ts';
import { buffer, download, imageOf, launchOf, newDevice, run, u32, upload } from './device.ts';

const WIDTH = 4096;
const THREADS = 256;
const SEEDS = 32;

const SOURCE = `
extern "C" __global__ void atomic_sum(const float* x, float* y, unsigned width) {
  float sum = 0;
  for (unsigned i = threadIdx.x; i < width; i += blockDim.x) sum += x[i];
  atomicAdd(y, sum);
}
extern "C" __global__ void tree_sum(const float* x, float* y, unsigned width) {
  __shared__ float part[8];
  float sum = 0;
  for (unsigned i = threadIdx.x; i < width; i += blockDim.x) sum += x[i];
  for (int by = 16; by; by /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, by);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    sum = 0;
    for (int i = 0; i < 8; i++) sum += part[i];
    y[0] = sum;
  }
}
extern "C" __global__ void race(float* y) {
  __shared__ float last;
  last = threadIdx.x;
  __syncthreads();
  y[0] = last;
}
extern "C" __global__ void order_of_groups(unsigned* count, unsigned* y) {
  if (threadIdx.x == 0) y[blockIdx.x] = atomicAdd(count, 1u);
}
extern "C" __global__ void after_barrier(unsigned* count, unsigned* y) {
  __syncthreads();
  y[threadIdx.x] = atomicAdd(count, 1u);
}
extern "C" __global__ void after_shuffle(unsigned* count, unsigned* y) {
  unsigned sum = __shfl_xor_sync(0xffffffffu, threadIdx.x, 1);
  y[threadIdx.x] = atomicAdd(count, 1u) + (sum & 0);
}
extern "C" __global__ void warps_ahead(unsigned* count, unsigned* y) {
  if (threadIdx.x % 32 < 4) return;
  for (int i = 0; i < 3; i++) __syncwarp(~15u);
  __syncthreads();
  for (int i = 0; i < 3; i++) __syncwarp(~15u);
  if (threadIdx.x % 32 == 4) y[atomicAdd(count, 1u)] = threadIdx.x / 32;
  __syncwarp(~15u);
}
extern "C" __global__ void waits_for_another(volatile unsigned* flag, unsigned* y, unsigned waits, unsigned tells) {
  const unsigned place = blockIdx.x * blockDim.x + threadIdx.x;
  if (place == tells) *flag = 1;
  if (place == waits) while (*flag == 0) __nanosleep(10);
  y[place] = 1;
}
`;

let device: HostDevice;
let module: ReturnType<HostDevice['load']>;
let x: number;
let y: number;
let count: number;

beforeAll(async () => {
  device = await newDevice();
  module = device.load(await imageOf(SOURCE));
  x = upload(
    device,
    Float32Array.from({ length: WIDTH }, (_, i) => Math.fround(Math.sin(i) * 100)),
  );
  y = upload(device, new Uint32Array(1024));
  count = upload(device, new Uint32Array(1));
});
afterAll(() => device.close());

/** The bits that each seed leaves at y[0]. */
function sums(symbol: string): Set<number> {
  const kernel = device.kernel(module, symbol);
  const results = new Set<number>();
  for (let schedule = 0; schedule < SEEDS; schedule++) {
    device.fill(y, 0, 4);
    run(device, launchOf(kernel, [buffer(x), buffer(y), u32(WIDTH)], { group: [THREADS, 1, 1], schedule }));
    results.add(download(device, y, new Uint32Array(1))[0] ?? 0);
  }
  return results;
}

function orderOf(symbol: string, grid: number, threads: number, schedule: number): number[] {
  device.fill(count, 0, 4);
  const shape = { grid: [grid, 1, 1], group: [threads, 1, 1], schedule } as const;
  run(device, launchOf(device.kernel(module, symbol), [buffer(count), buffer(y)], shape));
  return [...download(device, y, new Uint32Array(Math.max(grid, threads)))];
}

const inOrder = (length: number) => Array.from({ length }, (_, i) => i);
const sorted = (values: readonly number[]) => [...values].sort((a, b) => a - b);

test('a sum by atomics differs between schedules, a tree sum does not', () => {
  expect(sums('atomic_sum').size).toBeGreaterThan(SEEDS / 4);
  expect(sums('tree_sum').size).toBe(1);
});

test('one seed is one schedule', () => {
  for (const schedule of [0, 7]) {
    expect(orderOf('order_of_groups', 64, 32, schedule)).toEqual(orderOf('order_of_groups', 64, 32, schedule));
    expect(orderOf('after_barrier', 1, 64, schedule)).toEqual(orderOf('after_barrier', 1, 64, schedule));
  }
});

test('without a seed groups and threads run in the order of their index', () => {
  expect(orderOf('order_of_groups', 64, 32, 0)).toEqual(inOrder(64));
});

test('seeds permute the order of groups, and every group runs once', () => {
  const orders = inOrder(8).map((seed) => orderOf('order_of_groups', 64, 32, seed + 1));
  for (const order of orders) expect(sorted(order)).toEqual(inOrder(64));
  expect(new Set(orders.map(String)).size).toBeGreaterThan(4);
});

for (const symbol of ['after_barrier', 'after_shuffle']) {
  test(`seeds permute the order of release: ${symbol}`, () => {
    const orders = inOrder(8).map((seed) => orderOf(symbol, 1, 32, seed + 1));
    for (const order of orders) expect(sorted(order)).toEqual(inOrder(32));
    expect(new Set(orders.map(String)).size).toBe(8);
  });
}

test('a race between threads of a group shows as a result of the schedule', () => {
  const kernel = device.kernel(module, 'race');
  const results = new Set<number>();
  for (let schedule = 1; schedule <= 16; schedule++) {
    run(device, launchOf(kernel, [buffer(y)], { schedule }));
    results.add(download(device, y, new Float32Array(1))[0] ?? 0);
  }
  expect(results.size).toBeGreaterThan(4);
});

test('in schedule 1 the first warp that can run goes on, in schedule 2 the last one', () => {
  const order = (schedule: number) => orderOf('warps_ahead', 1, 256, schedule).slice(0, 8);
  expect(order(1)).toEqual(inOrder(8));
  expect(order(2)).toEqual(inOrder(8).reverse());
});

test('a warp that yields lets every other one go first, whatever its rank', () => {
  const kernel = device.kernel(module, 'waits_for_another');
  for (const schedule of [0, 1, 2, 3])
    for (const [waits, tells] of [
      [0, 511],
      [511, 0],
      [40, 41],
      [300, 20],
    ] as const) {
      device.fill(count, 0, 4);
      device.fill(y, 0, 4 * 512);
      const shape = { grid: [2, 1, 1], group: [256, 1, 1], cooperative: true, schedule } as const;
      run(device, launchOf(kernel, [buffer(count), buffer(y), u32(waits), u32(tells)], shape));
      expect(download(device, y, new Uint32Array(512)).every((written) => written === 1)).toBe(true);
    }
});
