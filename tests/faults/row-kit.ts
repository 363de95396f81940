/** What the gates say of one source, in one line, and contracts of one group a row. */
import { f32, rows } from '#contract';
import type { Dialect } from '../../src/families/formula/functions.ts';
import type { Shape } from '../../src/families/tensor.ts';
import { sizeOf } from '../../src/families/tensor.ts';
import type { FaultOptions, Stated } from './harness.ts';
import { classes, judge } from './harness.ts';

/** `pass` where every gate passes, else `gate status classes` of each that does not. */
export async function all(
  stated: Stated,
  source: string,
  dialect: Dialect = 'cuda',
  options: FaultOptions = {},
): Promise<string> {
  const gates = (await judge(stated, { [dialect]: source }, options)).filter((result) => result.kind === 'gate');
  const bad = gates.filter(({ status }) => status !== 'pass');
  return bad.length === 0
    ? 'pass'
    : bad.map((gate) => `${gate.gate} ${gate.status} ${classes(gate).join(',')}`).join('; ');
}

/** y = x + x over f32 [rows, width], one group a row, unless said otherwise. */
export const perRow = (
  threads: number,
  rest: Partial<Stated> = {},
  dialect: Dialect = 'cuda',
  depth?: number,
): Stated => ({
  name: 'fault',
  dims: { rows: { least: 1 }, width: {} },
  served: [{ rows: [1, 4], width: 64 }],
  inputs: { x: f32('rows', 'width') },
  outputs: { y: f32('rows', 'width') },
  args: ['x', 'y', 'width'],
  formula: rows('width', 'y = x + x'),
  accumulator: 'none',
  launch: {
    [dialect]: {
      symbol: 'k',
      threads,
      warp: { [dialect]: 32 }, // what other widths show is a test of its own
      grid: (shape: Shape) => [sizeOf(shape, 'rows')],
      depth: (shape: Shape) => depth ?? sizeOf(shape, 'width'),
    },
  },
  ...rest,
});

/** An elementwise kernel k(x, y, width) of `v`. */
export const each = (value: string): string => `
extern "C" __global__ void k(const float* x, float* y, unsigned width) {
  for (unsigned i = threadIdx.x; i < width; i += blockDim.x) {
    const size_t at = size_t(blockIdx.x) * width + i;
    const float v = x[at];
    y[at] = ${value};
  }
}`;
