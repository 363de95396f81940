import { affine, bf16, codes, edit, grouped, kernel } from '#contract';

const THREADS = 256;
const LANES = 32;
const GROUP = 64;

/**
 * y = bf16(Σ x · (scale · q + bias)) against MLX affine codes in groups of 64. The kernel sums `scale · Σ q x + bias · Σ x`
 * a lane's part of a group, so the parts do not cancel inside a weight.
 */
const projection = (bits: 4 | 8) =>
  kernel({
    name: `affine_rows_${bits}`,
    dims: {
      rows: { least: 1 },
      k: { tile: 8 * LANES, step: GROUP, least: GROUP },
      n: { tile: THREADS / LANES, step: 1, least: 1 },
    },
    served: [
      { rows: 1, k: 4096, n: 4096 },
      { rows: 8, k: 4096, n: 512 },
      { rows: 2, k: 8192, n: 1024 },
      { rows: [4, 17], k: 576, n: 1001 },
    ],
    inputs: {
      x: bf16('rows', 'k'),
      q: codes(bits, 'n', 'k'),
      scale: grouped(bf16('n', 'k'), GROUP),
      bias: grouped(bf16('n', 'k'), GROUP),
    },
    outputs: { y: bf16('rows', 'n') },
    args: ['x', 'q', 'scale', 'bias', 'y', 'rows', 'k', 'n'],
    formula: affine('k', 'y = sum(x * (scale * q + bias))', { factored: true }),
    nan: 'propagate',
    accumulator: 'f32',
    rowIndependent: 'rows',
    fills: { scale: 'small-positive', bias: 'signed' },
    launch: {
      everywhere: {
        symbol: `tf_affine_rows_${bits}`,
        warp: { xpu: 32 },
        threads: THREADS,
        grid: ({ n, rows }) => [Math.ceil(n / (THREADS / LANES)), rows],
        // 8 in Σ qx and Σ x of a lane's codes, two fused steps a part, then the warp's tree; CUDA's 4-bit lane takes 8 codes
        // a step and its 8-bit lane 4.
        depth: ({ k }) => 8 + 2 * Math.ceil(k / (4 * LANES)) + Math.log2(LANES),
      },
    },
    known: [
      {
        gate: 'nonfinite',
        finding: 'class',
        what: 'an infinite x gives NaN where the formula keeps the infinity, as scale · Σ qx and bias · Σ x cancel',
        link: 'docs/known-findings.md#affine_rows',
      },
    ],
    controls,
  });

const controls = [
  {
    fault: 'the tail of K is dropped',
    reddens: 'shapes',
    finding: 'value',
    edit: {
      cuda: edit('word < words; word += LANES', 'word < words / LANES * LANES; word += LANES'),
      hip: edit('word < words; word += LANES', 'word < words / LANES * LANES; word += LANES'),
      metal: edit('pack < k / CODES; pack += LANES', 'pack < k / CODES / LANES * LANES; pack += LANES'),
      xpu: edit('pack < k / PACK; pack += LANES', 'pack < k / PACK / LANES * LANES; pack += LANES'),
    },
  },
  {
    fault: 'the first code is in the high bits',
    reddens: 'shapes',
    finding: 'value',
    edit: {
      cuda: edit('packed >> (j * BITS)', 'packed >> (32 - BITS - j * BITS)'),
      hip: edit('packed >> (j * BITS)', 'packed >> (32 - BITS - j * BITS)'),
    },
  },
  {
    fault: 'the bias is left out',
    reddens: 'shapes',
    finding: 'value',
    edit: {
      cuda: edit(
        `    sum = fmaf(__bfloat162float(bias[group]), value_sum, sum);
`,
        '',
      ),
      hip: edit(
        `    sum = fmaf(to_f32(bias[group]), value_sum, sum);
`,
        '',
      ),
      metal: edit('sum = fma(float(bias[block]), sum_x, sum);', ''),
      xpu: edit('sum = fma(from_bf16(bias[block]), sum_x, sum);', ''),
    },
  },
  {
    fault: "every group takes the first one's scale",
    reddens: 'shapes',
    finding: 'value',
    edit: {
      cuda: edit(
        'fmaf(__bfloat162float(scale[group]), code_sum, sum)',
        'fmaf(__bfloat162float(scale[first_group]), code_sum, sum)',
      ),
      hip: edit('fmaf(to_f32(scale[group]), code_sum, sum)', 'fmaf(to_f32(scale[first_group]), code_sum, sum)'),
      metal: edit('fma(float(scale[block])', 'fma(float(scale[0])'),
      xpu: edit('fma(from_bf16(scale[block])', 'fma(from_bf16(scale[0])'),
    },
  },
] as const;

export default [projection(4), projection(8)];
