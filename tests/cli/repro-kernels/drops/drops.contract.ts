import { edit, f32, kernel, rows } from '#contract';

const PLUS = edit('= x[', '= 1.0f + x[');
const LAUNCH = {
  symbol: 'tf_drops',
  threads: 32,
  grid: ({ rows: n }: { readonly rows: number }) => [n],
  depth: () => 0,
};
const TAIL = edit('i < width', 'i + 1 < width');

/** y = relu(x); CUDA's is fmaxf, which drops a NaN. */
export default kernel({
  name: 'drops',
  dims: { rows: { least: 1 }, width: { tile: 32, step: 1, least: 1 } },
  served: [{ rows: [1, 4], width: 40 }],
  inputs: { x: f32('rows', 'width') },
  outputs: { y: f32('rows', 'width') },
  args: ['x', 'y', 'width'],
  formula: rows('width', 'y = relu(x)'),
  nan: 'propagate',
  accumulator: 'none',
  launch: { cuda: LAUNCH, hip: LAUNCH },
  known: [
    { gate: 'nonfinite', finding: 'class', what: 'a NaN gives 0', link: 'docs/known-findings.md#drops', on: ['cuda'] },
  ],
  controls: [
    { fault: 'one is added', reddens: 'shapes', finding: 'value', edit: { cuda: PLUS, hip: PLUS } },
    { fault: 'the last is unwritten', reddens: 'shapes', finding: 'unwritten', edit: { cuda: TAIL, hip: TAIL } },
  ],
});
