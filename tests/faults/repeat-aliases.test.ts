/** Public faults of gate 2, third part: outputs that lie on an input. */
import { expect, test } from 'bun:test';
import { f32, rows, rule } from '#contract';
import { sizeOf } from '../../src/families/tensor.ts';
import type { Stated } from './harness.ts';
import { classes, verdict } from './harness.ts';

const SOURCE = `
#define ROW extern "C" __global__ void

/** dst = gate * up + the row's sum of gate, which is read before anything is written, or after. */
template <bool FIRST>
__device__ void gated(float* gate, const float* up, float* dst, unsigned width, float* spoiled) {
  const unsigned row = blockIdx.x * width, t = threadIdx.x;
  float sum = 0.0f;
  if (FIRST) {
    for (unsigned j = 0; j < width; j++) sum += gate[row + j];
    const float mine = gate[row + t];
    __syncthreads();
    dst[row + t] = mine * up[row + t] + sum;
    return;
  }
  const float mine = gate[row + t];
  dst[row + t] = mine * up[row + t];
  __syncthreads();
  for (unsigned j = 0; j < width; j++) sum += gate[row + j];
  __syncthreads();
  dst[row + t] = mine * up[row + t] + sum;
  if (spoiled) spoiled[row + t] = 0.0f;
}
ROW gated_first(float* gate, float* up, float* dst, unsigned width) { gated<true>(gate, up, dst, width, nullptr); }
ROW gated_late(float* gate, float* up, float* dst, unsigned width) { gated<false>(gate, up, dst, width, nullptr); }
ROW gated_spoils(float* gate, float* up, float* dst, unsigned width) { gated<false>(gate, up, dst, width, gate); }

/** y[i] is the larger of x[i] and its right neighbour: in place it depends on who comes first. */
ROW neighbours(const float* x, float* y, unsigned width) {
  const unsigned i = threadIdx.x;
  y[i] = fmaxf(x[i], x[i + 1 < width ? i + 1 : i]);
}
ROW neighbours_held(const float* x, float* y, unsigned width) {
  const unsigned i = threadIdx.x;
  const float larger = fmaxf(x[i], x[i + 1 < width ? i + 1 : i]);
  __syncthreads();
  y[i] = larger;
}

/** dx = 3 x + dz, by way of dx. */
ROW backward_copies(const float* x, const float* dz, float* dx, unsigned width) {
  const unsigned i = blockIdx.x * width + threadIdx.x;
  dx[i] = x[i];
  dx[i] *= 3.0f;
  dx[i] += dz[i];
}
ROW backward_once(const float* x, const float* dz, float* dx, unsigned width) {
  const unsigned i = blockIdx.x * width + threadIdx.x;
  dx[i] = 3.0f * x[i] + dz[i];
}
`;

const launch = (symbol: string, depth: number): Stated['launch'] => ({
  cuda: { symbol, threads: 64, grid: (shape) => [sizeOf(shape, 'rows')], depth: () => depth },
});

const gated = (symbol: string, inPlace?: Stated['inPlace']): Stated => ({
  name: 'gated',
  dims: { rows: {}, width: {} },
  served: [{ rows: 3, width: 64 }],
  inputs: { gate: f32('rows', 'width'), up: f32('rows', 'width') },
  outputs: { dst: f32('rows', 'width') },
  args: ['gate', 'up', 'dst', 'width'],
  formula: rows('width', 'dst = gate * up + sum(gate)'),
  accumulator: 'f32',
  ...(inPlace && { inPlace }),
  launch: launch(symbol, 64),
});

test('R09: an output over a source that is still read is red in place, and green without leave to be', async () => {
  const allowed = await verdict(gated('gated_late', { dst: 'gate' }), SOURCE, 'repeat');
  expect(classes(allowed)).toEqual(['alias']);
  expect(allowed.findings[0]?.what).toContain('differ when dst lies on gate');
  expect((await verdict(gated('gated_late'), SOURCE, 'repeat')).status).toBe('pass');
  expect((await verdict(gated('gated_late'), SOURCE, 'shapes')).status).toBe('pass');
});

test('R09: the kernel that reads before it writes passes in place on either source', async () => {
  for (const source of ['gate', 'up'])
    expect((await verdict(gated('gated_first', { dst: source }), SOURCE, 'repeat')).status).toBe('pass');
});

test('R09: without leave a source that the kernel writes over is a changed input', async () => {
  const result = await verdict(gated('gated_spoils'), SOURCE, 'repeat');
  expect(classes(result)).toContain('input');
  expect(result.findings.map(({ what }) => what).join('\n')).toContain('the input gate changed: ');
});

const bits = new DataView(new ArrayBuffer(4));
const codeOf = (value: number): number => {
  bits.setFloat32(0, value);
  return bits.getUint32(0);
};

const neighbours = (symbol: string): Stated => ({
  name: 'neighbours',
  dims: { width: {} },
  served: [{ width: 64 }],
  inputs: { x: f32('width') },
  outputs: { y: f32('width') },
  args: ['x', 'y', 'width'],
  formula: rule('width', 'the larger of an element and its right neighbour', ({ x = new Float64Array(0) }) => ({
    y: Uint32Array.from(x, (value, i) => codeOf(Math.max(value, x[i + 1] ?? value))),
  })),
  nan: 'rule',
  accumulator: 'none',
  inPlace: { y: 'x' },
  launch: { cuda: { symbol, threads: 64, grid: () => [1], depth: () => 0 } },
});

test('R09: a place that is right in index order and wrong in another is found in place', async () => {
  const result = await verdict(neighbours('neighbours'), SOURCE, 'repeat');
  expect(classes(result)).toEqual(['alias']);
  expect((await verdict(neighbours('neighbours_held'), SOURCE, 'repeat')).status).toBe('pass');
  expect((await verdict(neighbours('neighbours'), SOURCE, 'shapes')).status).toBe('pass');
});

const backward = (symbol: string, inPlace: NonNullable<Stated['inPlace']>): Stated => ({
  name: 'backward',
  dims: { rows: {}, width: {} },
  served: [{ rows: 2, width: 64 }],
  inputs: { x: f32('rows', 'width'), dz: f32('rows', 'width') },
  outputs: { dx: f32('rows', 'width') },
  args: ['x', 'dz', 'dx', 'width'],
  formula: rows('width', 'dx = 3 * x + dz'),
  accumulator: 'none',
  inPlace,
  launch: launch(symbol, 0),
});

test('R10: a copy that comes first is right on x and wrong on dz: the input it lies on decides', async () => {
  expect((await verdict(backward('backward_copies', { dx: 'x' }), SOURCE, 'repeat')).status).toBe('pass');
  const onDz = await verdict(backward('backward_copies', { dx: 'dz' }), SOURCE, 'repeat');
  expect(classes(onDz)).toEqual(['alias']);
  expect(onDz.findings[0]?.what).toContain('differ when dx lies on dz');
  expect((await verdict(backward('backward_once', { dx: 'dz' }), SOURCE, 'repeat')).status).toBe('pass');
});

test('R10: each input of a list is tried', async () => {
  const either = await verdict(backward('backward_copies', { dx: ['x', 'dz'] }), SOURCE, 'repeat');
  expect(classes(either)).toEqual(['alias']);
  expect(either.findings[0]?.what).toContain('differ when dx lies on dz');
  expect((await verdict(backward('backward_once', { dx: ['x', 'dz'] }), SOURCE, 'repeat')).status).toBe('pass');
});
