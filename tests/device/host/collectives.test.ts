import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { HostDevice, HostLaunch } from '../../../src/device/host.ts';
import { buffer, download, failureOf, imageOf, launchOf, lineOf, newDevice, run, upload } from './device.ts';

const CUDA = `
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
extern "C" __global__ void shuffles(unsigned* y) {
  unsigned t = threadIdx.x, all = 0xffffffffu;
  y[t] = __shfl_xor_sync(all, t, 5);
  y[32 + t] = __shfl_sync(all, t, 3, 8);
  y[64 + t] = __shfl_up_sync(all, t, 2);
  y[96 + t] = __shfl_down_sync(all, t, 2, 16);
  double wide = __shfl_xor_sync(all, t + 0.5, 1);
  y[128 + t] = (unsigned)(wide * 2);
}
extern "C" __global__ void votes(unsigned* y) {
  unsigned t = threadIdx.x, all = 0xffffffffu;
  y[t] = __ballot_sync(all, t % 3 == 0);
  y[32 + t] = __any_sync(all, t == 40) * 2 + __all_sync(all, t < 32);
  y[64 + t] = __match_any_sync(all, t / 8);
  y[96 + t] = __reduce_add_sync(all, t) + (__reduce_max_sync(all, t) << 16);
}
extern "C" __global__ void halves(unsigned* y) {
  unsigned t = threadIdx.x;
  unsigned mask = t < 16 ? 0x0000ffffu : 0xffff0000u;
  for (unsigned i = 0; i < (t < 16 ? 3 : 5); i++) y[t] += __shfl_xor_sync(mask, t, 1);
}
extern "C" __global__ void tiles(unsigned* y) {
  auto tile = cg::tiled_partition<4>(cg::this_thread_block());
  y[threadIdx.x] = tile.shfl(threadIdx.x, 1) + 100 * tile.meta_group_rank();
  auto pair = cg::tiled_partition<2>(cg::this_thread_block());
  y[64 + threadIdx.x] = cg::reduce(pair, threadIdx.x, cg::plus<unsigned>());
}
extern "C" __global__ void branch_mask(unsigned* y) {
  y[threadIdx.x] = 0;
  if (threadIdx.x % 4 == 1) y[threadIdx.x] = __activemask();
}
extern "C" __global__ void partial_warp(unsigned* y) {
  unsigned sum = threadIdx.x;
  for (int by = 16; by; by /= 2) {
    unsigned other = __shfl_xor_sync(0xffffffffu, sum, by);
    if ((threadIdx.x ^ by) < blockDim.x) sum += other;
  }
  y[threadIdx.x] = sum;
}
extern "C" __global__ void returned_lanes(unsigned* y) {
  if (threadIdx.x < 5) return;
  y[threadIdx.x] = __ballot_sync(0xffffffffu, 1);
}
extern "C" __global__ void count(unsigned* y) {
  for (int i = 0; i < 3; i++) y[i * blockDim.x + threadIdx.x] = __syncthreads_count(threadIdx.x % 3 == i);
}
extern "C" __global__ void float_sum(const float* x, float* y) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  y[threadIdx.x] = cg::reduce(warp, x[threadIdx.x], cg::plus<float>());
}
extern "C" __global__ void cluster(unsigned* y) {
  __shared__ unsigned own;
  auto cluster = cg::this_cluster();
  if (threadIdx.x == 0) own = 10 + blockIdx.x;
  cluster.sync();
  unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
  y[blockIdx.x * blockDim.x + threadIdx.x] = *cluster.map_shared_rank(&own, next);
  cluster.sync();
}
extern "C" __global__ void grid(unsigned* y, unsigned* sum) {
  atomicAdd(sum, threadIdx.x);
  cg::this_grid().sync(); // grid-barrier
  y[blockIdx.x * blockDim.x + threadIdx.x] = *sum;
}
extern "C" __global__ void spin(unsigned* y, unsigned* flag) {
  if (blockIdx.x == 0) while (atomicCAS(flag, 1u, 1u) != 1u) {}
  else atomicExch(flag, 1u);
  y[blockIdx.x * blockDim.x + threadIdx.x] = 7;
}
`;

const HIP = `
#include <hip/hip_runtime.h>
extern "C" __global__ void waves(unsigned* y) {
  unsigned t = threadIdx.x;
  y[t] = __shfl_xor(t, 5);
  y[32 + t] = (unsigned)__ballot(t < 7);
  y[64 + t] = __builtin_amdgcn_readfirstlane((int)t + 3);
  y[96 + t] = __builtin_amdgcn_mbcnt_lo(0x0000ffffu, 1);
}
extern "C" __global__ void reconverge(unsigned* y) {
  unsigned t = threadIdx.x, v = 0;
  if (t < 16) v = (unsigned)__popcll(__ballot(1));
  y[t] = v * 100 + (unsigned)__popcll(__ballot(1));
}
extern "C" __global__ void loops(unsigned* y) {
  unsigned sum = 0;
  for (unsigned i = 0; i <= threadIdx.x; i++) sum += (unsigned)__popcll(__ballot(1));
  y[threadIdx.x] = sum;
}
`;

let device: HostDevice;
let cuda: ReturnType<HostDevice['load']>;
let hip: ReturnType<HostDevice['load']>;
let y: number;
let extra: number;

beforeAll(async () => {
  device = await newDevice();
  cuda = device.load(await imageOf(CUDA));
  hip = device.load(await imageOf(HIP, 'hip'));
  y = upload(device, new Uint32Array(4096));
  extra = upload(device, new Uint32Array(1));
});
afterAll(() => device.close());

const SCHEDULES = [0, 1, 2, 3, 4, 5];
const lanes = (f: (lane: number) => number, count = 32) => Array.from({ length: count }, (_, i) => f(i) >>> 0);

/** The first words of y after the kernel has run under each schedule; all must be the same. */
function results(
  module: typeof cuda,
  symbol: string,
  words: number,
  rest: Partial<HostLaunch> = {},
  args = [buffer(y)],
): number[] {
  const runs = SCHEDULES.map((schedule) => {
    device.fill(y, 0, 16384);
    device.fill(extra, 0, 4);
    run(device, launchOf(device.kernel(module, symbol), args, { ...rest, schedule }));
    return [...download(device, y, new Uint32Array(words))];
  });
  for (const run of runs) expect(run).toEqual(runs[0]!);
  return runs[0] ?? [];
}

describe('CUDA', () => {
  test('shuffles read the lane that CUDA names', () => {
    expect(results(cuda, 'shuffles', 160)).toEqual([
      ...lanes((t) => t ^ 5),
      ...lanes((t) => (t & ~7) + 3),
      ...lanes((t) => (t < 2 ? t : t - 2)),
      ...lanes((t) => (t % 16 > 13 ? t : t + 2)),
      ...lanes((t) => 2 * (t ^ 1) + 1),
    ]);
  });

  test('votes, matches and reductions', () => {
    const thirds = lanes((t) => (t % 3 === 0 ? 2 ** t : 0)).reduce((a, b) => a + b);
    expect(results(cuda, 'votes', 128)).toEqual([
      ...lanes(() => thirds),
      ...lanes(() => 1),
      ...lanes((t) => 0xff * 2 ** (8 * (t >> 3))),
      ...lanes(() => 496 + (31 << 16)),
    ]);
  });

  test('two halves of a warp meet apart, as often as they like', () => {
    expect(results(cuda, 'halves', 32)).toEqual(lanes((t) => (t ^ 1) * (t < 16 ? 3 : 5)));
  });

  test('tiles of four and of two lanes, all of a warp at once', () => {
    const got = results(cuda, 'tiles', 128, { group: [64, 1, 1] });
    expect(got.slice(0, 64)).toEqual(lanes((t) => (t & ~3) + 1 + 100 * (t >> 2), 64));
    expect(got.slice(64)).toEqual(lanes((t) => 2 * (t & ~1) + 1, 64));
  });

  test('__activemask is the lanes of the branch', () => {
    expect(results(cuda, 'branch_mask', 32)).toEqual(lanes((t) => (t % 4 === 1 ? 0x22222222 : 0)));
  });

  test('a warp that is not full counts the lanes it has', () => {
    expect(results(cuda, 'partial_warp', 16, { group: [16, 1, 1] })).toEqual(Array(16).fill(120));
    expect(results(cuda, 'returned_lanes', 32)).toEqual(lanes((t) => (t < 5 ? 0 : 0xffffffe0)));
  });

  test('__syncthreads_count, one after the other', () => {
    expect(results(cuda, 'count', 300, { group: [100, 1, 1] })).toEqual(
      [34, 33, 33].flatMap((n) => Array(100).fill(n)),
    );
  });

  test('a float reduction adds in the order of a butterfly, whatever the schedule', () => {
    const x = Float32Array.from({ length: 32 }, (_, i) => Math.fround(Math.sin(i * i) * 10 ** (i % 7)));
    let parts = [...x];
    while (parts.length > 1) {
      const half = parts.length / 2;
      parts = parts.slice(0, half).map((v, i) => Math.fround(v + parts[half + i]!));
    }
    const want = new Uint32Array(Float32Array.of(parts[0]!).buffer)[0]!;
    const input = upload(device, x);
    expect(results(cuda, 'float_sum', 32, {}, [buffer(input), buffer(y)])).toEqual(Array(32).fill(want));
  });

  test('a cluster reads the local memory of its groups', () => {
    const got = results(cuda, 'cluster', 256, { grid: [8, 1, 1], cluster: 4 });
    expect(got).toEqual(lanes((t) => 10 + ((t >> 7) << 2) + (((t >> 5) + 1) & 3), 256));
  });

  test('a grid barrier in a cooperative launch; elsewhere it is a fault', () => {
    const shape = { grid: [16, 1, 1], group: [64, 1, 1] } as const;
    const args = [buffer(y), buffer(extra)];
    expect(results(cuda, 'grid', 1024, { ...shape, cooperative: true }, args)).toEqual(Array(1024).fill(16 * 2016));
    const error = failureOf(device, launchOf(device.kernel(cuda, 'grid'), args, shape));
    expect(error.message).toContain('not cooperative');
    expect(error.message).toContain(`test.cuda:${lineOf(CUDA, '// grid-barrier')}`);
  });

  test('a group may wait for another one of a cooperative launch; elsewhere the limit ends it', () => {
    const args = [buffer(y), buffer(extra)];
    expect(results(cuda, 'spin', 64, { grid: [2, 1, 1], cooperative: true }, args)).toEqual(Array(64).fill(7));
    device.fill(extra, 0, 4);
    const launch = launchOf(device.kernel(cuda, 'spin'), args, { grid: [2, 1, 1] });
    expect(failureOf(device, launch, 50).failure).toBe('timeout');
  });
});

describe('HIP', () => {
  test('wave functions without a mask', () => {
    expect(results(hip, 'waves', 128)).toEqual([
      ...lanes((t) => t ^ 5),
      ...lanes(() => 127),
      ...lanes(() => 3),
      ...lanes((t) => 1 + Math.min(t, 16)),
    ]);
  });

  test('lanes of a branch meet alone, and all meet again after it', () => {
    expect(results(hip, 'reconverge', 32)).toEqual(lanes((t) => (t < 16 ? 1632 : 32)));
  });

  test('lanes that leave a loop are missing in it from then on', () => {
    const sum = (t: number) => Array.from({ length: t + 1 }, (_, i) => 32 - i).reduce((a, b) => a + b);
    expect(results(hip, 'loops', 32)).toEqual(lanes(sum));
  });
});
