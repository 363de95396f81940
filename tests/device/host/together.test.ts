/** Lanes that run as the elements of vectors: a launch cannot tell, and a fault is one lane's. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { HostDevice } from '../../../src/device/host.ts';
import { whyFibers } from '../../../src/device/toolchain/host.ts';
import { buffer, download, failureOf, imageOf, launchOf, lineOf, newDevice, run, u32, upload } from './device.ts';

/** Each goes round a loop over x, of COUNT words, and then meets; `split` moves where lanes part and rows begin. */
const COUNT = 4096;
const SOURCE = `
#define KERNEL extern "C" __global__ void
#define ALL 0xffffffffu
__device__ __forceinline__ float as_float(unsigned word) { return __uint_as_float(word >> 9 | 0x3f000000u); }
__device__ __forceinline__ unsigned linear() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
__device__ __forceinline__ void finish(unsigned* y, float sum) {
  for (unsigned mask = 16; mask; mask /= 2) sum += __shfl_xor_sync(ALL, sum, mask);
  y[linear()] = __float_as_uint(sum);
}

// Neighbouring words; the last round is not the same for all lanes.
KERNEL in_a_row(const unsigned* x, unsigned* y, unsigned split) {
  float sum = 0;
  for (unsigned i = linear(); i < 1000 + split; i += 96) sum = fmaf(sum, 0.75f, as_float(x[i]));
  finish(y, sum);
}

// Each lane's own four, three and eight words; and one word of all.
KERNEL spans(const unsigned* x, unsigned* y, unsigned split) {
  float sum = 0;
  for (unsigned i = 0; i < split; i++) {
    const unsigned *four = x + 4 * size_t(linear()) + i, *three = x + 3 * size_t(linear()) + 7 * i;
    const unsigned* eight = x + 8 * size_t(linear()) + i;
#pragma unroll
    for (unsigned j = 0; j < 4; j++) sum = fmaf(sum, 0.5f, as_float(four[j]));
#pragma unroll
    for (unsigned j = 0; j < 3; j++) sum = fmaf(sum, 0.25f, as_float(three[2 - j]));
#pragma unroll
    for (unsigned j = 0; j < 8; j++) sum = fmaf(sum, 0.625f, as_float(eight[j]));
    sum = fmaf(sum, 0.5f, as_float(x[i]));
  }
  finish(y, sum);
}

// Four words at once.
KERNEL fours(const unsigned* x, unsigned* y, unsigned split) {
  float sum = 0;
  for (unsigned i = linear(); i < 960; i += 96) {
    const uint4 four = ((const uint4*)x)[i];
    sum = fmaf(sum, 0.5f, as_float(four.x)) + as_float(four.y);
    sum = fmaf(sum, 0.5f, as_float(four.z)) - as_float(four.w + split);
  }
  finish(y, sum);
}

// Fields of an index: all lanes in one field, or across its end.
KERNEL low_field(const unsigned* x, unsigned* y, unsigned split) {
  float sum = 0;
  for (unsigned i = 0; i < 40; i++) sum = fmaf(sum, 0.5f, as_float(x[((linear() + split * i) & 31) + i]));
  finish(y, sum);
}
KERNEL high_field(const unsigned* x, unsigned* y, unsigned split) {
  float sum = 0;
  for (unsigned i = 0; i < 40; i++) sum = fmaf(sum, 0.5f, as_float(x[((linear() + split * i) >> 4) + i]));
  finish(y, sum);
}
KERNEL quads(const unsigned* x, unsigned* y, unsigned split) {
  float sum = 0;
  for (unsigned i = 0; i < 40; i++)
    sum = fmaf(sum, 0.5f, as_float(x[linear() / 4 + i] + x[(linear() & 3) + split] + x[x[linear() + i] % 4096]));
  finish(y, sum);
}

// Each side of the group by itself.
KERNEL sides(const unsigned* x, unsigned* y, unsigned split) {
  float sum = 0;
  for (unsigned i = 0; i < split; i++)
    sum = fmaf(sum, 0.5f, as_float(x[threadIdx.x * 3 + threadIdx.y * 70 + threadIdx.z * 300 + i]));
  finish(y, sum);
}

// An index is widened where it wraps around, without and with a sign.
KERNEL widened(const unsigned* x, unsigned* y, unsigned split) {
  float sum = 0;
  for (unsigned i = 0; i < 33; i++) {
    unsigned at = linear() - split * 5 + i;
    sum = fmaf(sum, 0.5f, float((unsigned long long)at * 5) + float((long long)(int)(at + 0x80000000u) * 3));
    sum = fmaf(sum, 0.5f, as_float(x[linear() + i]));
  }
  finish(y, sum);
}

// An index that wraps around between two lanes; bytes, halves and signed words.
KERNEL wraps(const unsigned* x, unsigned* y, unsigned split) {
  const unsigned char* bytes = (const unsigned char*)x;
  const short* halves = (const short*)x;
  float sum = 0;
  for (unsigned i = 0; i < 33; i++) {
    unsigned at = linear() - split + i;
    sum = fmaf(sum, 0.5f, as_float(x[min(at, 4000u)]));
    sum = fmaf(sum, 0.5f, float(bytes[linear() + i]) + float(halves[linear() + 2 * i]));
    int signed_at = int(linear()) - int(split);
    sum += float(halves[signed_at + 100]) + fabsf(sum) * 0.5f;
  }
  finish(y, sum);
}

// A loop between two waits, with values from before the first; lanes go the other way in one of its rounds.
KERNEL between(const unsigned* x, unsigned* y, unsigned split) {
  float sum = as_float(x[linear()]), other = __shfl_xor_sync(ALL, sum, 1);
  unsigned bits = linear() * 77u;
  for (unsigned i = 0; i < 50; i++) {
    if (i == split && linear() % 32 < split) sum -= other;
    sum = fmaf(sum, 0.5f, other * as_float(x[linear() + i * 3]));
    bits = bits * 5u + (sum > other ? x[i] : bits >> 3);
  }
  other = __shfl_down_sync(ALL, sum, 3);
  for (unsigned i = 0; i < split; i++) sum = fmaf(sum, other, as_float(x[linear() * 2 + i] ^ bits));
  finish(y, sum);
}

// Infinities, NaNs, subnormals and signed zeros.
KERNEL ends(const unsigned* x, unsigned* y, unsigned split) {
  float sum = 0, least = INFINITY;
  for (unsigned i = 0; i < split; i++) {
    float value = __uint_as_float(x[linear() + i * 96]);
    least = fminf(least, value);
    sum = (i & 3) == 3 ? sqrtf(fabsf(value)) + 0.0f * sum : sum * 0.5f + value;
  }
  y[linear()] = __float_as_uint(least) ^ __shfl_xor_sync(ALL, sum == sum ? __float_as_uint(sum) : 5u, 1);
}

// Runs of two, four and eight values a lane, halves and words, one a turn: whole ones, and the last cut off.
template <class T, unsigned OWNED>
__device__ __forceinline__ float run_sum(const T* x, unsigned end, float sum) {
  for (unsigned first = linear() * OWNED; first < end; first += 96 * OWNED) {
    const unsigned last = min(first + OWNED, end);
    for (unsigned i = first; i < last; i++) sum = fmaf(sum, 0.5f, float(x[i] & 0xfff));
  }
  return sum;
}
KERNEL runs(const unsigned* x, unsigned* y, unsigned split) {
  const unsigned short* halves = (const unsigned short*)x;
  float sum = run_sum<unsigned short, 8>(halves, 96 * 24 - 64 * split, 1.0f);
  sum = run_sum<unsigned, 8>(x, 96 * 16 + 64 * split, sum) + run_sum<unsigned, 4>(x, 96 * 8, sum);
  sum = run_sum<unsigned, 2>(x, 96 * 8 + split, sum) + run_sum<unsigned short, 4>(halves + 1, 96 * 8 - split, sum);
  for (int i = int(linear() * 4), end = i + 3 * int(split); i < end; i++) sum = fmaf(sum, 0.5f, as_float(x[i]));
  finish(y, sum);
}

// The same after a wait, where each lane writes its part: what it read last stays at hand, and the counter.
KERNEL tiles(const unsigned* x, unsigned* y, unsigned split) {
  __shared__ unsigned short all[96 * 8];
  unsigned short* tile = all;
  const float first = __shfl_xor_sync(ALL, as_float(x[linear()]), 1);
  const unsigned end = 96 * 8 - 5 * split;
  float last = 0;
  unsigned count = 0;
  for (unsigned i = linear() * 8, stop = min(i + 8, end); i < stop; i++, count++)
    tile[i] = (unsigned short)(last = first + as_float(x[i] + split));
  for (unsigned i = max(end, linear() * 8); i < linear() * 8 + 8; i++) tile[i] = (unsigned short)(i * split);
  __syncthreads();
  float sum = last + float(count);
  for (unsigned i = linear() * 8; i < linear() * 8 + 8; i++) sum = fmaf(sum, 0.5f, float(tile[(i + 8 * split) % (96 * 8)]));
  finish(y, sum);
}

// Some lanes return before the loop.
KERNEL leaves(const unsigned* x, unsigned* y, unsigned split) {
  if (linear() / 32 * 3 >= split) return;
  float sum = 0;
  for (unsigned i = linear() % 32; i < 512; i += 32) sum = fmaf(sum, 0.5f, as_float(x[i]));
  finish(y, sum);
}

KERNEL outside(const unsigned* x, unsigned* y, unsigned split) {
  float sum = 0;
  for (unsigned i = 0; i < 8; i++)
    sum = fmaf(sum, 0.5f, as_float(x[linear() + (i == 5 && linear() >= split ? 1u << 28 : i)]));  // far
  finish(y, sum);
}

KERNEL past(const unsigned* x, unsigned* y, unsigned split) {
  float sum = 0;
  for (unsigned i = linear() % 32; i < 4096; i += 32) sum = fmaf(sum, 0.5f, as_float(x[i + split]));  // past
  finish(y, sum);
}
`;

/** The same by fibers: a function that is not inlined may ask which thread it is. */
const AS_FIBERS = SOURCE.replace(
  '\nKERNEL',
  '\n__noinline__ __device__ unsigned own() { return threadIdx.x; }\nKERNEL',
).replace('float sum = 0;', 'float sum = 0;\n  if (own() != threadIdx.x) return;');

let device: HostDevice;
let steps: ReturnType<HostDevice['load']>;
let fibers: ReturnType<HostDevice['load']>;
let [x, y] = [0, 0];

/** Words of every kind: an ordinary generator's, and among them what fp32 holds at its ends. */
function words(): Uint32Array {
  const found = new Uint32Array(COUNT);
  const ends = [0x7f800000, 0xff800000, 0x7fc00000, 1, 0x80000001, 0x80000000, 0x007fffff, 0x7f7fffff];
  for (let i = 0, word = 1; i < COUNT; i++) {
    word = (Math.imul(word, 1664525) + 1013904223) >>> 0;
    found[i] = i % 61 === 0 ? (ends[(i / 61) % ends.length] ?? 0) : word;
  }
  return found;
}

beforeAll(async () => {
  device = await newDevice();
  [steps, fibers] = [device.load(await imageOf(SOURCE)), device.load(await imageOf(AS_FIBERS))];
  [x, y] = [upload(device, words()), upload(device, new Uint32Array(128))];
}, 60_000);
afterAll(() => device.close());

function outputs(module: typeof steps, name: string, split: number, group: [number, number, number]): number[] {
  device.fill(y, 0, 4 * 128);
  run(device, launchOf(device.kernel(module, name), [buffer(x), buffer(y), u32(split)], { group, grid: [2, 1, 1] }));
  return [...download(device, y, new Uint32Array(128))];
}

test('one source is in steps, the other in fibers', async () => {
  const source = { kind: 'fast', dialect: 'cuda', path: 'test.cu', defines: {}, includeDirs: [] } as const;
  expect(await whyFibers({ ...source, source: SOURCE })).toBe('');
  expect(await whyFibers({ ...source, source: AS_FIBERS })).toContain('own');
});

const NAMES = [
  'in_a_row',
  'spans',
  'fours',
  'low_field',
  'high_field',
  'quads',
  'sides',
  'widened',
  'wraps',
  'between',
  'ends',
  'runs',
  'tiles',
  'leaves',
];

test.each(NAMES)('%s gives the same bits as lane by lane', (name) => {
  for (const group of [
    [96, 1, 1],
    [8, 12, 1],
    [4, 3, 8],
    [3, 16, 2],
    [40, 1, 1],
  ] as [number, number, number][]) {
    for (const split of [1, 3, 5, 8, 17, 31]) {
      const want = outputs(fibers, name, split, group);
      expect(new Set(want).size).toBeGreaterThan(1);
      expect(outputs(steps, name, split, group)).toEqual(want);
    }
  }
});

test.each([0, 5, 7, 8, 40, 95])(
  'a read far outside names thread %d, the first that reads there, and its line',
  (thread) => {
    const launch = launchOf(device.kernel(steps, 'outside'), [buffer(x), buffer(y), u32(thread)], {
      group: [96, 1, 1],
    });
    const error = failureOf(device, launch);
    expect(error.message).toContain(`thread (${thread},0,0)`);
    expect(error.message).toContain(`:${lineOf(SOURCE, '// far')}`);
  },
);

test.each([0, 3, 8, 9, 31])('a read past the end names thread %d, and the device goes on', (thread) => {
  const launch = launchOf(device.kernel(steps, 'past'), [buffer(x), buffer(y), u32(32 - thread)], {
    group: [96, 1, 1],
  });
  const error = failureOf(device, launch);
  expect(error.message).toContain(`thread (${thread},0,0)`);
  expect(error.message).toContain(`:${lineOf(SOURCE, '// past')}`);
  expect(outputs(steps, 'between', 5, [96, 1, 1])).toEqual(outputs(fibers, 'between', 5, [96, 1, 1]));
});
