import { bf16, edit, f32, kernel, rows } from '#contract';

const THREADS = 256;
/** A warp's xor tree and its group's 8 partials. */
const TREE = Math.log2(32) + THREADS / 32 - 1;

/** A normalized lerp: a = bf16(l2(res)), b = bf16(l2(out)), h = bf16(l2(a + lr · (b - a))), the lerp unrounded between its steps. */
export default kernel({
  name: 'slerp_rows',
  dims: { rows: { least: 1 }, width: { tile: 8 * THREADS, step: 8, least: 8 } },
  served: [
    { rows: [1, 4, 128], width: 2048 },
    { rows: [2, 17], width: 5120 },
    { rows: [1, 16], width: 8192 },
    { rows: 3, width: 2568 },
  ],
  inputs: { res: bf16('rows', 'width'), out: bf16('rows', 'width'), lr: f32('width') },
  outputs: { h: bf16('rows', 'width') },
  scalars: { eps: 1e-6 },
  args: ['res', 'out', 'lr', 'h', 'width', 'eps'],
  formula: rows(
    'width',
    `l2(v) = v / sqrt(sum(v * v) + eps);
     a = bf16(l2(res)); b = bf16(l2(out));
     z = a + lr * (b - a); h = bf16(l2(z))`,
  ),
  nan: 'propagate',
  accumulator: 'f32',
  unproven: {
    accumulators: ['bf16'],
    because: 'the scale of a bf16 sum of squares is off by less than 100 output ulps',
  },
  rowIndependent: 'rows',
  fills: { lr: 'positive' },
  launch: {
    everywhere: {
      symbol: 'tf_slerp_rows',
      warp: { xpu: 32 },
      threads: THREADS,
      grid: ({ rows }) => [rows],
      depth: ({ width }) => 8 * Math.ceil(width / (8 * THREADS)) + TREE,
    },
  },
  controls: [
    {
      fault: 'a is not rounded',
      reddens: 'shapes',
      finding: 'value',
      drops: 'a',
      edit: {
        cuda: edit(
          'const float a = round_bf16(__fdiv_rn(held_res[step][j], res_length));',
          'const float a = __fdiv_rn(held_res[step][j], res_length);',
        ),
        hip: edit(
          'const float a = round_bf16(held_res[step][j] / res_length);',
          'const float a = held_res[step][j] / res_length;',
        ),
        metal: edit('float(bfloat(u[i] / norm_res))', 'u[i] / norm_res'),
        xpu: edit('from_bf16(to_bf16(res / norm_res))', 'res / norm_res'),
      },
    },
    {
      fault: 'b is not rounded',
      reddens: 'shapes',
      finding: 'value',
      drops: 'b',
      edit: {
        cuda: edit(
          'const float b = round_bf16(__fdiv_rn(held_out[step][j], out_length));',
          'const float b = __fdiv_rn(held_out[step][j], out_length);',
        ),
        hip: edit(
          'const float b = round_bf16(held_out[step][j] / out_length);',
          'const float b = held_out[step][j] / out_length;',
        ),
        metal: edit('float(bfloat(v[i] / norm_out))', 'v[i] / norm_out'),
        xpu: edit('from_bf16(to_bf16(out / norm_out))', 'out / norm_out'),
      },
    },
    {
      fault: 'z is rounded to bf16',
      reddens: 'shapes',
      finding: 'value',
      edit: {
        cuda: edit(
          'z[step][j] = lerp_unfused(a, b, rates[j / VECTOR<float>][j % VECTOR<float>]);',
          'z[step][j] = round_bf16(lerp_unfused(a, b, rates[j / VECTOR<float>][j % VECTOR<float>]));',
        ),
        hip: edit(
          'z[step][j] = lerp_unfused(a, b, rates[j / VECTOR<float>][j % VECTOR<float>]);',
          'z[step][j] = round_bf16(lerp_unfused(a, b, rates[j / VECTOR<float>][j % VECTOR<float>]));',
        ),
      },
    },
    {
      fault: "z's length is not waited for",
      reddens: 'shapes',
      finding: 'value',
      needs: 'schedules',
      edit: {
        cuda: edit(
          `  __syncthreads();  // z's length is whole
`,
          '',
        ),
        hip: edit(
          `  __syncthreads();  // z's length is whole
`,
          '',
        ),
      },
    },
    {
      fault: "z's own norm is left out",
      reddens: 'shapes',
      finding: 'value',
      edit: {
        metal: edit('sum_partials(partials_z) + eps', '1.0f'),
        xpu: edit('sum_partials(partials_z) + eps', '1.0f'),
      },
    },
  ],
});
