import { edit, f32, kernel, rows } from '#contract';

/** y = x, but one thread writes far outside. */
export default kernel({
  name: 'wild',
  dims: { rows: {}, width: {} },
  served: [{ rows: [1, 3], width: 64 }],
  inputs: { x: f32('rows', 'width') },
  outputs: { y: f32('rows', 'width') },
  args: ['x', 'y', 'width'],
  formula: rows('width', 'y = x'),
  nan: 'propagate',
  accumulator: 'none',
  launch: {
    cuda: { symbol: 'tf_wild', threads: 64, grid: ({ rows }) => [rows], depth: () => 0 },
  },
  controls: [
    {
      fault: 'the sign is lost',
      reddens: 'shapes',
      finding: 'value',
      edit: { cuda: edit('y[i] = value;', 'y[i] = fabsf(value);') },
    },
    {
      fault: 'nothing is written',
      reddens: 'repeat',
      finding: 'unwritten',
      edit: { cuda: edit('y[i] = value;', '') },
    },
  ],
});
