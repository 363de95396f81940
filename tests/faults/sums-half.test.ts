/** Public faults of gate 4, first part: sums, and parts of sums, that are held in half. */
import { expect, test } from 'bun:test';
import { f16, f32, rows } from '#contract';
import type { Shape } from '../../src/families/tensor.ts';
import { sizeOf } from '../../src/families/tensor.ts';
import type { Stated } from './harness.ts';
import { EXACT, classes, verdict } from './harness.ts';

const SOURCE = `
#include <cuda_fp16.h>
#define ROW extern "C" __global__ void

__device__ float held(float x, float) { return x; }
__device__ float held(float x, __half) { return __half2float(__float2half(x)); }

/** A row's weighted sum, held in T and divided by SHIFT on the way in. */
template <class T, int SHIFT>
__device__ void weighted(const float* p, const float* v, float* y, unsigned keys) {
  float sum = 0.0f;
  for (unsigned i = 0; i < keys; i++) sum = held(sum + p[blockIdx.x * keys + i] * v[i] / SHIFT, T());
  y[blockIdx.x] = sum * SHIFT;
}
ROW weighted_f32(const float* p, const float* v, float* y, unsigned keys) { weighted<float, 1>(p, v, y, keys); }
ROW weighted_f32_shifted(const float* p, const float* v, float* y, unsigned keys) {
  weighted<float, 256>(p, v, y, keys);
}
ROW weighted_half(const float* p, const float* v, float* y, unsigned keys) { weighted<__half, 1>(p, v, y, keys); }
ROW weighted_half_shifted(const float* p, const float* v, float* y, unsigned keys) {
  weighted<__half, 256>(p, v, y, keys);
}

/** A dot product held in fp32, two terms at a time, of which each product, or their sum, passes through half. */
template <class PRODUCT, class PAIR>
__device__ void dot(const float* q, const float* k, float* y, unsigned width) {
  const float* row = q + blockIdx.x * width;
  float sum = 0.0f;
  for (unsigned i = 0; i < width; i += 2) {
    const float first = held(row[i] * k[i], PRODUCT());
    sum += held(first + held(row[i + 1] * k[i + 1], PRODUCT()), PAIR());
  }
  y[blockIdx.x] = sum;
}
ROW dot_right(const float* q, const float* k, float* y, unsigned width) { dot<float, float>(q, k, y, width); }
ROW dot_half_product(const float* q, const float* k, float* y, unsigned width) { dot<__half, float>(q, k, y, width); }
ROW dot_half_pair(const float* q, const float* k, float* y, unsigned width) { dot<float, __half>(q, k, y, width); }

/** Layer norm of a half row, its sum of squares held in T. */
template <class T>
__device__ void layer_norm(const __half* x, float* y, unsigned width, float eps) {
  const __half* row = x + blockIdx.x * width;
  float sum = 0.0f;
  for (unsigned i = 0; i < width; i++) sum += __half2float(row[i]);
  const float mean = sum / width;
  float squares = 0.0f;
  for (unsigned i = 0; i < width; i++) {
    const float d = __half2float(row[i]) - mean;
    squares = held(squares + d * d, T());
  }
  const float deviation = sqrtf(squares / width + eps);
  for (unsigned i = 0; i < width; i++) y[blockIdx.x * width + i] = (__half2float(row[i]) - mean) / deviation;
}
ROW layer_norm_f32(const __half* x, float* y, unsigned width, float eps) { layer_norm<float>(x, y, width, eps); }
ROW layer_norm_half(const __half* x, float* y, unsigned width, float eps) { layer_norm<__half>(x, y, width, eps); }
`;

const perRow = (
  symbol: string,
  over: string,
  served: readonly number[],
  rest: Pick<Stated, 'formula' | 'inputs' | 'outputs' | 'args'> & Partial<Stated>,
): Stated => ({
  name: symbol,
  dims: { rows: {}, [over]: {} },
  served: [{ rows: 2, [over]: served }],
  accumulator: 'f32',
  launch: {
    cuda: {
      symbol,
      threads: 1,
      grid: (shape: Shape) => [sizeOf(shape, 'rows')],
      depth: (shape: Shape) => sizeOf(shape, over),
    },
  },
  ...rest,
});

const weighted = (symbol: string): Stated =>
  perRow(symbol, 'keys', [4096], {
    inputs: { p: f32('rows', 'keys'), v: f32('keys') },
    outputs: { y: f32('rows') },
    args: ['p', 'v', 'y', 'keys'],
    formula: rows('keys', 'y = sum(p * v)'),
  });

test('A01: value sums held in half overflow and are red', async () => {
  const result = await verdict(weighted('weighted_half'), SOURCE, 'sums');
  expect(result.status).toBe('fail');
  expect(classes(result)).toEqual(['value']);
  expect(result.findings[0]?.worst).toMatch(/got (NaN|[+-]Inf) /);
});

test('A01: half sums scaled down until nothing overflows are red by the bits they lose', async () => {
  const shifted = await verdict(weighted('weighted_half_shifted'), SOURCE, 'sums');
  expect(shifted.status).toBe('fail');
  expect(classes(shifted)).toEqual(['value']);
  expect(shifted.findings[0]?.worst).toMatch(/got -?\d.* \d+x$/);
  for (const symbol of ['weighted_f32', 'weighted_f32_shifted']) {
    expect(await verdict(weighted(symbol), SOURCE, 'sums')).toMatchObject({ status: 'pass', margin: { share: 0 } });
  }
});

const dot = (symbol: string, width: number): Stated =>
  perRow(symbol, 'width', [width], {
    inputs: { q: f32('rows', 'width'), k: f32('width') },
    outputs: { y: f32('rows') },
    args: ['q', 'k', 'y', 'width'],
    formula: rows('width', 'y = sum(q * k)'),
  });

test('A02: a dot product declared fp32 whose inner temporary is half is red at any length', async () => {
  for (const symbol of ['dot_half_product', 'dot_half_pair']) {
    for (const width of [128, 1024, 4096]) {
      const result = await verdict(dot(symbol, width), SOURCE, 'sums', { only: EXACT });
      expect({ symbol, width, status: result.status }).toEqual({ symbol, width, status: 'fail' });
      expect(classes(result)).toEqual(['value']);
    }
  }
  expect((await verdict(dot('dot_right', 128), SOURCE, 'sums')).status).toBe('pass');
  expect((await verdict(dot('dot_right', 4096), SOURCE, 'sums')).status).toBe('pass');
});

const layerNorm = (symbol: string): Stated =>
  perRow(symbol, 'width', [4096], {
    inputs: { x: f16('rows', 'width') },
    outputs: { y: f32('rows', 'width') },
    scalars: { eps: 1e-6 },
    args: ['x', 'y', 'width', 'eps'],
    formula: rows('width', 'd = x - mean(x); y = d / sqrt(mean(d * d) + eps)'),
  });

test('A03: a layer norm that sums its squares in half gives 0 and is red, as the replay in half shows', async () => {
  const result = await verdict(layerNorm('layer_norm_half'), SOURCE, 'sums');
  expect(result.status).toBe('fail');
  expect(classes(result)).toEqual(['value']);
  expect(result.findings[0]?.worst).toMatch(/got 0 .*want -?[01]\./);
  expect(result.notes.find((note) => note.startsWith('f16 sums miss by '))).toEndWith('proven');
  expect((await verdict(layerNorm('layer_norm_f32'), SOURCE, 'sums')).status).toBe('pass');
});
