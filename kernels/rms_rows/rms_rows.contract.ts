import { bf16, edit, f16, f32, kernel, rows } from '#contract';

const THREADS = 256;
/** A warp's xor tree and its group's 8 partials. */
const TREE = Math.log2(32) + THREADS / 32 - 1;

const TYPES = { f32, bf16, f16 };

/** y = x · rsqrt(mean(x²) + eps) · w: fp32 between, rounded once to the output's type. Any width. */
const rms = (type: 'f32' | 'bf16' | 'f16') =>
  kernel({
    name: `rms_rows_${type}`,
    dims: { rows: { least: 1 }, width: { tile: 8 * THREADS, step: 1, least: 1 } },
    served: [
      { rows: [1, 4, 128], width: 2048 },
      { rows: [2, 17], width: 5120 },
      { rows: [1, 16], width: 8192 },
      { rows: 3, width: [2561, 2568] },
    ],
    inputs: { x: bf16('rows', 'width'), w: bf16('width') },
    outputs: { y: TYPES[type]('rows', 'width') },
    scalars: { eps: 1e-6 },
    args: ['x', 'w', 'y', 'width', 'eps'],
    formula: rows('width', 'y = x * rsqrt(mean(x * x) + eps) * w'),
    nan: 'propagate',
    accumulator: 'f32',
    ...(type !== 'f32' && {
      unproven: {
        accumulators: ['bf16'] as const,
        because: 'the scale of a bf16 sum of squares is off by less than 100 output ulps',
      },
    }),
    rowIndependent: 'rows',
    fills: { x: 'normal', w: 'near-one' },
    launch: {
      everywhere: {
        symbol: `tf_rms_rows_${type}`,
        warp: { xpu: 32 },
        threads: THREADS,
        grid: ({ rows }) => [rows],
        depth: ({ width }) => 8 * Math.ceil(width / (8 * THREADS)) + TREE,
      },
    },
    controls,
  });

const controls = [
  {
    fault: 'the mean is over the threads, not the width',
    reddens: 'shapes',
    finding: 'value',
    edit: {
      cuda: edit('/ float(width)', '/ float(THREADS)'),
      hip: edit('/ float(width)', '/ float(THREADS)'),
      metal: edit('total / float(width)', 'total / float(THREADS)'),
      xpu: edit('total / (float)width', 'total / (float)THREADS'),
    },
  },
  {
    fault: 'a partial tail loses its last input',
    reddens: 'shapes',
    finding: 'value',
    edit: {
      cuda: edit(
        'const unsigned sum_end = min(first + OWNED, width);',
        'const unsigned sum_end = min(first + OWNED, width % (THREADS * OWNED) == 0 ? width : width - 1);',
      ),
      hip: edit(
        'const unsigned sum_end = min(first + OWNED, width);',
        'const unsigned sum_end = min(first + OWNED, width % (THREADS * OWNED) == 0 ? width : width - 1);',
      ),
    },
  },
  {
    fault: 'the norm is rounded to bf16 before the weight',
    reddens: 'shapes',
    finding: 'value',
    edit: {
      cuda: edit(
        'round_to<T>(__bfloat162float(x[row + i]) * scale * __bfloat162float(w[i]))',
        'round_to<T>(round_bf16(__bfloat162float(x[row + i]) * scale) * __bfloat162float(w[i]))',
      ),
      hip: edit(
        'round_to<T>(to_f32(x[row + i]) * scale * to_f32(w[i]))',
        'round_to<T>(round_bf16(to_f32(x[row + i]) * scale) * to_f32(w[i]))',
      ),
      metal: edit('T(float(x[i]) * scale * float(w[i]))', 'T(float(bfloat(float(x[i]) * scale)) * float(w[i]))'),
      xpu: edit(
        'from_bf16(x[i]) * scale * from_bf16(w[i]), type',
        'from_bf16(to_bf16(from_bf16(x[i]) * scale)) * from_bf16(w[i]), type',
      ),
    },
  },
  {
    fault: "the sum's tail guard is missing",
    reddens: 'shapes',
    finding: 'value',
    edit: {
      metal: edit('i < end; i++) sum_squares', 'i < first + VALUES; i++) sum_squares'),
      xpu: edit('i < end; i++) sum_squares', 'i < first + VALUES; i++) sum_squares'),
    },
  },
] as const;

export default [rms('f32'), rms('bf16'), rms('f16')];
