import { bf16, edit, f32, kernel, rows } from '#contract';

const THREADS = 256;
/** A warp's xor tree and its group's 8 partials. */
const TREE = Math.log2(32) + THREADS / 32 - 1;
/** Longer rows are read three times instead of held in registers. */
const HELD = 16 * THREADS;

const TYPES = {
  f32: { tensor: f32, step: 4, unproven: {} },
  bf16: {
    tensor: bf16,
    step: 8,
    unproven: {
      unproven: {
        accumulators: ['f16', 'bf16'] as const,
        because: 'a share in [0, 1] rounded to bf16 hides what a sum of at most 16,384 exponentials loses',
      },
    },
  },
};

/** m = max(x); e = exp(x - m); y = e / Σ e: fp32 between, rounded once to the output's type. */
const softmax = (type: 'f32' | 'bf16') => {
  const { tensor, step, unproven } = TYPES[type];
  const route = {
    threads: THREADS,
    grid: ({ rows }: { rows: number }) => [rows],
    depth: ({ width }: { width: number }) => step * Math.ceil(width / (step * THREADS)) + TREE,
  };
  return kernel({
    name: `softmax_rows_${type}`,
    dims: { rows: { least: 1 }, width: { tile: step * THREADS, step, least: step } },
    served: [
      { rows: [1, 64], width: 2048 },
      { rows: [2, 17], width: [4096, 4104] },
      { rows: [1, 16], width: 16384 },
      { rows: 3, width: [1032, 8200] },
    ],
    inputs: { x: tensor('rows', 'width') },
    outputs: { y: tensor('rows', 'width') },
    args: ['x', 'y', 'width'],
    formula: rows('width', 'm = max(x); e = exp(x - m); y = e / sum(e)'),
    nan: 'propagate',
    accumulator: 'f32',
    ...unproven,
    rowIndependent: 'rows',
    fills: { x: 'logits' },
    launch: {
      everywhere: [
        { symbol: `tf_softmax_rows_${type}`, warp: { xpu: 32 }, when: ({ width }) => width <= HELD, ...route },
        { symbol: `tf_softmax_rows_${type}_looped`, warp: { xpu: 32 }, ...route },
      ],
    },
    controls,
  });
};

const controls = [
  {
    fault: 'the maximum is not subtracted',
    reddens: 'nonfinite',
    finding: 'class',
    edit: {
      cuda: edit('held[step][j] = expf(held[step][j] - m);', 'held[step][j] = expf(held[step][j]);'),
      hip: edit('held[step][j] = expf(held[step][j] - m);', 'held[step][j] = expf(held[step][j]);'),
      metal: edit('precise::exp(x - m)', 'precise::exp(x)'),
      xpu: edit('return exp(x - m);', 'return exp(x);'),
    },
  },
  {
    fault: 'the maximum is not subtracted in long rows',
    reddens: 'nonfinite',
    finding: 'class',
    edit: {
      cuda: edit('values[j] = expf(values[j] - row_max) / row_sum;', 'values[j] = expf(values[j]) / row_sum;'),
      hip: edit('values[j] = expf(values[j] - row_max) / row_sum;', 'values[j] = expf(values[j]) / row_sum;'),
    },
  },
  {
    fault: "the sum is the first warp's",
    reddens: 'shapes',
    finding: 'value',
    edit: {
      cuda: edit('exp_sum = sum_partials(exp_partials);', 'exp_sum = exp_partials[0];'),
      hip: edit('exp_sum = sum_partials(exp_partials);', 'exp_sum = exp_partials[0];'),
    },
  },
  {
    fault: "the sum is the first warp's in long rows",
    reddens: 'shapes',
    finding: 'value',
    edit: {
      cuda: edit('row_sum = sum_partials(exp_partials);', 'row_sum = exp_partials[0];'),
      hip: edit('row_sum = sum_partials(exp_partials);', 'row_sum = exp_partials[0];'),
    },
  },
  {
    fault: "values past the row's end count as 0",
    reddens: 'shapes',
    finding: 'value',
    edit: {
      cuda: edit('j++) held[step][j] = -INFINITY;', 'j++) held[step][j] = 0.0f;'),
      hip: edit('j++) held[step][j] = -INFINITY;', 'j++) held[step][j] = 0.0f;'),
    },
  },
  {
    fault: 'the maximum is not waited for',
    reddens: 'shapes',
    finding: 'value',
    needs: 'schedules',
    edit: {
      cuda: edit(
        `  __syncthreads();  // the max is whole
`,
        '',
      ),
      hip: edit(
        `  __syncthreads();  // the max is whole
`,
        '',
      ),
    },
  },
  {
    fault: 'e is rounded to bf16',
    reddens: 'shapes',
    finding: 'value',
    edit: {
      cuda: edit('held[step][j] = expf(held[step][j] - m);', 'held[step][j] = round_bf16(expf(held[step][j] - m));'),
      hip: edit('held[step][j] = expf(held[step][j] - m);', 'held[step][j] = round_bf16(expf(held[step][j] - m));'),
      metal: edit('return precise::exp(x - m);', 'return float(bfloat(precise::exp(x - m)));'),
      xpu: edit('return exp(x - m);', 'return from_bf16(to_bf16(exp(x - m)));'),
    },
  },
  {
    fault: 'the barrier of the sum is missing',
    reddens: 'shapes',
    finding: 'value',
    needs: 'schedules',
    edit: {
      metal: edit("threadgroup_barrier(mem_flags::mem_threadgroup); // the held row's sum", ''),
      xpu: edit("barrier(CLK_LOCAL_MEM_FENCE); // the held row's sum", ''),
    },
  },
  {
    fault: 'the barrier of the sum is missing in long rows',
    reddens: 'shapes',
    finding: 'value',
    needs: 'schedules',
    edit: {
      metal: edit("threadgroup_barrier(mem_flags::mem_threadgroup); // the looped row's sum", ''),
      xpu: edit("barrier(CLK_LOCAL_MEM_FENCE); // the looped row's sum", ''),
    },
  },
] as const;

export default [softmax('f32'), softmax('bf16')];
