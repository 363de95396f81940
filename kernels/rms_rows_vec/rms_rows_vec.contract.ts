import { bf16, edit, kernel, rows } from '#contract';

const THREADS = 256;
/** A warp's xor tree and its group's 8 partials. */
const TREE = Math.log2(32) + THREADS / 32 - 1;

/** y = bf16(x · rsqrt(mean(x²) + eps) · w) by 16-byte loads: the bits of rms_rows_bf16. */
export default kernel({
  name: 'rms_rows_vec_bf16',
  dims: { rows: { least: 1 }, width: { tile: 8 * THREADS, step: 8, least: 8 } },
  served: [
    { rows: [1, 4, 128], width: 2048 },
    { rows: [2, 17], width: 5120 },
    { rows: [1, 16], width: 8192 },
    { rows: 3, width: 2568 },
  ],
  inputs: { x: bf16('rows', 'width'), w: bf16('width') },
  outputs: { y: bf16('rows', 'width') },
  scalars: { eps: 1e-6 },
  args: ['x', 'w', 'y', 'width', 'eps'],
  formula: rows('width', 'y = x * rsqrt(mean(x * x) + eps) * w'),
  nan: 'propagate',
  accumulator: 'f32',
  unproven: {
    accumulators: ['bf16'],
    because: 'the scale of a bf16 sum of squares is off by less than 100 output ulps',
  },
  replaces: 'rms_rows_bf16',
  rowIndependent: 'rows',
  fills: { x: 'normal', w: 'near-one' },
  launch: {
    everywhere: {
      symbol: 'tf_rms_rows_vec_bf16',
      warp: { xpu: 32 },
      threads: THREADS,
      grid: ({ rows }) => [rows],
      depth: ({ width }) => 8 * Math.ceil(width / (8 * THREADS)) + TREE,
    },
  },
  controls: [
    {
      fault: 'the mean is over the threads, not the width',
      reddens: 'shapes',
      finding: 'bits',
      edit: {
        cuda: edit('/ float(width)', '/ float(THREADS)'),
        hip: edit('/ float(width)', '/ float(THREADS)'),
        metal: edit('total / float(width)', 'total / float(THREADS)'),
        xpu: edit('total / (float)width', 'total / (float)THREADS'),
      },
    },
    {
      fault: 'the norm is rounded to bf16 before the weight',
      reddens: 'shapes',
      finding: 'bits',
      edit: {
        cuda: edit(
          'values[j] = values[j] * scale * weights[j];',
          'values[j] = round_bf16(values[j] * scale) * weights[j];',
        ),
        hip: edit(
          'values[j] = values[j] * scale * weights[j];',
          'values[j] = round_bf16(values[j] * scale) * weights[j];',
        ),
      },
    },
    {
      fault: 'a partial tail is dropped',
      reddens: 'shapes',
      finding: 'unwritten',
      edit: {
        metal: edit('packs = width / 8;', 'packs = width / 8 / THREADS * THREADS;'),
        xpu: edit('packs = width / PACK;', 'packs = width / PACK / THREADS * THREADS;'),
      },
    },
  ],
});
