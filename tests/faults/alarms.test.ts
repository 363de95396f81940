/** Right kernels that a gate could take for wrong ones. */
import { describe, expect, test } from 'bun:test';
import type { Contract } from '../../src/spec/contract.ts';
import { f32, rows, rule, u32 } from '../../src/spec/contract.ts';
import { judge } from './harness.ts';

const elementwise = {
  name: 'k',
  dims: { rows: { least: 1 }, width: { least: 1 } },
  served: [{ rows: [1, 4], width: 1024 }],
  inputs: { x: f32('rows', 'width') },
  outputs: { y: f32('rows', 'width') },
  args: ['x', 'y', 'width'],
  accumulator: 'none',
  launch: { cuda: { symbol: 'k', threads: 32, grid: ({ rows: n = 1 }) => [n], depth: () => 0 } },
} satisfies Partial<Contract>;

const source = (type: string, value: string): string => `
extern "C" __global__ void k(const ${type}* x, ${type}* y, unsigned width) {
  for (unsigned i = threadIdx.x; i < width; i += blockDim.x) {
    const size_t at = size_t(blockIdx.x) * width + i;
    const ${type} v = x[at];
    y[at] = ${value};
  }
}
`;

async function reds(stated: Parameters<typeof judge>[0], text: string): Promise<string[]> {
  const results = await judge(stated, { cuda: text });
  return results.filter(({ status }) => status !== 'pass').map(({ gate, status }) => `${gate} ${status}`);
}

describe('a sigmoid', () => {
  const stated = { ...elementwise, formula: rows('width', 'y = sigmoid(x)'), fills: { x: 'normal' } } as const;
  test.each([
    ['in the steps of its formula', '1.0f / (1.0f + expf(-v))'],
    ['of a branch that never overflows', 'v < 0 ? expf(v) / (1.0f + expf(v)) : 1.0f / (1.0f + expf(-v))'],
  ])('%s', async (_name, value) => {
    expect(await reds(stated, source('float', value))).toEqual([]);
  });

  test('by an exponential of half precision is red', async () => {
    const value = '1.0f / (1.0f + __half2float(__float2half(expf(-v))))';
    expect(await reds(stated, `#include <cuda_fp16.h>\n${source('float', value)}`)).toContain('shapes fail');
  });
});

test('integers alone: no NaN can be planted, which is no failure', async () => {
  const stated = {
    ...elementwise,
    inputs: { x: u32('rows', 'width') },
    outputs: { y: u32('rows', 'width') },
    nan: 'rule',
    fills: { x: 'codes' },
    formula: rule('width', 'x + 1', ({ x = new Float64Array(0) }) => ({ y: Uint32Array.from(x, (v) => v + 1) })),
  } as const;
  expect(await reds(stated, source('unsigned', 'v + 1u'))).toEqual([]);
  expect(await reds(stated, source('unsigned', 'v + 2u'))).toEqual(['shapes fail']);
});

test('terms that are scaled before they are summed, where the formula says so', async () => {
  const text = `
extern "C" __global__ void k(const float* x, float* y, unsigned width) {
  float sum = 0.0f;
  for (unsigned i = 0; i < width; i++) sum += x[size_t(blockIdx.x) * width + i] * (1.0f / width);
  y[blockIdx.x] = sum;
}
`;
  const stated = (formula: string): Parameters<typeof judge>[0] => ({
    ...elementwise,
    outputs: { y: f32('rows') },
    accumulator: 'f32',
    served: [{ rows: [1, 4], width: 1000 }], // 1 / 1024 would scale exactly
    unproven: { accumulators: ['f16', 'bf16'], because: 'scaled terms are no integers' },
    fills: { x: 'normal' },
    formula: rows('width', formula),
    launch: { cuda: { ...elementwise.launch.cuda, threads: 1, depth: ({ width = 1 }) => width } },
  });
  expect(await reds(stated('y = sum(x * rcp(width))'), text)).toEqual([]);
  expect(await reds(stated('y = mean(x)'), text)).toEqual(['sums fail']);
});
