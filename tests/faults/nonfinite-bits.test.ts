/** A NaN whose bits a kernel reads. */
import { expect, test } from 'bun:test';
import { bf16, rows } from '../../src/spec/contract.ts';
import { all, perRow } from './row-kit.ts';

/** bf16 by adding half a place, which makes -0 of NVIDIA's own NaN, 0x7fffffff, unless NaN is kept apart. */
const doubled = (guard: string): string => `
__device__ unsigned short to_bf16(float v) {
  const unsigned bits = __float_as_uint(v);
  ${guard}
  return (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
}
extern "C" __global__ void k(const unsigned short* x, unsigned short* y, unsigned width) {
  for (unsigned i = threadIdx.x; i < width; i += blockDim.x) {
    const size_t at = size_t(blockIdx.x) * width + i;
    y[at] = to_bf16(2.0f * __uint_as_float(unsigned(x[at]) << 16));
  }
}`;

test('bf16 by its bits is red without a guard for NaN, whose bits in CUDA are all ones', async () => {
  const tensors = { inputs: { x: bf16('rows', 'width') }, outputs: { y: bf16('rows', 'width') } };
  const stated = perRow(32, { ...tensors, formula: rows('width', 'y = x * 2') });
  expect(await all(stated, doubled('if (v != v) return 0x7fc0;'))).toBe('pass');
  expect(await all(stated, doubled(''))).toBe('nonfinite fail class');
});
