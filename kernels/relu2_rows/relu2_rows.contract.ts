import { bf16, edit, kernel, rows } from '#contract';

const THREADS = 256;

/** y = bf16(relu(x)²). The kernel's relu is fmax, which drops a NaN: a known finding. */
export default kernel({
  name: 'relu2_rows',
  dims: { rows: { least: 1 }, width: { tile: 1 * THREADS, step: 1, least: 1 } },
  served: [
    { rows: [1, 4, 128], width: 2048 },
    { rows: [2, 17], width: 5120 },
    { rows: [1, 16], width: 8192 },
    { rows: 3, width: 2561 },
  ],
  inputs: { x: bf16('rows', 'width') },
  outputs: { y: bf16('rows', 'width') },
  args: ['x', 'y', 'width'],
  formula: rows('width', 'a = relu(x); y = a * a'),
  nan: 'propagate',
  accumulator: 'none',
  rowIndependent: 'rows',
  fills: { x: 'normal' },
  launch: {
    everywhere: {
      symbol: 'tf_relu2_rows',
      warp: { xpu: 32 },
      threads: THREADS,
      grid: ({ rows }) => [rows],
      depth: () => 0,
    },
  },
  known: [
    {
      gate: 'nonfinite',
      finding: 'class',
      what: 'relu by fmax gives 0 for a NaN',
      link: 'docs/known-findings.md#relu2_rows',
    },
  ],
  controls: [
    {
      fault: 'negatives are kept',
      reddens: 'shapes',
      finding: 'value',
      edit: {
        cuda: edit('fmaxf(__bfloat162float(x[row + i]), 0.0f)', '__bfloat162float(x[row + i])'),
        hip: edit('fmaxf(to_f32(x[row + i]), 0.0f)', 'to_f32(x[row + i])'),
      },
    },
    {
      fault: 'the square is left out',
      reddens: 'shapes',
      finding: 'value',
      edit: {
        cuda: edit('round_to<bf16>(a * a)', 'round_to<bf16>(a)'),
        hip: edit('round_to<bf16>(a * a)', 'round_to<bf16>(a)'),
        metal: edit('bfloat(a * a)', 'bfloat(a)'),
        xpu: edit('to_bf16(a * a)', 'to_bf16(a)'),
      },
    },
    {
      fault: 'the last value of a row is unwritten',
      reddens: 'shapes',
      finding: 'unwritten',
      edit: {
        metal: edit('i < width; i += THREADS', 'i + 1 < width; i += THREADS'),
        xpu: edit('i < width; i += THREADS', 'i + 1 < width; i += THREADS'),
      },
    },
  ],
});
