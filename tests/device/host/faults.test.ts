import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { DeviceFailure, LaunchArgument } from '../../../src/device/device.ts';
import type { HostDevice, HostLaunch } from '../../../src/device/host.ts';
import { buffer, download, failureOf, imageOf, launchOf, lineOf, newDevice, run, u32, upload } from './device.ts';

const IS_X64 = process.arch === 'x64';
/** What buffers lie in whole numbers of. */
const PAGE = IS_X64 ? 4096 : 16384;
/** An address that no memory has; of arm64 one that a signal tells. */
const WILD = IS_X64 ? '0x123456789abcdef0ull' : '0x4edcba987650ull';

const SOURCE = `
extern "C" __global__ void past_end(float* y) {
  y[threadIdx.x + 1] = 1.0f; // past-end
}
extern "C" __global__ void before_start(const float* x, float* y) {
  y[threadIdx.x] = x[(int)threadIdx.x - ${PAGE / 4}]; // before-start
}
extern "C" __global__ void null_pointer(float* y) {
  float* p = threadIdx.x == 5 ? nullptr : y;
  *p = 2.0f; // null-pointer
}
extern "C" __global__ void wild_pointer(float* y) {
  if (threadIdx.x == 6) *(volatile float*)${WILD} = 1.0f; // wild-pointer
  y[threadIdx.x] = 1.0f;
}
extern "C" __global__ void local_overrun(float* y, unsigned n) {
  __shared__ float part[32];
  float* p = part;
  for (unsigned i = threadIdx.x; i < n; i += 32) p[i] = 1.0f; // local-overrun
  __syncthreads();
  y[threadIdx.x] = part[31 - threadIdx.x];
}
extern "C" __global__ void local_index(float* y, unsigned n) {
  __shared__ float part[32];
  part[(threadIdx.x + n) % 64] = 1.0f; // local-index
  __syncthreads();
  y[threadIdx.x] = part[31];
}
extern "C" __global__ void private_index(float* y, unsigned n) {
  float part[4] = {1, 2, 3, 4};
  part[threadIdx.x % 4] = n;
  y[threadIdx.x] = part[(int)threadIdx.x - 3]; // private-index
}
__device__ __forceinline__ float at(const float* p, unsigned i) { return p[i]; } // private-overrun
extern "C" __global__ void private_overrun(float* y, unsigned n) {
  float part[4] = {1, 2, 3, 4};
  part[threadIdx.x % 4] = n;
  y[threadIdx.x] = at(part, threadIdx.x % 8);
}
__device__ __noinline__ float deeper(volatile float* y, unsigned n) {
  volatile float frame[256];
  frame[n % 256] = y[0];
  if (n == 0) return frame[0];
  return deeper(y, n - 1) + frame[n % 256]; // stack-overflow
}
extern "C" __global__ void stack_overflow(float* y, unsigned n) { y[threadIdx.x] = deeper(y, n); }
extern "C" __global__ void big_frame(float* y, unsigned n) {
  volatile float frame[65536];
  for (unsigned i = 0; i < 65536; i += n) frame[i] = y[0]; // big-frame
  y[threadIdx.x] = frame[n];
}
extern "C" __global__ void division(unsigned* y, unsigned n) {
  y[threadIdx.x] = 7u / (threadIdx.x - n); // division
}
extern "C" __global__ void trap(float* y) {
  if (threadIdx.x == 3) __trap(); // trap
  y[threadIdx.x] = 1.0f;
}
extern "C" __global__ void endless(volatile unsigned* y) {
  if (threadIdx.x == 9) while (y[9] == 0) {} // endless
  y[threadIdx.x] = 1;
}
extern "C" __global__ void misaligned(const float* x, float* y) {
  float4 v = *reinterpret_cast<const float4*>(x + threadIdx.x); // misaligned
  y[threadIdx.x] = v.x + v.w;
}
extern "C" __global__ void two_barriers(float* y, unsigned n) {
  if (threadIdx.x < n) {
    __syncthreads(); // first-barrier
    y[threadIdx.x] = 1.0f;
  } else {
    __syncthreads(); // second-barrier
  }
}
extern "C" __global__ void deadlock(float* y) {
  float v = threadIdx.x;
  if (threadIdx.x == 0) v = __shfl_sync(0xffffffffu, v, 1); // waits-for-lanes
  else __syncthreads(); // waits-at-barrier
  y[threadIdx.x] = v;
}
extern "C" __global__ void two_operations(float* y) {
  float v = threadIdx.x;
  if (threadIdx.x < 16) v = __shfl_xor_sync(0xffffffffu, v, 1); // a-shuffle
  else v = __ballot_sync(0xffffffffu, v > 3); // a-ballot
  y[threadIdx.x] = v;
}
extern "C" __global__ void not_in_mask(float* y) {
  y[threadIdx.x] = __shfl_xor_sync(0x0000ffffu, (float)threadIdx.x, 1); // outside-mask
}
extern "C" __global__ void right(float* y) { y[threadIdx.x] = threadIdx.x + 1.0f; }
`;

interface Case {
  readonly failure: DeviceFailure;
  readonly says: string;
  readonly lines: readonly string[];
  /** The thread it must name; null where the stack overflows before there is one. */
  readonly thread?: string | null;
  readonly arguments?: (x: number, y: number) => LaunchArgument[];
  readonly launch?: Partial<HostLaunch>;
  readonly limitMs?: number;
}

const CASES: Readonly<Record<string, Case>> = {
  past_end: { failure: 'fault', says: 'out of bounds', lines: ['// past-end'], thread: '(31,0,0)' },
  before_start: {
    failure: 'fault',
    says: 'bytes before a buffer of 128 bytes (argument 0)',
    lines: ['// before-start'],
    thread: '(0,0,0)',
    arguments: (x, y) => [buffer(x), buffer(y)],
  },
  null_pointer: { failure: 'fault', says: 'null pointer', lines: ['// null-pointer'], thread: '(5,0,0)' },
  wild_pointer: { failure: 'fault', says: 'wild pointer', lines: ['// wild-pointer'], thread: '(6,0,0)' },
  local_overrun: {
    failure: 'fault',
    says: 'part (128 bytes)',
    lines: ['// local-overrun'],
    thread: '(0,0,0)',
    arguments: (_, y) => [buffer(y), u32(64)],
  },
  local_index: {
    failure: 'fault',
    says: "takes element 32 of an array 'float[32]'",
    lines: ['// local-index'],
    thread: '(0,0,0)',
    arguments: (_, y) => [buffer(y), u32(32)],
  },
  private_index: {
    failure: 'fault',
    says: "takes element -3 of an array 'float[4]'",
    lines: ['// private-index'],
    thread: '(0,0,0)',
    arguments: (_, y) => [buffer(y), u32(4)],
  },
  private_overrun: {
    failure: 'fault',
    says: 'past the end of a variable',
    lines: ['// private-overrun'],
    thread: '(4,0,0)',
    arguments: (_, y) => [buffer(y), u32(4)],
  },
  stack_overflow: {
    failure: 'fault',
    says: 'needs more than 64 KiB of stack',
    lines: [],
    arguments: (_, y) => [buffer(y), u32(4000)],
  },
  big_frame: {
    failure: 'fault',
    says: 'stack overflow',
    lines: [],
    thread: null,
    arguments: (_, y) => [buffer(y), u32(16)],
  },
  // arm64 divides by zero without a fault
  ...(IS_X64 && {
    division: {
      failure: 'fault',
      says: 'integer division by zero',
      lines: ['// division'],
      thread: '(7,0,0)',
      arguments: (_, y) => [buffer(y), u32(7)],
    },
  }),
  trap: { failure: 'fault', says: 'trap', lines: ['// trap'], thread: '(3,0,0)' },
  endless: { failure: 'timeout', says: 'still runs', lines: ['// endless'], thread: '(9,0,0)', limitMs: 60 },
  misaligned: {
    failure: 'fault',
    says: 'misaligned access',
    lines: ['// misaligned'],
    thread: '(1,0,0)',
    arguments: (x, y) => [buffer(x), buffer(y)],
  },
  two_barriers: {
    failure: 'divergence',
    says: 'barrier divergence',
    lines: ['// first-barrier', '// second-barrier'],
    arguments: (_, y) => [buffer(y), u32(16)],
  },
  deadlock: { failure: 'divergence', says: 'deadlock', lines: ['// waits-for-lanes', '// waits-at-barrier'] },
  two_operations: { failure: 'divergence', says: 'warp divergence', lines: ['// a-shuffle', '// a-ballot'] },
  not_in_mask: {
    failure: 'divergence',
    says: 'not in its own lane mask',
    lines: ['// outside-mask'],
    thread: '(16,0,0)',
  },
};

let device: HostDevice;
let module: ReturnType<HostDevice['load']>;
let x: number;
let y: number;

beforeAll(async () => {
  device = await newDevice();
  module = device.load(await imageOf(SOURCE));
  x = upload(device, new Float32Array(32).fill(1));
  y = upload(device, new Float32Array(32));
});
afterAll(() => device.close());

function launchCase(name: string, fault: Case): HostLaunch {
  return launchOf(device.kernel(module, name), fault.arguments?.(x, y) ?? [buffer(y)], fault.launch);
}

function expectHealthy(): void {
  device.fill(y, 0, 128);
  run(device, launchOf(device.kernel(module, 'right'), [buffer(y)]));
  expect([...download(device, y, new Float32Array(32))]).toEqual(Array.from({ length: 32 }, (_, i) => i + 1));
}

describe('a fault ends the launch, names thread and line, and leaves the device usable:', () => {
  for (const [name, fault] of Object.entries(CASES)) {
    test(name, () => {
      device.fill(y, 0, 128);
      const error = failureOf(device, launchCase(name, fault), fault.limitMs);
      expect(error.failure).toBe(fault.failure);
      expect(error.message).toContain(fault.says);
      if (fault.thread !== null) expect(error.message).toContain(`thread ${fault.thread ?? '('}`);
      for (const line of fault.lines) expect(error.message).toContain(`test.cuda:${lineOf(SOURCE, line)}`);
      expectHealthy();
    });
  }
});

test('faults one after the other do not wear the device out', () => {
  const names = Object.keys(CASES).filter((name) => name !== 'endless');
  for (let i = 0; i < 10 * names.length; i++) {
    const name = names[i % names.length] ?? '';
    const fault = CASES[name];
    if (fault) expect(failureOf(device, launchCase(name, fault)).failure).toBe(fault.failure);
  }
  expectHealthy();
});

test('a time limit that is over before the kernel begins ends it all the same', () => {
  for (let i = 0; i < 60; i++) {
    device.fill(y, 0, 128);
    const limitMs = 1e-6 * 2 ** (i / 3);
    expect(failureOf(device, launchOf(device.kernel(module, 'endless'), [buffer(y)]), limitMs).failure).toBe('timeout');
  }
  expectHealthy();
});

test('every fault is reported under seeded schedules too', () => {
  for (const [name, fault] of Object.entries(CASES)) {
    for (const schedule of [1, 2, 3]) {
      device.fill(y, 0, 128);
      const error = failureOf(device, { ...launchCase(name, fault), schedule }, fault.limitMs);
      expect([name, error.failure]).toEqual([name, fault.failure]);
    }
  }
  expectHealthy();
});

test('what was queued behind a failed launch does not run', () => {
  device.fill(y, 0, 128);
  const zero = [...new Float32Array(32)];
  device.launch(launchOf(device.kernel(module, 'trap'), [buffer(x)]));
  device.launch(launchOf(device.kernel(module, 'right'), [buffer(y)]));
  expect(() => device.wait(1000)).toThrow('trap');
  expect([...download(device, y, new Float32Array(32))]).toEqual(zero);
  expectHealthy();
});
