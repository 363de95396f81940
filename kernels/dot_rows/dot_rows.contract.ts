import { bf16, edit, f32, kernel, rows } from '#contract';

const THREADS = 256;
/** A warp's xor tree and its group's 8 partials. */
const TREE = Math.log2(32) + THREADS / 32 - 1;

/** y = Σ x · w, products fused into fp32 sums. */
export default kernel({
  name: 'dot_rows',
  dims: { rows: { least: 1 }, width: { tile: 1 * THREADS, step: 1, least: 1 } },
  served: [
    { rows: [1, 4, 128], width: 2048 },
    { rows: [2, 17], width: 5120 },
    { rows: [1, 16], width: 8192 },
    { rows: 3, width: 2561 },
  ],
  inputs: { x: bf16('rows', 'width'), w: bf16('width') },
  outputs: { y: f32('rows') },
  args: ['x', 'w', 'y', 'width'],
  formula: rows('width', 'y = sum(x * w)'),
  nan: 'propagate',
  accumulator: 'f32',
  rowIndependent: 'rows',
  launch: {
    everywhere: {
      symbol: 'tf_dot_rows',
      warp: { xpu: 32 },
      threads: THREADS,
      grid: ({ rows }) => [rows],
      depth: ({ width }) => 1 * Math.ceil(width / (1 * THREADS)) + TREE,
    },
  },
  controls: [
    {
      fault: "the row's tail is lost",
      reddens: 'shapes',
      finding: 'value',
      edit: {
        cuda: edit('i < width; i += THREADS', 'i < width - 1; i += THREADS'),
        hip: edit('i < width; i += THREADS', 'i < width - 1; i += THREADS'),
        metal: edit('i < width; i += THREADS', 'i < width / THREADS * THREADS; i += THREADS'),
        xpu: edit('i < width; i += THREADS', 'i < width / THREADS * THREADS; i += THREADS'),
      },
    },
    {
      fault: "the group's sum is its first warp's",
      reddens: 'shapes',
      finding: 'value',
      edit: {
        cuda: edit('float(sum_partials(partials))', 'float(partials[0])'),
        hip: edit('float(sum_partials(partials))', 'float(partials[0])'),
        metal: edit('const accumulator total = sum_partials(partials);', 'const accumulator total = partials[0];'),
        xpu: edit('const accumulator total = sum_partials(partials);', 'const accumulator total = partials[0];'),
      },
    },
  ],
});
