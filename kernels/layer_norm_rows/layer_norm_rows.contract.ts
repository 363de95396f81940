import { bf16, edit, kernel, rows } from '#contract';

const THREADS = 256;
/** A warp's xor tree and its group's 8 partials. */
const TREE = Math.log2(32) + THREADS / 32 - 1;

/** d = x - mean(x); y = bf16(d · rsqrt(mean(d²) + eps) · w + b): the mean first, then the squares about it. */
export default kernel({
  name: 'layer_norm_rows',
  dims: { rows: { least: 1 }, width: { tile: 1 * THREADS, step: 1, least: 1 } },
  served: [
    { rows: [1, 4, 128], width: 2048 },
    { rows: [2, 17], width: 5120 },
    { rows: [1, 16], width: 8192 },
    { rows: 3, width: 2561 },
  ],
  inputs: { x: bf16('rows', 'width'), w: bf16('width'), b: bf16('width') },
  outputs: { y: bf16('rows', 'width') },
  scalars: { eps: 1e-5 },
  args: ['x', 'w', 'b', 'y', 'width', 'eps'],
  formula: rows('width', 'd = x - mean(x); y = d * rsqrt(mean(d * d) + eps) * w + b'),
  nan: 'propagate',
  accumulator: 'f32',
  rowIndependent: 'rows',
  fills: { x: 'normal', w: 'near-one' },
  launch: {
    everywhere: {
      symbol: 'tf_layer_norm_rows',
      warp: { xpu: 32 },
      threads: THREADS,
      grid: ({ rows }) => [rows],
      depth: ({ width }) => 1 * Math.ceil(width / (1 * THREADS)) + TREE,
    },
  },
  controls: [
    {
      fault: 'the mean is not subtracted',
      reddens: 'shapes',
      finding: 'value',
      edit: {
        cuda: edit('const float mu = sum_partials(mean_partials) / float(width);', 'const float mu = 0.0f;'),
        hip: edit('const float mu = sum_partials(mean_partials) / float(width);', 'const float mu = 0.0f;'),
        metal: edit('sum_partials(partials_sum) / float(width)', '0.0f'),
        xpu: edit('sum_partials(partials_sum) / (float)width', '0.0f'),
      },
    },
    {
      fault: 'the bias is left out',
      reddens: 'shapes',
      finding: 'value',
      edit: {
        cuda: edit(
          'fmaf(d * scale, __bfloat162float(w[i]), __bfloat162float(b[i]))',
          'd * scale * __bfloat162float(w[i])',
        ),
        hip: edit('fmaf(d * scale, to_f32(w[i]), to_f32(b[i]))', 'd * scale * to_f32(w[i])'),
      },
    },
    {
      fault: 'the variance is over the threads, not the width',
      reddens: 'shapes',
      finding: 'value',
      edit: {
        cuda: edit(
          'const float mean_square = sum_partials(square_partials) / float(width);',
          'const float mean_square = sum_partials(square_partials) / float(THREADS);',
        ),
        hip: edit(
          'const float mean_square = sum_partials(square_partials) / float(width);',
          'const float mean_square = sum_partials(square_partials) / float(THREADS);',
        ),
        metal: edit('sum_partials(partials_squares) / float(width)', 'sum_partials(partials_squares) / float(THREADS)'),
        xpu: edit('sum_partials(partials_squares) / (float)width', 'sum_partials(partials_squares) / (float)THREADS'),
      },
    },
  ],
});
