import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ARM64_ROOT, runner } from '../../../scripts/release/check.ts';
import type { HostDevice } from '../../../src/device/host.ts';
import type { ImageKind } from '../../../src/device/images.ts';
import { findClang } from '../../../src/device/toolchain/clang.ts';
import { compileHost, type HostDialect } from '../../../src/device/toolchain/host.ts';
import { buildRuntime } from '../../../src/device/toolchain/runtime.ts';
import type { Processor } from '../../../src/device/toolchain/target.ts';
import type { Ran } from '../../cli/executable.ts';
import { ran } from '../../cli/executable.ts';
import { metallibOf } from '../gpu/metallib.ts';
import { buildDriver } from '../../drivers/build.ts';
import { buildShim } from '../../../src/device/shims/build.ts';
import { buffer, download, launchOf, newDevice, run, upload } from '../host/device.ts';

const command = runner('linux-arm64');
const canLink = ['include/stdio.h', 'lib/crt1.o'].every((name) => existsSync(join(ARM64_ROOT, name)));

/** Sums over a group and over its warps, conversions both ways, functions, signed characters, an atomic. */
const CUDA = `
#include <cuda_fp16.h>
#include <cuda_bf16.h>
__device__ char minus() { return (char)-1; }
extern "C" __global__ void mixed(const float* x, unsigned* y) {
  __shared__ float part[64];
  unsigned i = threadIdx.x;
  part[i] = x[i] * 1.1f + (float)(int)minus();
  __syncthreads();
  float sum = 0;
  for (unsigned k = 0; k < 64; k++) sum += part[k] * part[(k + i) % 64];
  for (int lane = 16; lane; lane /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, lane);
  float rounded = __half2float(__float2half(sum)) + __bfloat162float(__float2bfloat16(expf(x[i]) / 3.0f));
  if (i == 63) atomicAdd(&y[0], 1u);
  __syncthreads();
  y[i] += __float_as_uint(fmaf(rounded, 1.0001f, sqrtf(x[i]) * logf(x[i])));
}
extern "C" __global__ void past_the_end(const float* x, float* y) { y[threadIdx.x] = x[threadIdx.x + 1024u * 1024u]; }
extern "C" __global__ void overflow(const float* x, float* y) {
  volatile float deep[20000];
  for (int i = 0; i < 20000; i++) deep[i] = x[i % 64];
  y[threadIdx.x] = deep[threadIdx.x * 7];
}
extern "C" __global__ void forever(const float* x, float* y) {
  while (((volatile const float*)x)[threadIdx.x] > 0) y[threadIdx.x] += 1;
}
extern "C" __global__ void deadlock(const float* x, float* y) {
  y[threadIdx.x] = 1;
  if (threadIdx.x % 2) y[threadIdx.x] = __shfl_sync(0xffffffffu, x[0], 0);
  __syncthreads();
}
`;

const OPENCL = `
kernel void mixed(global const float* x, global uint* y) {
  local float part[64];
  uint i = get_local_id(0);
  part[i] = x[i] * 1.1f;
  barrier(CLK_LOCAL_MEM_FENCE);
  float4 four = vload4(i % 16, part);
  y[i] = as_uint(native_exp(dot(four, four)) + convert_float(convert_half(sub_group_reduce_add(part[63 - i]))));
}`;

const METAL = `
#include <metal_stdlib>
using namespace metal;
kernel void mixed(device const float* x [[buffer(0)]], device uint* y [[buffer(1)]], uint i [[thread_index_in_threadgroup]]) {
  threadgroup float part[64];
  part[i] = x[i] * 1.1f;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  y[i] = as_type<uint>(part[63 - i] + x[i]);
}`;

/** Milliseconds that a launch may take. */
const LIMIT = 20_000;

const SOURCES: Readonly<Partial<Record<HostDialect, string>>> = { cuda: CUDA, xpu: OPENCL, metal: METAL };

async function imageFor(processor: Processor, dialect: HostDialect, kind: ImageKind): Promise<Uint8Array> {
  const source = SOURCES[dialect] ?? '';
  const made = await compileHost({
    kind,
    dialect,
    source,
    path: `test.${dialect}`,
    defines: {},
    includeDirs: [],
    processor,
  });
  if ('error' in made) throw new Error(made.error);
  return made.image;
}

describe.skipIf(!command || !canLink)('arm64 (needs qemu-user-static, libc6-dev-arm64-cross)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tf-test-'));
  const at = (name: string): string => join(folder, name);
  let device: HostDevice;

  beforeAll(async () => {
    device = await newDevice();
    writeFileSync(at('runtime.so'), await buildRuntime('linux-arm64'));
    const lib = join(ARM64_ROOT, 'lib');
    const flags = [
      '--target=aarch64-linux-gnu',
      '-nostdlib',
      '-nostdlibinc',
      `-isystem${ARM64_ROOT}/include`,
      '-fuse-ld=lld',
    ];
    const objects = ['crt1.o', 'crti.o', 'libc.so.6', 'ld-linux-aarch64.so.1', 'crtn.o'].map((name) => join(lib, name));
    const link = ['-Wl,-dynamic-linker,/lib/ld-linux-aarch64.so.1', '-mno-outline-atomics'];
    const built = await ran(
      [(await findClang()).path, ...flags, ...link, join(import.meta.dir, 'driver.c'), ...objects, '-o', at('driver')],
      { env: { PATH: process.env['PATH'] } },
    );
    if (built.code !== 0) throw new Error(built.stderr);
  }, 300_000);
  afterAll(() => {
    device.close();
    rmSync(folder, { recursive: true });
  });

  /** Runs the driver; the limit is in milliseconds. */
  const driven = (library: string, symbol: string, schedule = 0, limit = LIMIT, env = {}): Promise<Ran> =>
    ran([...(command ?? []), at('driver'), at(library), at('image'), symbol, String(schedule), String(limit)], { env });

  async function emulated(dialect: HostDialect, kind: ImageKind, symbol: string, schedule = 0, limit = LIMIT) {
    writeFileSync(at('image'), await imageFor('arm64', dialect, kind));
    return driven('runtime.so', symbol, schedule, limit);
  }

  /** The words that this machine gives. */
  async function own(dialect: HostDialect, kind: ImageKind, schedule: number): Promise<string> {
    const module = device.load(await imageFor('x64', dialect, kind));
    const x = upload(
      device,
      Uint32Array.from({ length: 64 }, (_, i) => 0x3f000000 + i * 0x00012345),
    );
    const y = upload(device, new Uint32Array(64));
    run(device, {
      ...launchOf(device.kernel(module, 'mixed'), [buffer(x), buffer(y)], { group: [64, 1, 1] }),
      schedule,
    });
    const words = [...download(device, y, new Uint32Array(64))];
    return words.map((word) => `${word.toString(16).padStart(8, '0')}\n`).join('');
  }

  test.skipIf(process.arch !== 'x64').each([
    ['cuda', 'fast', 0],
    ['cuda', 'fast', 7],
    ['cuda', 'fused', 0],
    ['cuda', 'check', 7],
    ['xpu', 'fast', 0],
    ['xpu', 'check', 7],
    ['xpu', 'ulps', 0],
  ] as const)('gives the bits of x86-64: %s, %s, schedule %d', async (dialect, kind, schedule) => {
    const { code, stdout } = await emulated(dialect, kind, 'mixed', schedule);
    expect([code, stdout]).toEqual([0, await own(dialect, kind, schedule)]);
  });

  test.each([
    [
      'past_the_end',
      /^status 5: out of bounds: group \(0,0,0\) thread \(0,0,0\) .* at test\.cuda:18, kernel past_the_end$/,
      LIMIT,
    ],
    [
      'overflow',
      /^status 5: stack overflow: group \(0,0,0\) thread \(\d+,0,0\) needs more than 64 KiB of stack/,
      LIMIT,
    ],
    ['deadlock', /^status 6: deadlock: no thread can run; .* at test\.cuda:29/, LIMIT],
    ['forever', /^status 7: time limit: .* at test\.cuda:25/, 1000],
  ] as const)('tells of %s', async (symbol, says, limit) => {
    const { code, stdout } = await emulated('cuda', 'fast', symbol, 0, limit);
    expect([code, stdout.trim()]).toEqual([1, expect.stringMatching(says)]);
  });

  // A Mac's processor takes structs and more than six arguments otherwise than x86-64 does.
  test.skipIf(process.arch !== 'x64').each([
    ['metal', 'TF_METAL_DRIVER'],
    ['xpu', 'TF_XPU_DRIVER'],
  ] as const)(
    'the shim of %s gives them over its emulated driver',
    async (dialect, variable) => {
      const image = await imageFor('arm64', dialect, 'fast');
      writeFileSync(at('image'), dialect === 'metal' ? metallibOf(image) : image);
      writeFileSync(at('shim.so'), await buildShim(dialect, 'linux-arm64'));
      const env = { [variable]: await buildDriver(dialect, 'new', 'linux-arm64'), TF_EMULATE_REPORT: at('report') };
      const { code, stdout } = await driven('shim.so', 'mixed', 0, LIMIT, env);
      expect([code, stdout]).toEqual([0, await own(dialect, 'fast', 0)]);
      expect(readFileSync(at('report'), 'utf8').replaceAll(/^\d+ /gm, '')).toBe('open: device 0\nclose: device 0\n');
      rmSync(at('report'));
    },
    300_000,
  );
});
