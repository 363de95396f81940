import { edit, f32, kernel, rows } from '#contract';

const THREADS = 256;

/** y = max(x); a NaN in a row is its maximum. */
export default kernel({
  name: 'row_max',
  dims: { rows: { least: 1 }, width: { tile: 4 * THREADS, step: 4, least: 4 } },
  served: [
    { rows: [1, 4, 128], width: 2048 },
    { rows: [2, 17], width: 5120 },
    { rows: [1, 16], width: 8192 },
    { rows: 3, width: 2564 },
  ],
  inputs: { x: f32('rows', 'width') },
  outputs: { y: f32('rows') },
  args: ['x', 'y', 'width'],
  formula: rows('width', 'y = max(x)'),
  nan: 'propagate',
  accumulator: 'none',
  rowIndependent: 'rows',
  launch: {
    everywhere: {
      symbol: 'tf_row_max',
      warp: { xpu: 32 },
      threads: THREADS,
      grid: ({ rows }) => [rows],
      depth: () => 0,
    },
  },
  controls: [
    {
      fault: 'every second tile, or the partial one, is skipped',
      reddens: 'shapes',
      finding: 'value',
      edit: {
        cuda: edit('first += THREADS * VECTOR<float>', 'first += 2 * THREADS * VECTOR<float>'),
        hip: edit('first += THREADS * VECTOR<float>', 'first += 2 * THREADS * VECTOR<float>'),
        metal: edit('pack < width / 4; pack', 'pack < width / 4 / THREADS * THREADS; pack'),
        xpu: edit('quad < width / 4; quad', 'quad < width / 4 / THREADS * THREADS; quad'),
      },
    },
    {
      fault: "the group's maximum is its first warp's",
      reddens: 'shapes',
      finding: 'value',
      edit: {
        cuda: edit('y[blockIdx.x] = max_partials(partials);', 'y[blockIdx.x] = partials[0];'),
        hip: edit('y[blockIdx.x] = max_partials(partials);', 'y[blockIdx.x] = partials[0];'),
        metal: edit('const float total = max_partials(partials);', 'const float total = partials[0];'),
        xpu: edit('const float total = max_partials(partials);', 'const float total = partials[0];'),
      },
    },
  ],
});
