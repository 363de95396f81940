import { bf16, edit, kernel, rows } from '#contract';

const THREADS = 256;
/** A warp's xor tree and its group's 8 partials. */
const TREE = Math.log2(32) + THREADS / 32 - 1;

/** s = bf16(x + r); y = bf16(s / √(Σ s² + eps)): eps on the sum, fp32 between the rounding points. */
export default kernel({
  name: 'l2_rows',
  dims: { rows: { least: 1 }, width: { tile: 8 * THREADS, step: 8, least: 8 } },
  served: [
    { rows: [1, 4, 128], width: 2048 },
    { rows: [2, 17], width: 5120 },
    { rows: [1, 16], width: 8192 },
    { rows: 3, width: 2568 },
  ],
  inputs: { x: bf16('rows', 'width'), r: bf16('rows', 'width') },
  outputs: { y: bf16('rows', 'width') },
  scalars: { eps: 1e-6 },
  args: ['x', 'r', 'y', 'width', 'eps'],
  formula: rows('width', 's = bf16(x + r); y = bf16(s / sqrt(sum(s * s) + eps))'),
  nan: 'propagate',
  accumulator: 'f32',
  unproven: {
    accumulators: ['bf16'],
    because: 'the scale of a bf16 sum of squares is off by less than 100 output ulps',
  },
  rowIndependent: 'rows',
  fills: { x: 'normal' },
  launch: {
    everywhere: {
      symbol: 'tf_l2_rows',
      warp: { xpu: 32 },
      threads: THREADS,
      grid: ({ rows }) => [rows],
      depth: ({ width }) => 8 * Math.ceil(width / (8 * THREADS)) + TREE,
    },
  },
  controls: [
    {
      fault: 'x + r is not rounded',
      reddens: 'shapes',
      finding: 'value',
      drops: 's',
      edit: {
        cuda: edit('s[step][j] = round_bf16(s[step][j] + residual[j]);', 's[step][j] = s[step][j] + residual[j];'),
        hip: edit('s[step][j] = round_bf16(s[step][j] + residual[j]);', 's[step][j] = s[step][j] + residual[j];'),
        metal: edit('float(bfloat(a[i] + b[i]))', 'a[i] + b[i]'),
        xpu: edit(
          'from_bf16(to_bf16(load_pack(x, pack) + load_pack(r, pack)))',
          'load_pack(x, pack) + load_pack(r, pack)',
        ),
      },
    },
    {
      fault: 'the residual is left out',
      reddens: 'shapes',
      finding: 'value',
      edit: {
        cuda: edit('round_bf16(s[step][j] + residual[j])', 'round_bf16(s[step][j])'),
        hip: edit('round_bf16(s[step][j] + residual[j])', 'round_bf16(s[step][j])'),
      },
    },
    {
      fault: 'the barrier is missing',
      reddens: 'shapes',
      finding: 'value',
      needs: 'schedules',
      edit: {
        cuda: edit(
          `  __syncthreads();
`,
          '',
        ),
        hip: edit(
          `  __syncthreads();
`,
          '',
        ),
      },
    },
    {
      fault: 'the mean of the squares is taken, not their sum',
      reddens: 'shapes',
      finding: 'value',
      edit: {
        metal: edit('total + eps', 'total / float(width) + eps'),
        xpu: edit('total + eps', 'total / (float)width + eps'),
      },
    },
  ],
});
