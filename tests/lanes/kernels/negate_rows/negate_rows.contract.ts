import { edit, f32, kernel, rows } from '#contract';

const everywhere = <T>(change: T) => ({ cuda: change, hip: change, metal: change, xpu: change });

/** y = -x, as small as a kernel can be: what fails under it is its driver. */
export default kernel({
  name: 'negate_rows',
  dims: { rows: {}, width: {} },
  served: [{ rows: [1, 3], width: 64 }],
  inputs: { x: f32('rows', 'width') },
  outputs: { y: f32('rows', 'width') },
  args: ['x', 'y', 'width'],
  formula: rows('width', 'y = -x'),
  nan: 'propagate',
  accumulator: 'none',
  launch: {
    everywhere: { symbol: 'tf_negate_rows', threads: 64, grid: ({ rows }) => [rows], depth: () => 0 },
  },
  controls: [
    {
      fault: 'another value is written',
      reddens: 'shapes',
      finding: 'value',
      edit: everywhere(edit('y[i] = -x[i];', 'y[i] = x[i];')),
    },
    {
      fault: 'nothing is written',
      reddens: 'repeat',
      finding: 'unwritten',
      edit: everywhere(edit('y[i] = -x[i];', '')),
    },
  ],
});
