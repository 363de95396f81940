/** What gate 4 sees of an accumulator by itself: the bits that a sum keeps where few of its terms meet, and what it says of it. */
import { expect, test } from 'bun:test';
import { bf16, f32, rows } from '../../src/spec/contract.ts';
import type { Stated } from '../faults/harness.ts';
import { verdict } from '../faults/harness.ts';

const THREADS = 32;

/** A group of 32 a row, whose threads sum `steps` values each and meet in an fp32 tree, but where an edit says otherwise. */
const source = ({ term = 'v', step = 'sum + term', end = 'sum', tree = 'a + b', total = 's[0]' } = {}): string => `
#include <cuda_bf16.h>
#include <cuda_fp16.h>
static __device__ float half_of(float x) { return __half2float(__float2half_rn(x)); }
static __device__ float bf16_of(float x) { return __bfloat162float(__float2bfloat16_rn(x)); }
static __device__ float cut(float x, int bits) { return __uint_as_float(__float_as_uint(x) & ~0u << (24 - bits)); }
extern "C" __global__ void k(const __nv_bfloat16* x, float* y, unsigned width) {
  __shared__ float s[${THREADS}];
  const __nv_bfloat16* bf = x + size_t(blockIdx.x) * width;
  float sum = 0.0f;
  for (unsigned i = threadIdx.x; i < width; i += ${THREADS}) {
    const float v = __bfloat162float(bf[i]), term = ${term};
    sum = ${step};
  }
  s[threadIdx.x] = ${end};
  __syncthreads();
  for (int h = ${THREADS / 2}; h > 0; h /= 2) {
    const float a = s[threadIdx.x], b = s[(threadIdx.x + h) % ${THREADS}];
    __syncthreads();
    if (threadIdx.x < h) s[threadIdx.x] = ${tree};
    __syncthreads();
  }
  if (threadIdx.x == 0) y[blockIdx.x] = ${total};
}
`;

const WIDTH = 200;
const contract = (change: Partial<Stated> = {}): Stated => ({
  name: 'k',
  dims: { rows: { least: 1 }, width: { tile: 64, step: 8, least: 8 } },
  served: [{ rows: [1, 24], width: WIDTH }],
  inputs: { x: bf16('rows', 'width') },
  outputs: { y: f32('rows') },
  args: ['x', 'y', 'width'],
  formula: rows('width', 'y = sum(x)'),
  accumulator: 'f32',
  launch: {
    cuda: {
      symbol: 'k',
      threads: THREADS,
      grid: ({ rows: n = 1 }) => [n],
      depth: ({ width = 1 }) => Math.ceil(width / THREADS) + 5,
    },
  },
  ...change,
});

const masks = { only: (address: string): boolean => address.includes('data=masks') };
const told = async (edit: Parameters<typeof source>[0], change?: Partial<Stated>): Promise<string[]> => {
  const { findings } = await verdict(contract(change), source(edit), 'sums', masks);
  return findings.filter(({ cause }) => cause.code === 'kept-bits').map(({ what, why }) => `${what}. ${why}`);
};

const HALF = /keeps 11 bits .* An accumulator in half keeps 11 bits, and overflows past 65,504/;
const BF16 = /keeps 8 bits where fp32 keeps 24: .* An accumulator in bf16 keeps 8 bits\.$/;
const TF32 = /keeps 11 bits .* An accumulator in tf32 keeps 11 bits; it is not half/;

test.each<[string, Parameters<typeof source>[0], RegExp]>([
  ['a chain in bf16', { step: 'bf16_of(sum + term)' }, BF16],
  ['a chain in half', { step: 'half_of(sum + term)' }, HALF],
  ['a chain in tf32', { step: 'cut(sum + term, 11)' }, TF32],
  ['a chain that cuts bf16 off', { step: 'cut(sum + term, 8)' }, BF16],
  ['the same, two terms long', { step: 'i < 64 ? half_of(sum + term) : sum + term' }, HALF],
  ['partial sums rounded at their end', { end: 'half_of(sum)' }, HALF],
  ['a tree over lanes', { tree: 'bf16_of(a + b)' }, BF16],
  ['the last meeting of a tree', { tree: 'h == 1 ? half_of(a + b) : a + b' }, HALF],
  ['the total, in an fp32 output', { total: 'bf16_of(s[0])' }, BF16],
  [
    '14 bits, which no type has',
    { step: 'cut(sum + term, 14)' },
    /^sum\(x\) keeps 14 bits where fp32 keeps 24: [^.]*\. 2\^14 \+ 1 gives 2\^14 where [^.]*\.$/,
  ],
])('%s is red', async (_what, edit, expected) => {
  const findings = await told(edit);
  expect(findings).toHaveLength(1);
  expect(findings[0]).toMatch(expected);
});

test.each<[string, Parameters<typeof source>[0], Partial<Stated>]>([
  ['fp32', {}, {}],
  ['a chain in double', { step: 'float(double(sum) + double(term))' }, {}],
  [
    'terms that are scaled, as the formula says',
    { term: 'v * (1.0f / width)' },
    { formula: rows('width', 'y = sum(x * rcp(width))') },
  ],
  ['a mean', { total: 's[0] / width' }, { formula: rows('width', 'y = mean(x)') }],
])('%s is green', async (_what, edit, change) => {
  expect(await told(edit, change)).toEqual([]);
});

/** The exact integers' finding. */
const why = async (edit: Parameters<typeof source>[0]): Promise<string> => {
  const exact = (address: string): boolean => !address.includes('data=');
  const { findings } = await verdict(
    contract({ unproven: { accumulators: ['f16', 'bf16'], because: 'a short row' } }),
    source(edit),
    'sums',
    { only: exact },
  );
  expect(findings.map(({ cause }) => cause.code)).toEqual(['value']);
  return findings[0]?.why ?? '';
};

test.each<[string, Parameters<typeof source>[0], RegExp]>([
  ['bits', { step: 'bf16_of(sum + term)' }, BF16],
  ['scaled terms', { term: 'v * (1.0f / width)', total: 's[0] * width' }, /terms are no integers/],
  ['a dropped term', { term: 'i == 5 ? 0.0f : v' }, /1 of 200 terms are not in sum\(x\): 5\.$/],
  ['a term that counts twice', { term: 'i == 7 ? 2.0f * v : v' }, /1 of 200 terms are twice in sum\(x\): 7\.$/],
  ['a factor', { total: '2.0f * s[0]' }, /Every output is 2 times what it should be\.$/],
  ['nothing that is known', { total: 's[0] + 1.0f' }, /no rounding of an fp32 sum explains it\.$/],
])('exact integers that are off say why: %s', async (_what, edit, expected) => {
  expect(await why(edit)).toMatch(expected);
});
