/** Public faults of gate 1, second part: NaN from unused memory, from a neighbour, or from a narrower type. */
import { expect, test } from 'bun:test';
import { bf16, dense, f32, rows } from '#contract';
import { sizeOf } from '../../src/families/tensor.ts';
import type { Stated } from './harness.ts';
import { BASIC, classes, verdict } from './harness.ts';

const SOURCE = `
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#define ROW extern "C" __global__ void

/** Weights times values in whole tiles of 32 keys; the weight of a key past the end is 0. */
template <bool MASKS_VALUES>
__device__ void weighted(const float* p, const float* v, float* y, unsigned keys) {
  float sum = 0.0f;
  for (unsigned i = 0; i < (keys + 31) / 32 * 32; i++) {
    if (MASKS_VALUES && i >= keys) break;
    sum += (i < keys ? p[blockIdx.x * keys + i] : 0.0f) * v[i];
  }
  y[blockIdx.x] = sum;
}
ROW weighted_right(const float* p, const float* v, float* y, unsigned keys) { weighted<true>(p, v, y, keys); }
ROW weighted_whole_tile(const float* p, const float* v, float* y, unsigned keys) { weighted<false>(p, v, y, keys); }

__device__ float amax(const float* row, unsigned width) {
  float largest = 0.0f;
  for (unsigned i = 0; i < width; i++) {
    const float a = fabsf(row[i]);
    largest = a > largest || isnan(a) ? a : largest;
  }
  return largest;
}
/** Each row by its own scale; the tile's other row comes in as a product with 0, which is 0 for finite data alone. */
template <unsigned TILE>
__device__ void scaled(const float* x, float* y, unsigned width) {
  const unsigned row = blockIdx.x;
  float scale = amax(x + row * width, width);
  if (TILE == 2 && (row ^ 1) < gridDim.x) scale += 0.0f * amax(x + (row ^ 1) * width, width);
  for (unsigned i = 0; i < width; i++) y[row * width + i] = x[row * width + i] / scale;
}
ROW scaled_right(const float* x, float* y, unsigned width) { scaled<1>(x, y, width); }
ROW scaled_by_pairs(const float* x, float* y, unsigned width) { scaled<2>(x, y, width); }

/** C = A B + beta C in tiles of 32 x 32; beta is 0, and whole tiles know it. */
template <bool EDGE_READS>
__device__ void product(const float* a, const float* b, float* c, unsigned m, unsigned n, unsigned k, float beta) {
  const unsigned row = blockIdx.y * 32 + threadIdx.y;
  const unsigned column = blockIdx.x * 32 + threadIdx.x;
  const bool whole = (blockIdx.y + 1) * 32 <= m && (blockIdx.x + 1) * 32 <= n;
  if (row >= m || column >= n) return;
  float sum = 0.0f;
  for (unsigned i = 0; i < k; i++) sum += a[row * k + i] * b[column * k + i];
  if (EDGE_READS && !whole) sum += beta * c[row * n + column];
  c[row * n + column] = sum;
}
ROW product_right(const float* a, const float* b, float* c, unsigned m, unsigned n, unsigned k, float beta) {
  product<false>(a, b, c, m, n, k, beta);
}
ROW product_edge_reads(const float* a, const float* b, float* c, unsigned m, unsigned n, unsigned k, float beta) {
  product<true>(a, b, c, m, n, k, beta);
}

__device__ float through(float x, float) { return x; }
__device__ float through(float x, __half) { return __half2float(__float2half(x)); }
/** A projection whose operands pass through T on their way into fp32 products. */
template <class T>
__device__ void project(const __nv_bfloat16* x, const float* w, float* y, unsigned n, unsigned k) {
  float sum = 0.0f;
  for (unsigned i = 0; i < k; i++) {
    sum += through(__bfloat162float(x[blockIdx.x * k + i]), T()) * w[threadIdx.x * k + i];
  }
  y[blockIdx.x * n + threadIdx.x] = sum;
}
ROW project_few(const __nv_bfloat16* x, const float* w, float* y, unsigned n, unsigned k) {
  project<float>(x, w, y, n, k);
}
ROW project_many(const __nv_bfloat16* x, const float* w, float* y, unsigned n, unsigned k) {
  project<__half>(x, w, y, n, k);
}
`;

const weighted = (symbol: string): Stated => ({
  name: symbol,
  dims: { rows: {}, keys: {} },
  served: [{ rows: 40, keys: 24 }],
  inputs: { p: f32('rows', 'keys'), v: f32('keys') },
  outputs: { y: f32('rows') },
  args: ['p', 'v', 'y', 'keys'],
  formula: rows('keys', 'y = sum(p * v)'),
  accumulator: 'f32',
  launch: {
    cuda: { symbol, threads: 1, grid: (shape) => [sizeOf(shape, 'rows')], depth: (shape) => sizeOf(shape, 'keys') },
  },
});

test('N06: a weight of 0 times a value that nobody wrote is red: what lies behind the last key is NaN', async () => {
  const result = await verdict(weighted('weighted_whole_tile'), SOURCE, 'nonfinite');
  expect(result.status).toBe('fail');
  expect(classes(result)).toEqual(['class']);
  expect(result.findings[0]?.worst).toMatch(/got nan .* want (finite|\+inf|-inf)$/);
  expect((await verdict(weighted('weighted_right'), SOURCE, 'nonfinite')).status).toBe('pass');
});

test('N06: with finite bytes there instead, the same read shows as a change of the output', async () => {
  expect(classes(await verdict(weighted('weighted_whole_tile'), SOURCE, 'repeat'))).toEqual(['bounds', 'over-read']);
  expect((await verdict(weighted('weighted_right'), SOURCE, 'repeat')).status).toBe('pass');
});

const scaled = (symbol: string): Stated => ({
  name: symbol,
  dims: { rows: {}, width: {} },
  served: [{ rows: 64, width: 8 }],
  inputs: { x: f32('rows', 'width') },
  outputs: { y: f32('rows', 'width') },
  args: ['x', 'y', 'width'],
  formula: rows('width', 'y = x / max(abs(x))'),
  accumulator: 'none',
  launch: { cuda: { symbol, threads: 1, grid: (shape) => [sizeOf(shape, 'rows')], depth: () => 0 } },
});

test('N07: a NaN that reaches the other row of its tile is red, and told as what another row did', async () => {
  const result = await verdict(scaled('scaled_by_pairs'), SOURCE, 'nonfinite');
  expect(result.status).toBe('fail');
  expect(classes(result)).toEqual(['class']);
  expect(result.findings.some(({ why }) => why?.endsWith("another row's plant reached it."))).toBe(true);
  expect((await verdict(scaled('scaled_right'), SOURCE, 'nonfinite')).status).toBe('pass');
});

test('N07: finite data do not show it', async () => {
  expect((await verdict(scaled('scaled_by_pairs'), SOURCE, 'shapes')).status).toBe('pass');
});

const product = (symbol: string): Stated => ({
  name: symbol,
  dims: { m: { tile: 32, step: 1, least: 1 }, n: { tile: 32, step: 1, least: 1 }, k: {} },
  served: [{ m: [64, 65], n: [32, 33], k: 4 }],
  inputs: { a: f32('m', 'k'), b: f32('n', 'k') },
  outputs: { c: f32('m', 'n') },
  scalars: { beta: 0 },
  args: ['a', 'b', 'c', 'm', 'n', 'k', 'beta'],
  formula: dense('k', 'c = sum(a * b)'),
  accumulator: 'f32',
  launch: {
    cuda: {
      symbol,
      threads: [32, 32],
      grid: (shape) => [Math.ceil(sizeOf(shape, 'n') / 32), Math.ceil(sizeOf(shape, 'm') / 32)],
      depth: (shape) => sizeOf(shape, 'k'),
    },
  },
});

test('N08: beta = 0 that still reads the output is red at shapes with a partial tile, and at no other', async () => {
  const { status, findings, cases } = await verdict(product('product_edge_reads'), SOURCE, 'shapes');
  expect(status).toBe('fail');
  const red = findings.map(({ label }) => label);
  expect(red).toContain('m=65,n=33,k=4');
  expect(red).not.toContain('m=64,n=32,k=4');
  expect(red).not.toContain('m=32,n=32,k=4');
  expect(cases - red.length).toBe(2);
  expect((await verdict(product('product_right'), SOURCE, 'shapes')).status).toBe('pass');
});

test('N08: what it gives is wrong or not the same twice, never called unwritten', async () => {
  expect(classes(await verdict(product('product_edge_reads'), SOURCE, 'nonfinite'))).toEqual(['class']);
  expect(classes(await verdict(product('product_edge_reads'), SOURCE, 'shapes'))).toEqual(['value']);
  expect(classes(await verdict(product('product_edge_reads'), SOURCE, 'repeat'))).toEqual([
    'uninitialised',
    'different',
  ]);
});

/** Two routes by the number of rows: 31 take the first, `m` rows the kernel `many`. */
const project = (many: string, m: number): Stated => {
  const one = {
    threads: 4,
    grid: (shape: Readonly<Record<string, number>>) => [sizeOf(shape, 'm')],
    depth: (shape: Readonly<Record<string, number>>) => sizeOf(shape, 'k'),
  };
  return {
    name: 'project',
    dims: { m: {}, n: {}, k: {} },
    served: [{ m: [31, m], n: 4, k: 16 }],
    inputs: { x: bf16('m', 'k'), w: f32('n', 'k') },
    outputs: { y: f32('m', 'n') },
    args: ['x', 'w', 'y', 'n', 'k'],
    formula: dense('k', 'y = sum(x * w)'),
    accumulator: 'f32',
    launch: {
      cuda: [
        { ...one, symbol: 'project_few', when: (shape) => sizeOf(shape, 'm') < 32 },
        { ...one, symbol: many },
      ],
    },
  };
};

test('N11: activations narrowed to half are red at the large finite plant, on the route that narrows', async () => {
  for (const m of [32, 33]) {
    const { status, findings, cases } = await verdict(project('project_many', m), SOURCE, 'nonfinite');
    expect(status).toBe('fail');
    expect(findings.every(({ label }) => label.startsWith(`m=${m},n=4,k=16,plant=x`))).toBe(true);
    expect(findings[0]).toMatchObject({ class: 'class', why: expect.stringContaining('large finite value') });
    expect(cases).toBeGreaterThan(2);
  }
  expect((await verdict(project('project_few', 33), SOURCE, 'nonfinite')).status).toBe('pass');
});

test('N11: ordinary data do not show it, and corner rows do', async () => {
  const many = project('project_many', 33);
  expect((await verdict(many, SOURCE, 'shapes', { only: BASIC })).status).toBe('pass');
  expect(classes(await verdict(many, SOURCE, 'shapes'))).toEqual(['value']);
});
