/** Warps of other widths than 32: HIP's waves of 64 lanes, and OpenCL's sub-groups of 8 and 16. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { DeviceError, type DeviceModule } from '../../../src/device/device.ts';
import type { HostDevice, HostLaunch } from '../../../src/device/host.ts';
import type { ImageKind } from '../../../src/device/images.ts';
import { compileHost, type HostDialect, whyFibers } from '../../../src/device/toolchain/host.ts';
import { buffer, download, failureOf, launchOf, lineOf, newDevice, run, upload } from './device.ts';

const HIP = `
#include <hip/hip_runtime.h>
#include <hip/hip_cooperative_groups.h>
namespace cg = cooperative_groups;
#if __AMDGCN_WAVEFRONT_SIZE__ == 64 && defined(__GFX9__) && defined(__gfx942__)
#define NAMED 64
#elif __AMDGCN_WAVEFRONT_SIZE == 32 && defined(__GFX11__) && defined(__gfx1100__)
#define NAMED 32
#endif
typedef unsigned long long u64;
#define KERNEL extern "C" __global__ void
KERNEL shuffles(unsigned* y) {
  unsigned t = threadIdx.x, n = blockDim.x;
  y[t] = __shfl_xor(t, 37);
  y[n + t] = __shfl(t, 50);
  y[2 * n + t] = __shfl_up(t, 33);
  y[3 * n + t] = __shfl_down(t, 40);
  y[4 * n + t] = __shfl_xor(t, 17, 32);
  y[5 * n + t] = (unsigned)(__shfl_xor_sync(~0ull, t + 0.5, 63) * 2);
}
KERNEL votes(u64* y) {
  unsigned t = threadIdx.x, n = blockDim.x;
  y[t] = __ballot(t % 3 == 0);
  y[n + t] = (u64)(__any(t == 40) * 2 + __all(t < 64));
  y[2 * n + t] = __activemask();
  y[3 * n + t] = __match_any_sync(~0ull, t / 48);
  y[4 * n + t] = (u64)__popcll(__ballot(t % 3 == 0));
  y[5 * n + t] = __reduce_add_sync(~0ull, (u64)t);
}
KERNEL lanes(unsigned* y) {
  unsigned t = threadIdx.x, n = blockDim.x;
  y[t] = __lane_id();
  y[n + t] = warpSize + NAMED + __builtin_amdgcn_wavefrontsize();
  y[2 * n + t] = __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));
  y[3 * n + t] = (unsigned)__builtin_amdgcn_readfirstlane((int)t + 3);
  y[4 * n + t] = (unsigned)__builtin_amdgcn_readlane((int)t, 45);
}
KERNEL branches(u64* y) {
  unsigned t = threadIdx.x;
  u64 v = 0;
  if (t % 2) v = __ballot(1);
  y[t] = v ^ __ballot(t < 48);
}
KERNEL leaving(unsigned* y) {
  unsigned sum = 0;
  for (unsigned i = 0; i <= threadIdx.x % 64; i++) sum += (unsigned)__popcll(__ballot(1));
  y[threadIdx.x] = sum;
}
KERNEL tiles(unsigned* y) {
  unsigned t = threadIdx.x, n = blockDim.x;
  auto warp = cg::tiled_partition<warpSize>(cg::this_thread_block());
  y[t] = cg::reduce(warp, t, cg::plus<unsigned>());
  y[n + t] = warp.meta_group_rank() * 1000 + warp.thread_rank();
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  y[2 * n + t] = tile.shfl(t, 1);
  y[3 * n + t] = (unsigned)tile.ballot(t % 16 < 3);
}
KERNEL halves(unsigned* y) {
  unsigned t = threadIdx.x % 64, sum = 0;
  u64 mask = t < 40 ? (1ull << 40) - 1 : ~0ull << 40;
  for (unsigned i = 0; i < (t < 40 ? 3 : 5); i++) sum += __shfl_sync(mask, t, t < 40 ? 39 : 63);
  y[threadIdx.x] = sum;
}
KERNEL stopped(unsigned* y) {
  unsigned held[4] = {}; // an index past its end
  for (unsigned i = 0; i < 4; i++) held[i] = threadIdx.x;
  y[threadIdx.x] = held[threadIdx.x == 97 ? 4 + threadIdx.x : 0]; // outside
}
`;

const ACROSS = `
#define KERNEL extern "C" __global__ void
// A sum over the halves of a wave: lanes take each other's words across a warp's barrier.
KERNEL across(const float* x, float* y) {
  __shared__ float held[128];
  unsigned t = threadIdx.x;
  held[t] = x[t];
  __builtin_amdgcn_wave_barrier();
  y[t] = held[t ^ 32]; // across
}
// Lanes 0 to 39 of a wave meet, and 40 to 63: they are ordered among themselves, past the 32nd as well.
template <bool INSIDE> __device__ void parts(const float* x, float* y) {
  __shared__ float held[64];
  unsigned t = threadIdx.x;
  if (t >= 64) return;
  held[t] = x[t];
  __syncwarp(t < 40 ? (1ull << 40) - 1 : ~0ull << 40);
  y[t] = held[t < 40 ? 39 - t : INSIDE ? 103 - t : t - 40]; // parts
}
KERNEL inside(const float* x, float* y) { parts<true>(x, y); }
KERNEL outside(const float* x, float* y) { parts<false>(x, y); }
`;

let device: HostDevice;
let y: number;

beforeAll(async () => {
  device = await newDevice();
  y = upload(device, new Uint32Array(4096));
});
afterAll(() => device.close());

async function load(
  warp: number,
  kind: ImageKind = 'fast',
  source = HIP,
  dialect: HostDialect = 'hip',
): Promise<DeviceModule> {
  const made = await compileHost({ kind, dialect, source, warp, path: `k.${dialect}`, defines: {}, includeDirs: [] });
  if ('error' in made) throw new Error(made.error);
  return device.load(made.image);
}

const THREADS = 128;
const SCHEDULES = [0, 1, 2, 3, 4];

/** The first words of y, the same under each schedule. */
function words(module: DeviceModule, symbol: string, count: number, rest: Partial<HostLaunch> = {}): Uint32Array {
  const runs = SCHEDULES.map((schedule) => {
    device.fill(y, 0, 16384);
    run(device, launchOf(device.kernel(module, symbol), [buffer(y)], { group: [THREADS, 1, 1], ...rest, schedule }));
    return download(device, y, new Uint32Array(count));
  });
  for (const one of runs) expect(one).toEqual(runs[0]!);
  return runs[0]!;
}

const wide = (found: Uint32Array): bigint[] => [...new BigUint64Array(found.buffer)];
const each = <T>(f: (t: number) => T, threads = THREADS): T[] => Array.from({ length: threads }, (_, t) => f(t));
/** The lanes of 64 for which it holds, from the first of the thread's warp on. */
const mask = (t: number, holds: (t: number) => boolean, warp = 64): bigint =>
  each((lane) => (holds(t - (t % warp) + lane) ? 1n << BigInt(lane) : 0n), warp).reduce((a, b) => a | b);

describe.each([64, 32])('HIP with %i lanes', (warp) => {
  let hip: DeviceModule;
  const first = (t: number): number => t - (t % warp);
  const inWarp = (t: number, lane: number): number => first(t) + (lane % warp);
  beforeAll(async () => {
    hip = await load(warp);
  });

  test('kernels are steps, and their device knows the width', async () => {
    const source = {
      kind: 'fast',
      dialect: 'hip',
      source: HIP,
      warp,
      path: 'k.hip',
      defines: {},
      includeDirs: [],
    } as const;
    expect(await whyFibers(source)).toBe('');
    expect(device.kernel(hip, 'lanes').warp).toBe(warp);
  });

  test('shuffles', () => {
    expect([...words(hip, 'shuffles', 6 * THREADS)]).toEqual([
      ...each((t) => (((t % warp) ^ 37) < warp ? first(t) + ((t % warp) ^ 37) : t)),
      ...each((t) => inWarp(t, 50)),
      ...each((t) => (t % warp >= 33 ? t - 33 : t)),
      ...each((t) => ((t % warp) + 40 < warp ? t + 40 : t)),
      ...each((t) => t ^ 17),
      ...each((t) => (((t % warp) ^ 63) < warp ? 2 * (t ^ 63) + 1 : 2 * t + 1)),
    ]);
  });

  test('ballots, votes, matches and reductions', () => {
    const third = (t: number): bigint => mask(t, (one) => one % 3 === 0, warp);
    const sum = (t: number): bigint => each((lane) => BigInt(first(t) + lane), warp).reduce((a, b) => a + b);
    const bits = (value: bigint): bigint => BigInt(value.toString(2).replaceAll('0', '').length);
    expect(wide(words(hip, 'votes', 12 * THREADS))).toEqual([
      ...each(third),
      ...each((t) => BigInt((first(t) <= 40 && 40 < first(t) + warp ? 2 : 0) + (t < 64 ? 1 : 0))),
      ...each((t) => mask(t, () => true, warp)),
      ...each((t) => mask(t, (one) => Math.floor(one / 48) === Math.floor(t / 48), warp)),
      ...each((t) => bits(third(t))),
      ...each(sum),
    ]);
  });

  test('lane numbers and what the compiler defines', () => {
    expect([...words(hip, 'lanes', 5 * THREADS)]).toEqual([
      ...each((t) => t % warp),
      ...each(() => 3 * warp),
      ...each((t) => t % warp),
      ...each((t) => first(t) + 3),
      ...each((t) => inWarp(t, 45)),
    ]);
  });

  test('branches, lanes that leave a loop, masks of a part', () => {
    const odd = (t: number): bigint => (t % 2 ? mask(t, (one) => one % 2 === 1, warp) : 0n);
    expect(wide(words(hip, 'branches', 2 * THREADS))).toEqual(each((t) => odd(t) ^ mask(t, (one) => one < 48, warp)));
    if (warp === 32) return;
    const rounds = (t: number): number => each((i) => 64 - i, (t % 64) + 1).reduce((a, b) => a + b);
    expect([...words(hip, 'leaving', THREADS)]).toEqual(each(rounds));
    expect([...words(hip, 'halves', THREADS)]).toEqual(each((t) => (t % 64 < 40 ? 3 * 39 : 5 * 63)));
  });

  test('tiles of a whole warp and of a part', () => {
    expect([...words(hip, 'tiles', 4 * THREADS)]).toEqual([
      ...each((t) => each((lane) => first(t) + lane, warp).reduce((a, b) => a + b)),
      ...each((t) => Math.floor(t / warp) * 1000 + (t % warp)),
      ...each((t) => t - (t % 16) + 1),
      ...each(() => 7),
    ]);
  });

  test('a warp with fewer threads than lanes', () => {
    const votes = words(hip, 'votes', 2 * 100, { group: [100, 1, 1] });
    expect(wide(votes)).toEqual(each((t) => mask(t, (one) => one < 100 && one % 3 === 0, warp), 100));
  });

  test('a fault names its thread', () => {
    const launch = launchOf(device.kernel(hip, 'stopped'), [buffer(y)], { group: [THREADS, 1, 1] });
    const { failure, message } = failureOf(device, launch);
    expect(failure).toBe('fault');
    expect(message).toContain(`thread (97,0,0)`);
    expect(message).toContain(`k.hip:${lineOf(HIP, '// outside')}`);
  });
});

describe('check images', () => {
  const x = (): number =>
    upload(
      device,
      Float32Array.from({ length: THREADS }, (_, i) => i),
    );

  /** What a kernel fails by and where, or what it writes. */
  async function checked(warp: number, symbol: string): Promise<string | number[]> {
    const module = await load(warp, 'check', ACROSS);
    const from = x();
    const extents = [
      { address: from, bytes: 4 * THREADS, access: 'read', name: 'x' },
      { address: y, bytes: 4 * THREADS, access: 'written', name: 'y' },
    ] as const;
    const launch = launchOf(device.kernel(module, symbol), [buffer(from), buffer(y)], {
      group: [THREADS, 1, 1],
      check: { extents },
    });
    try {
      run(device, launch);
    } catch (error) {
      if (!(error instanceof DeviceError)) throw error;
      return `${error.failure} ${error.message}`;
    }
    return [...download(device, y, new Float32Array(THREADS))];
  }

  test('a warp barrier orders 64 lanes of a wave of 64, and races where waves have 32', async () => {
    expect(await checked(64, 'across')).toEqual(each((t) => t ^ 32));
    const apart = await checked(32, 'across');
    expect(apart).toStartWith('race ');
    expect(apart).toContain(`at k.hip:${lineOf(ACROSS, '// across')}`);
  });

  test('lanes that meet in parts are ordered in their own part alone', async () => {
    expect((await checked(64, 'inside')).slice(0, 64)).toEqual(each((t) => (t < 40 ? 39 - t : 103 - t), 64));
    const apart = await checked(64, 'outside');
    expect(apart).toStartWith('race ');
    expect(apart).toContain(`at k.hip:${lineOf(ACROSS, '// parts')}`);
  });
});

test("a lane mask of 32 bits does not compile: HIP's have 64", async () => {
  const source = 'extern "C" __global__ void k(float* y) { y[threadIdx.x] = __shfl_xor_sync(0xffffffffu, 1.0f, 1); }';
  const made = await compileHost({ kind: 'fast', dialect: 'hip', source, path: 'k.hip', defines: {}, includeDirs: [] });
  expect('error' in made && made.error).toContain("HIP's lane masks have 64 bits");
});

const OPENCL = `
kernel void widths(global uint* y) {
  uint t = get_local_id(0), n = get_local_size(0);
  y[t] = get_max_sub_group_size() * 1000 + get_sub_group_id() * 100 + get_sub_group_local_id();
  y[n + t] = sub_group_reduce_add(t);
  y[2 * n + t] = sub_group_shuffle_xor(t, 4);
  y[3 * n + t] = sub_group_ballot(t % 2 == 0).x;
}
__attribute__((intel_reqd_sub_group_size(16))) kernel void required(global uint* y) {
  y[get_local_id(0)] = get_max_sub_group_size();
}
`;

test.each([8, 16, 32])('OpenCL C with sub-groups of %i, but for a kernel that requires 16', async (warp) => {
  const module = await load(warp, 'fast', OPENCL, 'xpu');
  const first = (t: number): number => t - (t % warp);
  expect([...words(module, 'widths', 4 * 64, { group: [64, 1, 1] })]).toEqual([
    ...each((t) => warp * 1000 + Math.floor(t / warp) * 100 + (t % warp), 64),
    ...each((t) => warp * first(t) + (warp * (warp - 1)) / 2, 64),
    ...each((t) => t ^ 4, 64),
    ...each(() => 0x55555555 % 2 ** warp, 64),
  ]);
  expect([...words(module, 'required', 64, { group: [64, 1, 1] })]).toEqual(each(() => 16, 64));
  expect([device.kernel(module, 'widths').warp, device.kernel(module, 'required').warp]).toEqual([warp, 16]);
});
