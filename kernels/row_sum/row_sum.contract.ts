import { bf16, edit, f32, kernel, rows } from '#contract';

const THREADS = 256;
/** A warp's xor tree and its group's 8 partials. */
const TREE = Math.log2(32) + THREADS / 32 - 1;

/** y = Σ x, summed in fp32 and written as it is. */
export default kernel({
  name: 'row_sum',
  dims: { rows: { least: 1 }, width: { tile: 8 * THREADS, step: 8, least: 8 } },
  served: [
    { rows: [1, 4, 128], width: 2048 },
    { rows: [2, 17], width: 5120 },
    { rows: [1, 16], width: 8192 },
    { rows: 3, width: 2568 },
  ],
  inputs: { x: bf16('rows', 'width') },
  outputs: { y: f32('rows') },
  args: ['x', 'y', 'width'],
  formula: rows('width', 'y = sum(x)'),
  nan: 'propagate',
  accumulator: 'f32',
  rowIndependent: 'rows',
  fills: { x: 'binades' }, // sums of one binade are exact in any order
  launch: {
    everywhere: {
      symbol: 'tf_row_sum',
      warp: { xpu: 32 },
      threads: THREADS,
      grid: ({ rows }) => [rows],
      depth: ({ width }) => 8 * Math.ceil(width / (8 * THREADS)) + TREE,
    },
  },
  controls: [
    {
      fault: 'the barrier before the partials are read is missing',
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
        metal: edit('threadgroup_barrier(mem_flags::mem_threadgroup);', ''),
        xpu: edit('barrier(CLK_LOCAL_MEM_FENCE);', ''),
      },
    },
    {
      fault: "the group's sum is its first warp's",
      reddens: 'shapes',
      finding: 'value',
      edit: {
        cuda: edit('y[blockIdx.x] = sum_partials(partials);', 'y[blockIdx.x] = partials[0];'),
        hip: edit('y[blockIdx.x] = sum_partials(partials);', 'y[blockIdx.x] = partials[0];'),
        metal: edit('const float total = sum_partials(partials);', 'const float total = partials[0];'),
        xpu: edit('const float total = sum_partials(partials);', 'const float total = partials[0];'),
      },
    },
  ],
});
