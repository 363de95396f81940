/** Public faults of gate 2, third part: scratch that a warp writes again while others still read it. */
import { describe, expect, test } from 'bun:test';
import { f32, rows } from '#contract';
import type { Dialect } from '../../src/families/formula/functions.ts';
import type { Shape } from '../../src/families/tensor.ts';
import { sizeOf } from '../../src/families/tensor.ts';
import type { Stated } from './harness.ts';
import { classes, verdict } from './harness.ts';

/**
 * A row's greatest and least element through one array of a slot a warp. MENDED stands where the second reduction may begin to
 * write; without it only shuffles hold a warp back, so it has to pass a barrier and five of them while another stays behind.
 */
const CUDA = `
__device__ float group_max(float v, float* partials) {
  for (int d = 16; d; d /= 2) { float o = __shfl_xor_sync(~0u, v, d); v = v != v || o != o ? NAN : fmaxf(v, o); }
  if (threadIdx.x % 32 == 0) partials[threadIdx.x / 32] = v;
  __syncthreads();
  float t = partials[0];
  for (int w = 1; w < WARPS; w++) t = t != t || partials[w] != partials[w] ? NAN : fmaxf(t, partials[w]);
  MENDED
  return t;
}
extern "C" __global__ void k(const float* x, float* y, unsigned width) {
  __shared__ float partials[WARPS];
  const float v = x[size_t(blockIdx.x) * width + threadIdx.x];
  const float m = group_max(v, partials);
  const float n = group_max(-v, partials);
  if (threadIdx.x == ASKED) y[blockIdx.x] = m + n;
}`;
const METAL = `
#include <metal_stdlib>
using namespace metal;
float group_max(float v, threadgroup float* partials, uint t) {
  for (ushort d = 16; d; d /= 2) { float o = simd_shuffle_xor(v, d); v = isnan(v) || isnan(o) ? NAN : fmax(v, o); }
  if (t % 32 == 0) partials[t / 32] = v;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  float a = partials[0];
  for (int w = 1; w < WARPS; w++) a = isnan(a) || isnan(partials[w]) ? NAN : fmax(a, partials[w]);
  MENDED
  return a;
}
kernel void k(device const float* x [[buffer(0)]], device float* y [[buffer(1)]], constant uint& width [[buffer(2)]],
              uint g [[threadgroup_position_in_grid]], uint t [[thread_position_in_threadgroup]]) {
  threadgroup float partials[WARPS];
  const float v = x[g * width + t];
  const float m = group_max(v, partials, t);
  const float n = group_max(-v, partials, t);
  if (t == ASKED) y[g] = m + n;
}`;
const OPENCL = `
float group_max(float v, local float* partials, uint t) {
  for (uint d = 16; d; d /= 2) { float o = sub_group_shuffle_xor(v, d); v = isnan(v) || isnan(o) ? NAN : fmax(v, o); }
  if (t % 32 == 0) partials[t / 32] = v;
  barrier(CLK_LOCAL_MEM_FENCE);
  float a = partials[0];
  for (int w = 1; w < WARPS; w++) a = isnan(a) || isnan(partials[w]) ? NAN : fmax(a, partials[w]);
  MENDED
  return a;
}
kernel __attribute__((intel_reqd_sub_group_size(32))) void k(global const float* x, global float* y, uint width) {
  local float partials[WARPS];
  const uint t = get_local_id(0), g = get_group_id(0);
  const float v = x[g * width + t];
  const float m = group_max(v, partials, t);
  const float n = group_max(-v, partials, t);
  if (t == ASKED) y[g] = m + n;
}`;
const SOURCES: Readonly<Record<Dialect, { readonly text: string; readonly barrier: string }>> = {
  cuda: { text: CUDA, barrier: '__syncthreads();' },
  hip: { text: CUDA.replaceAll('__shfl_xor_sync(~0u, ', '__shfl_xor('), barrier: '__syncthreads();' },
  metal: { text: METAL, barrier: 'threadgroup_barrier(mem_flags::mem_threadgroup);' },
  xpu: { text: OPENCL, barrier: 'barrier(CLK_LOCAL_MEM_FENCE);' },
};

const spread = (dialect: Dialect, threads: number): Stated => ({
  name: 'fault',
  dims: { rows: { least: 1 }, width: {} },
  served: [{ rows: [1, 32], width: threads }],
  inputs: { x: f32('rows', 'width') },
  outputs: { y: f32('rows') },
  args: ['x', 'y', 'width'],
  formula: rows('width', 'y = max(x) - min(x)'),
  accumulator: 'none',
  launch: {
    [dialect]: {
      symbol: 'k',
      warp: { hip: 32, xpu: 32 }, // what other widths show is a test of its own
      threads,
      grid: (shape: Shape) => [sizeOf(shape, 'rows')],
      depth: (shape: Shape) => sizeOf(shape, 'width'),
    },
  },
});

/** The source of `warps` warps, in which the thread `asked` writes the row's result. */
const source = (dialect: Dialect, warps: number, asked: number, isMended: boolean): string => {
  const { text, barrier } = SOURCES[dialect];
  return text
    .replaceAll('WARPS', String(warps))
    .replaceAll('ASKED', String(asked))
    .replaceAll('MENDED', isMended ? barrier : '');
};

const SEEDS = Array.from({ length: 8 }, (_, i) => String(i + 1));

/** How many warps, and the thread that gives the result. */
const PLACES = [
  [8, 0],
  [8, 255],
  [8, 100],
  [2, 0],
  [2, 63],
] as const;
/** The orders are the runtime's own, the same in every dialect. */
const CORNERS = [PLACES[1], PLACES[3]] as const;

describe.each(['cuda', 'hip', 'metal', 'xpu'] as const)(
  'R13, %s: scratch written for a second reduction too early',
  (dialect) => {
    for (const [warps, asked] of dialect === 'cuda' ? PLACES : CORNERS)
      test(`${warps} warps, of which ${asked >> 5} gives the result: red at every seed`, async () => {
        const stated = spread(dialect, 32 * warps);
        expect((await verdict(stated, source(dialect, warps, asked, true), 'repeat', { dialect })).status).toBe('pass');
        for (const seed of SEEDS) {
          const result = await verdict(stated, source(dialect, warps, asked, false), 'repeat', { dialect, seed });
          expect(classes(result)).toEqual(['race', 'different']);
        }
      });
  },
);
