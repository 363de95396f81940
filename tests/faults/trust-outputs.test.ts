/** Public faults of harnesses, first part: outputs that only look right. */
import { expect, test } from 'bun:test';
import { f32, rows } from '#contract';
import { reference } from '../../src/families/answer.ts';
import { ordinaryInputs } from '../../src/families/fills/ordinary.ts';
import { problemOf } from '../../src/families/problem.ts';
import type { Shape } from '../../src/families/tensor.ts';
import { sizeOf } from '../../src/families/tensor.ts';
import type { Stated } from './harness.ts';
import { BASIC, classes, judge, verdict } from './harness.ts';

const SOURCE = `
#define ROW extern "C" __global__ void

ROW zeros(const float* x, float* y, unsigned width) {
  for (unsigned i = threadIdx.x; i < width; i += blockDim.x) y[blockIdx.x * width + i] = 0.0f;
}
ROW nothing(const float* x, float* y, unsigned width) {}
ROW halves(const float* x, float* y, unsigned width) {
  for (unsigned i = blockIdx.x * width; i < (blockIdx.x + 1) * width; i++) y[i] = 0.5f * x[i];
}
/** Makes its own answer right: zeros for inputs that it has set to 0. */
ROW zeroes_inputs(const float* x, float* y, unsigned width) {
  for (unsigned i = threadIdx.x; i < width; i += blockDim.x) {
    const_cast<float*>(x)[blockIdx.x * width + i] = 0.0f;
    y[blockIdx.x * width + i] = 0.0f;
  }
}
ROW weighs_by_zero(const float* x, float* y, unsigned width, float weight) {
  if (threadIdx.x == 0) y[blockIdx.x] = 0.0f;
}
ROW weighs(const float* x, float* y, unsigned width, float weight) {
  float sum = 0.0f;
  for (unsigned i = 0; i < width; i++) sum += x[blockIdx.x * width + i] * weight;
  if (threadIdx.x == 0) y[blockIdx.x] = sum;
}

/** Right for its first launches, as a kernel with state can be. */
__device__ unsigned launches;
ROW halves_at_first(const float* x, float* y, unsigned width) {
  const bool late = launches >= FIRST;
  for (unsigned i = 0; i < width; i++) y[i] = late ? 1.0f : 0.5f * x[i];
  launches++;
}
`;

const perRow = (
  symbol: string,
  served: Shape,
  rest: Pick<Stated, 'formula'> & Partial<Stated>,
  defines: Readonly<Record<string, number>> = { FIRST: 0 },
): Stated => ({
  name: symbol,
  dims: { rows: {}, width: {} },
  served: [served],
  inputs: { x: f32('rows', 'width') },
  outputs: { y: f32('rows', 'width') },
  args: ['x', 'y', 'width'],
  accumulator: 'none',
  launch: {
    cuda: {
      symbol,
      threads: 1,
      grid: (shape) => [sizeOf(shape, 'rows')],
      depth: (shape) => sizeOf(shape, 'width'),
      defines,
    },
  },
  ...rest,
});

const halves = (symbol: string): Stated =>
  perRow(symbol, { rows: 3, width: 40 }, { formula: rows('width', 'y = x * 0.5') });

test('H01: zeros are red for a softmax whose outputs are all far below any tolerance that people use', async () => {
  const text = rows('width', 'e = exp(x - max(x)); y = e / sum(e)');
  const tensors = [{ x: f32('rows', 'width') }, { y: f32('rows', 'width') }] as const;
  const shape = { rows: 1, width: 65536 };
  const problem = problemOf(text, ...tensors, {}, ['rows', 'width']);
  const { y = new Float64Array(0) } = reference(problem, ordinaryInputs(tensors[0], shape, {}, '1'));
  expect(y.every((value) => value > 0 && value < 1e-4)).toBe(true);

  const result = await verdict(perRow('zeros', shape, { formula: text, accumulator: 'f32' }), SOURCE, 'shapes');
  expect(result.status).toBe('fail');
  expect(classes(result)).toEqual(['value']);
  expect(result.findings[0]?.what).toBe('65,536 of 65,536 outputs past the bound');
});

test('H01: a formula whose answer is one constant is refused, whether the kernel computes it or not', async () => {
  for (const symbol of ['weighs_by_zero', 'weighs']) {
    const constant = perRow(
      symbol,
      { rows: 8, width: 16 },
      {
        outputs: { y: f32('rows') },
        scalars: { weight: 0 },
        args: ['x', 'y', 'width', 'weight'],
        formula: rows('width', 'y = sum(x * weight)'),
        accumulator: 'f32',
      },
    );
    const result = await verdict(constant, SOURCE, 'shapes');
    expect(result.status).toBe('fail');
    expect(classes(result)).toEqual(['weak']);
  }
});

test('H02: a kernel that sets its inputs to 0 and returns zeros is red for both', async () => {
  expect(classes(await verdict(halves('zeroes_inputs'), SOURCE, 'shapes'))).toEqual(['value', 'input']);
  expect(classes(await verdict(halves('zeroes_inputs'), SOURCE, 'repeat'))).toEqual(['input']);
});

test('H02: a kernel that writes nothing is red as unwritten, though the right answer lay there before', async () => {
  for (const gate of ['repeat', 'shapes'] as const) {
    expect((await verdict(halves('halves'), SOURCE, gate)).status).toBe('pass');
    const result = await verdict(halves('nothing'), SOURCE, gate);
    expect(result.status).toBe('fail');
    expect(classes(result)).toEqual(['unwritten']);
    expect(result.findings[0]?.what).toBe('120 of 120 outputs unwritten, the first y[0, 0]');
  }
});

const stateful = (first: number): Stated =>
  perRow('halves_at_first', { rows: 1, width: 8 }, { formula: rows('width', 'y = x * 0.5') }, { FIRST: first });

test('H03: a kernel that is right for two launches alone is red, right for a thousand it is a known miss', async () => {
  expect(classes(await verdict(stateful(2), SOURCE, 'repeat'))).toEqual(['different']);
  const results = await judge(stateful(1000), { cuda: SOURCE });
  expect(results.map((result) => result.status)).toEqual(['pass', 'pass', 'pass', 'pass']);
});

test('H03: each gate begins with the state of a freshly loaded image', async () => {
  for (let run = 0; run < 4; run++) {
    expect((await verdict(stateful(20), SOURCE, 'repeat')).status).toBe('pass');
    expect((await verdict(stateful(20), SOURCE, 'nonfinite', { only: BASIC })).status).toBe('pass');
  }
});
