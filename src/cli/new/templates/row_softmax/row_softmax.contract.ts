// What the kernel promises. `tf-kernel-contract ./row_softmax` holds it to that, `help run` says what else there is.
import { edit, f32, kernel, rows } from 'tf-kernel-contract';

const THREADS = 256;

const launch = {
  symbol: 'tf_row_softmax',
  threads: THREADS,
  // Groups at a shape: one a row.
  grid: ({ rows }: { rows: number }) => [rows],
  // A claim that gate 4 tests: the most fp32 additions that a term of a sum goes through. Here those of its thread, those of
  // a tree of 32 lanes, and those of 8 partial sums.
  depth: ({ width }: { width: number }) => Math.ceil(width / THREADS) + 5 + 7,
};

export default kernel({
  name: 'row_softmax',
  // How a size is cut: `tile` is what the kernel takes at a time, `step` what a valid size moves by, `least` the least one.
  // Gate 3 makes its edge shapes from these.
  dims: { rows: { least: 1 }, width: { tile: THREADS, step: 1, least: 1 } },
  // The sizes that you call it at.
  served: [
    { rows: [1, 64], width: 1024 },
    { rows: 3, width: [40, 8192] },
  ],
  inputs: { x: f32('rows', 'width') },
  outputs: { y: f32('rows', 'width') },
  // The kernel's arguments, in their order: buffers, then sizes as 32-bit integers.
  args: ['x', 'y', 'width'],
  // The one statement of what is computed. Its value in float64, the range that fp32 may reach and what NaN and infinities do
  // all come from it: there is no tolerance to choose. bf16(...) and f16(...) are the places where the kernel rounds.
  formula: rows('width', 'm = max(x); e = exp(x - m); y = e / sum(e)'),
  nan: 'propagate',
  accumulator: 'f32',
  // No row depends on its neighbours.
  rowIndependent: 'rows',
  // Ordinary data: as large and as spread as scores are.
  fills: { x: 'logits' },
  launch: {
    cuda: launch,
    hip: launch,
    metal: launch,
    xpu: { ...launch, warp: { xpu: 32 } }, // the lanes of a warp, which this source states
  },
  // Faults that are planted one at a time: each must turn its gate red for its reason, which proves that the gate looks. An
  // edit names text that stands in the source exactly once.
  controls: [
    {
      fault: 'the maximum is not subtracted',
      reddens: 'nonfinite',
      finding: 'class',
      edit: {
        cuda: edit('sum += expf(x[row + i] - m);', 'sum += expf(x[row + i]);'),
        hip: edit('sum += expf(x[row + i] - m);', 'sum += expf(x[row + i]);'),
        metal: edit('sum += precise::exp(x[row + i] - m);', 'sum += precise::exp(x[row + i]);'),
        xpu: edit('sum += exp(x[row + i] - m);', 'sum += exp(x[row + i]);'),
      },
    },
    {
      fault: "the sum is the first warp's",
      reddens: 'shapes',
      finding: 'value',
      edit: {
        cuda: edit('i++) sum += sums[i];', 'i++) sum += 0.0f;'),
        hip: edit('i++) sum += sums[i];', 'i++) sum += 0.0f;'),
        metal: edit('i++) sum += sums[i];', 'i++) sum += 0.0f;'),
        xpu: edit('i++) sum += sums[i];', 'i++) sum += 0.0f;'),
      },
    },
  ],
});
