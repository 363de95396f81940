import { bf16, dense, edit, kernel } from '#contract';

const THREADS = 256;
const LANES = 32;
/** Rows that one pass over the weights serves, a warp an output column. */
const VEC_ROWS = 8;

/** y = bf16(Σ x · w) against bf16 weights of [n, k], K contiguous: a warp a column for few rows, 32 x 64 tiles above. */
export default kernel({
  name: 'dense_rows',
  dims: {
    rows: { tile: VEC_ROWS, step: 1, least: 1 },
    k: { tile: 8 * LANES, step: 8, least: 8 },
    n: { tile: 64, step: 1, least: 1 },
  },
  served: [
    { rows: [1, 8], k: 4096, n: 4096 },
    { rows: 1, k: 8192, n: 8192 },
    { rows: [4, 17], k: 576, n: 1000 },
    { rows: 32, k: 4096, n: 1024 },
  ],
  inputs: { x: bf16('rows', 'k'), w: bf16('n', 'k') },
  outputs: { y: bf16('rows', 'n') },
  args: ['x', 'w', 'y', 'rows', 'k', 'n'],
  formula: dense('k', 'y = sum(x * w)'),
  nan: 'propagate',
  accumulator: 'f32',
  launch: {
    everywhere: [
      {
        symbol: 'tf_dense_rows_vec',
        warp: { xpu: 32 },
        when: ({ rows }) => rows <= VEC_ROWS,
        threads: THREADS,
        grid: ({ n }) => [Math.ceil(n / (THREADS / LANES))],
        depth: ({ k }) => 8 * Math.ceil(k / (8 * LANES)) + Math.log2(LANES),
      },
      {
        symbol: 'tf_dense_rows_tile',
        warp: { xpu: 32 },
        threads: THREADS,
        grid: ({ n, rows }) => [Math.ceil(n / 64), Math.ceil(rows / 32)],
        depth: ({ k }) => k,
      },
    ],
  },
  controls: [
    {
      fault: 'the tail of K is dropped, a warp a column',
      reddens: 'shapes',
      finding: 'value',
      edit: {
        cuda: edit(
          'first < k; first += LANES * VECTOR<bf16>',
          'first < k / (LANES * VECTOR<bf16>) * (LANES * VECTOR<bf16>); first += LANES * VECTOR<bf16>',
        ),
        hip: edit(
          'first < k; first += LANES * VECTOR<bf16>',
          'first < k / (LANES * VECTOR<bf16>) * (LANES * VECTOR<bf16>); first += LANES * VECTOR<bf16>',
        ),
        metal: edit('pack < k / 8; pack += LANES', 'pack < k / 8 / LANES * LANES; pack += LANES'),
        xpu: edit('pack < k / PACK; pack += LANES', 'pack < k / PACK / LANES * LANES; pack += LANES'),
      },
    },
    {
      fault: 'the last row is dropped',
      reddens: 'shapes',
      finding: 'value',
      edit: {
        cuda: edit(
          'const float sum = warp_sum(sums[row]);',
          'const float sum = row > 0 && row + 1 == rows ? 0.0f : warp_sum(sums[row]);',
        ),
        hip: edit(
          'const float sum = wave_sum(sums[row]);',
          'const float sum = row > 0 && row + 1 == rows ? 0.0f : wave_sum(sums[row]);',
        ),
      },
    },
    {
      fault: 'the tail of K is dropped, tiles',
      reddens: 'shapes',
      finding: 'value',
      edit: {
        cuda: edit('const unsigned k_end = k - k0;', 'const unsigned k_end = k / TILE_K * TILE_K - k0;'),
        hip: edit('const unsigned k_end = k - k0;', 'const unsigned k_end = k / TILE_K * TILE_K - k0;'),
        metal: edit('tile_k < k; tile_k += K_TILE', 'tile_k + K_TILE <= k; tile_k += K_TILE'),
        xpu: edit('tile_k < k; tile_k += K_TILE', 'tile_k + K_TILE <= k; tile_k += K_TILE'),
      },
    },
    {
      fault: 'each product is rounded to bf16',
      reddens: 'shapes',
      finding: 'value',
      edit: {
        cuda: edit(
          'sums[r][c] = fmaf(x_values[r], w_values[c], sums[r][c]);',
          'sums[r][c] += round_bf16(x_values[r] * w_values[c]);',
        ),
        hip: edit(
          'sums[r][c] = fmaf(x_values[r], w_values[c], sums[r][c]);',
          'sums[r][c] += round_bf16(x_values[r] * w_values[c]);',
        ),
      },
    },
    {
      fault: 'the products do not wait for their tile',
      reddens: 'shapes',
      finding: 'value',
      needs: 'schedules',
      edit: {
        metal: edit('threadgroup_barrier(mem_flags::mem_threadgroup); // the tile is staged', ''),
        xpu: edit('barrier(CLK_LOCAL_MEM_FENCE); // the tile is staged', ''),
      },
    },
    {
      fault: 'a tile is refilled while it is still read',
      reddens: 'repeat',
      finding: 'different',
      needs: 'schedules',
      edit: {
        cuda: edit(
          `    __syncthreads();  // the tiles are free again
`,
          '',
        ),
        hip: edit(
          `    __syncthreads();  // the tiles are free again
`,
          '',
        ),
        metal: edit('threadgroup_barrier(mem_flags::mem_threadgroup); // the tile is used', ''),
        xpu: edit('barrier(CLK_LOCAL_MEM_FENCE); // the tile is used', ''),
      },
    },
  ],
});
