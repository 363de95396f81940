/** Kernels as steps: which sources take that form, and that a launch cannot tell. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { dirname, join } from 'node:path';
import type { HostDevice } from '../../../src/device/host.ts';
import { type HostDialect, whyFibers } from '../../../src/device/toolchain/host.ts';
import { KERNELS, readSources } from '../../../src/spec/folder.ts';
import { dialectOf } from '../../../src/spec/registration.ts';
import { buffer, download, failureOf, imageOf, launchOf, lineOf, newDevice, run, u32, upload } from './device.ts';

const source = (text: string, dialect: HostDialect = 'cuda', path = 'test.cu', includeDirs: string[] = []) => ({
  ...{ kind: 'fast' as const, dialect, source: text, path, defines: {}, includeDirs },
});

/** Each writes y[thread] for 96 threads, the last warp being whole; `split` is where lanes part. */
const SOURCE = `
#define KERNEL extern "C" __global__ void
#define ALL 0xffffffffu

// What crosses a barrier: values, and an array with an index that is not known before.
KERNEL crossing(unsigned* y, unsigned split) {
  __shared__ unsigned s[96];
  unsigned held[8];
  for (unsigned i = 0; i < 8; i++) held[i] = threadIdx.x * 8 + i;
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  unsigned other = s[95 - threadIdx.x];
  __syncthreads();
  s[threadIdx.x] = other + held[split % 8];
  __syncthreads();
  y[threadIdx.x] = s[(threadIdx.x + 1) % 96] + held[(split + other) % 8];
}

// Barriers in a loop, with a value that each round changes.
KERNEL rounds(unsigned* y, unsigned split) {
  __shared__ unsigned s[2][96];
  unsigned mine = threadIdx.x;
  for (unsigned i = 0; i < split; i++) {
    s[i % 2][threadIdx.x] = mine;
    __syncthreads();
    mine = s[i % 2][(threadIdx.x + i) % 96] * 3 + i;
  }
  y[threadIdx.x] = mine;
}

// Lanes part at a branch, and each side meets under its own mask.
KERNEL masks(unsigned* y, unsigned split) {
  unsigned lane = threadIdx.x % 32, low = (1u << split % 32) - 1;
  unsigned sum = threadIdx.x;
  if (lane < split % 32) sum += __shfl_sync(low, sum, 0);
  else sum += 1000 * __shfl_sync(~low, sum, 31);
  sum += __ballot_sync(ALL, sum & 1);
  y[threadIdx.x] = sum;
}

// The second warp parts after a barrier, while the third has yet to go on from there.
KERNEL part_late(unsigned* y, unsigned split) {
  __shared__ unsigned s[96], sums[96];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  unsigned sum = s[95 - threadIdx.x];
  if (threadIdx.x / 32 == 1 && threadIdx.x % 32 < split) sum += __shfl_sync((1u << split) - 1, sum, 0);
  sums[threadIdx.x] = sum;
  __syncthreads();
  y[threadIdx.x] = sums[95 - threadIdx.x] + __shfl_xor_sync(ALL, sum, 1);
}

// Threads that return before a barrier are not waited for.
KERNEL leave(unsigned* y, unsigned split) {
  __shared__ unsigned s[96];
  s[threadIdx.x] = 7;
  if (threadIdx.x >= split) {
    y[threadIdx.x] = 1;
    return;
  }
  __syncthreads();
  s[threadIdx.x] += threadIdx.x;
  __syncthreads();
  y[threadIdx.x] = s[split - 1 - threadIdx.x];
}

KERNEL vote(unsigned* y, unsigned split) {
  unsigned count = __syncthreads_count(threadIdx.x < split), active = __activemask();
  y[threadIdx.x] = count * 100 + __popc(active) + __reduce_add_sync(ALL, threadIdx.x);
}

// What is made four or eight at a time: fields of words, and exponentials; a sum takes them in order.
KERNEL packed(unsigned* y, unsigned split) {
  unsigned words[4], step = 0x9e3779b9u * (threadIdx.x + split);
  for (unsigned i = 0; i < 4; i++) words[i] = step * (i + 1) ^ step >> 7;
  float sum = 0;
  for (unsigned i = 0; i < 8; i++) sum = fmaf(sum, 0.5f, float(words[0] >> 4 * i & 15));
  for (unsigned i = 0; i < 4; i++) sum += float(int(words[i])) * 1e-9f + float(words[i] >> 8 * i & 255);
  for (unsigned i = 0; i < 4; i++) {
    sum = fmaf(sum, 0.5f, __uint_as_float(words[i] << 16 & 0x3fff0000u));
    sum = fmaf(sum, 0.5f, __uint_as_float(words[i] & 0x3fff0000u));
  }
  for (unsigned i = 0; i < 8; i++) sum = sum * 0.5f + expf(float(int(words[i % 4] % 400u)) * 0.5f - 100.0f + i);
  float ends[4] = { INFINITY, -INFINITY, __uint_as_float(0x7fc00000u), __uint_as_float(threadIdx.x) };
  unsigned bits = 0;
  for (unsigned i = 0; i < 4; i++) bits = bits * 31 + __float_as_uint(expf(ends[i]));
  y[threadIdx.x] = __float_as_uint(sum) ^ bits;
}

// Which lanes came is asked at one place and used beyond others.
KERNEL came(unsigned* y, unsigned split) {
  __shared__ unsigned s[96];
  unsigned low = 0;
  if (threadIdx.x % 32 < split) low = __activemask();
  unsigned all = __ballot_sync(ALL, 1);
  s[threadIdx.x] = __shfl_xor_sync(ALL, low, 1);
  __syncthreads();
  y[threadIdx.x] = s[95 - threadIdx.x] ^ low * 3 ^ all;
}

// A local array that passes between waits, in a loop: what is known of its address is not kept beyond them.
KERNEL passing(unsigned* y, unsigned split) {
  unsigned sum = 0;
  for (unsigned i = 0; i < (threadIdx.x + split) % 4; i++)
    sum = sum * 100 + __reduce_add_sync(__activemask(), threadIdx.x);
  y[threadIdx.x] = sum;
}

// Addresses of local arrays, beyond a barrier: of one of two, and of a place in the same.
KERNEL chosen(unsigned* y, unsigned split) {
  __shared__ unsigned s[96];
  unsigned a[8], b[8];
  for (unsigned i = 0; i < 8; i++) { a[i] = y[threadIdx.x] + i; b[i] = i * threadIdx.x; }
  unsigned* p = threadIdx.x % 3 ? a : b;
  unsigned* q = &a[threadIdx.x % 8];
  s[threadIdx.x] = *p;
  __syncthreads();
  p += s[95 - threadIdx.x] % 8;
  __syncthreads();
  *p += 5;
  *q ^= 3;
  s[threadIdx.x] = *p;
  __syncthreads();
  y[threadIdx.x] = s[95 - threadIdx.x] + *q * 64 + a[split % 8] + b[split % 8];
}

KERNEL diverge(unsigned* y, unsigned split) {
  if (threadIdx.x < split) __syncthreads(); // one
  else __syncthreads(); // other
  y[threadIdx.x] = 1;
}
KERNEL outside(unsigned* y, unsigned split) {
  __shared__ unsigned s[96];
  s[threadIdx.x] = 1;
  __syncthreads();
  y[threadIdx.x] = s[threadIdx.x];
  if (threadIdx.x == split) y[1 << 28] = 1; // far
}
`;

/** The same by fibers: a function that is not inlined may ask which thread it is. */
const AS_FIBERS = SOURCE.replaceAll(
  'KERNEL crossing',
  '__noinline__ __device__ unsigned own() { return threadIdx.x; }\nKERNEL crossing',
).replace('  unsigned held[8];', '  unsigned held[8];\n  if (own() != threadIdx.x) return;');

const KERNELS_HERE = [
  'crossing',
  'rounds',
  'masks',
  'part_late',
  'leave',
  'vote',
  'came',
  'packed',
  'passing',
  'chosen',
];

let device: HostDevice;
let steps: ReturnType<HostDevice['load']>;
let fibers: ReturnType<HostDevice['load']>;
let y: number;

beforeAll(async () => {
  device = await newDevice();
  steps = device.load(await imageOf(SOURCE));
  fibers = device.load(await imageOf(AS_FIBERS));
  y = upload(device, new Uint32Array(128));
});
afterAll(() => device.close());

function outputs(module: typeof steps, name: string, split: number, schedule: number): number[] {
  device.fill(y, 0, 4 * 128);
  const launch = { group: [96, 1, 1] as const, grid: [2, 1, 1] as const, schedule };
  run(device, launchOf(device.kernel(module, name), [buffer(y), u32(split)], launch));
  return [...download(device, y, new Uint32Array(128))];
}

test('this source is in steps, and with a function of its own in fibers', async () => {
  expect(await whyFibers(source(SOURCE))).toBe('');
  expect(await whyFibers(source(AS_FIBERS))).toContain('own');
});

test.each(KERNELS_HERE)('%s gives the same in steps and by fibers, in every schedule', (name) => {
  for (const split of [1, 5, 17, 31]) {
    const want = outputs(fibers, name, split, 0);
    expect(new Set(want.slice(0, 96)).size).toBeGreaterThan(name === 'vote' ? 0 : 1);
    for (const schedule of [0, 1, 2, 3, 4, 99]) expect(outputs(steps, name, split, schedule)).toEqual(want);
  }
});

test('crossing keeps what it must: the values are these', () => {
  const held = (thread: number, i: number): number => thread * 8 + (i % 8);
  const shared = (thread: number): number => 95 - thread + held(thread, 3);
  const want = Array.from({ length: 96 }, (_, t) => shared((t + 1) % 96) + held(t, 3 + 95 - t));
  expect(outputs(steps, 'crossing', 3, 0).slice(0, 96)).toEqual(want);
});

test('a divergence names both threads and lines', () => {
  const error = failureOf(
    device,
    launchOf(device.kernel(steps, 'diverge'), [buffer(y), u32(9)], { group: [96, 1, 1] }),
  );
  expect(error.failure).toBe('divergence');
  expect(error.message).toContain('thread (9,0,0)');
  expect(error.message).toContain('thread (0,0,0)');
  expect(error.message).toContain(`:${lineOf(SOURCE, '// one')}`);
  expect(error.message).toContain(`:${lineOf(SOURCE, '// other')}`);
});

test.each([0, 40, 95])('an access outside names thread %d and its line, and the device goes on', (thread) => {
  const launch = launchOf(device.kernel(steps, 'outside'), [buffer(y), u32(thread)], { group: [96, 1, 1] });
  const error = failureOf(device, launch);
  expect(error.message).toContain(`thread (${thread},0,0)`);
  expect(error.message).toContain(`:${lineOf(SOURCE, '// far')}`);
  expect(outputs(steps, 'leave', 5, 0)).toEqual(outputs(fibers, 'leave', 5, 0));
});

const FOLDERS: Readonly<Record<string, string>> = { cuda: 'cuda', hip: 'hip', metal: 'metal' };
const registered = [...readSources(KERNELS)].filter(
  ([path]) => FOLDERS[dialectOf(path) ?? ''] !== undefined && !path.startsWith('shared/'),
);

test.each(registered)('%s is in steps', async (path, text) => {
  const dialect = dialectOf(path) ?? 'cuda';
  const folders = [join(KERNELS, 'shared', FOLDERS[dialect] ?? ''), join(KERNELS, dirname(path))];
  expect(await whyFibers(source(text, dialect, `kernels/${path}`, folders))).toBe('');
});
