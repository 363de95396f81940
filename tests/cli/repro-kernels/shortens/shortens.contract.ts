import { edit, f32, kernel, rows } from '#contract';

const PLUS = edit('= x[', '= 1.0f + x[');
const LAUNCH = {
  symbol: 'tf_shortens',
  threads: 32,
  grid: ({ rows: n }: { readonly rows: number }) => [n],
  depth: () => 0,
};
const TAIL = edit('i < width', 'i + 1 < width');

/** y = relu(x), but for the last columns. */
export default kernel({
  name: 'shortens',
  dims: { rows: { least: 1 }, width: { tile: 32, step: 1, least: 1 } },
  served: [{ rows: [1, 4], width: 40 }],
  inputs: { x: f32('rows', 'width') },
  outputs: { y: f32('rows', 'width') },
  args: ['x', 'y', 'width'],
  formula: rows('width', 'y = relu(x)'),
  nan: 'propagate',
  accumulator: 'none',
  launch: { cuda: LAUNCH },
  controls: [
    { fault: 'one is added', reddens: 'shapes', finding: 'value', edit: { cuda: PLUS } },
    { fault: 'the last is unwritten', reddens: 'shapes', finding: 'unwritten', edit: { cuda: TAIL } },
  ],
});
