/** Small problems that several tests share. */
import type { Problem } from '../../src/families/problem.ts';
import { problemOf } from '../../src/families/problem.ts';
import type { Tensor } from '../../src/families/tensor.ts';
import type { Arithmetic } from '../../src/families/formula/range.ts';
import { limitOf } from '../../src/families/libraries/library.ts';

export const bf16 = (...dims: string[]): Tensor => ({ dtype: 'bf16', dims });
export const f32 = (...dims: string[]): Tensor => ({ dtype: 'f32', dims });

export const L2 = problemOf(
  { family: 'rows', over: 'width', text: 's = bf16(x + r); y = bf16(s / sqrt(sum(s * s) + eps))' },
  { x: bf16('rows', 'width'), r: bf16('rows', 'width') },
  { y: bf16('rows', 'width') },
  { eps: 1e-6 },
  ['rows', 'width'],
);

export const SLERP = problemOf(
  {
    family: 'rows',
    over: 'width',
    text: 'l2(v) = v / sqrt(sum(v * v) + eps); a = bf16(l2(res)); b = bf16(l2(out)); z = a + lr * (b - a); h = bf16(l2(z))',
  },
  { res: bf16('rows', 'width'), out: bf16('rows', 'width'), lr: f32('width') },
  { h: bf16('rows', 'width') },
  { eps: 1e-6 },
  ['rows', 'width'],
);

export const SUM = problemOf(
  { family: 'rows', over: 'width', text: 'y = sum(x)' },
  { x: bf16('rows', 'width') },
  { y: f32('rows') },
  {},
  ['rows', 'width'],
);

export const SOFTMAX = problemOf(
  { family: 'rows', over: 'width', text: 'e = exp(x - max(x)); y = e / sum(e)' },
  { x: f32('rows', 'width') },
  { y: f32('rows', 'width') },
  {},
  ['rows', 'width'],
);

export const DENSE = problemOf(
  { family: 'dense', over: 'k', text: 'y = bf16(sum(x * w))' },
  { x: bf16('rows', 'k'), w: bf16('n', 'k') },
  { y: bf16('rows', 'n') },
  {},
  ['rows', 'k', 'n'],
);

export const affineProblem = (bits: number): Problem =>
  problemOf(
    { family: 'affine', over: 'k', factored: true, text: 'y = bf16(sum(x * (scale * q + bias)))' },
    {
      x: bf16('rows', 'k'),
      q: { dtype: 'u32', dims: ['n', 'k'], bits },
      scale: { ...bf16('n', 'k'), group: 64 },
      bias: { ...bf16('n', 'k'), group: 64 },
    },
    { y: bf16('rows', 'n') },
    {},
    ['rows', 'k', 'n'],
  );

/** A sum of the given depth, by CUDA's functions, subnormals kept. */
export const arithmetic = (depth: number): Arithmetic => ({ depth, flush: false, error: (op) => limitOf(op, 'cuda') });
