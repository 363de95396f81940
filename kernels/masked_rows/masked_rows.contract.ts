import { edit, f32, kernel, rule, u32 } from '#contract';

const THREADS = 256;

/** What a kept key holds, zeros without their sign; 0 for a masked one, whatever it holds. */
function masked(x: Float64Array, keep: Float64Array, width: number): Uint32Array {
  const kept = Float32Array.from(x, (value, i) => ((keep[i % width] ?? 0) % 2 === 1 ? value + 0 : 0));
  return new Uint32Array(kept.buffer);
}

/** y = x at the keys that are kept. A masked key's value is multiplied by a weight of 0: a known finding. */
export default kernel({
  name: 'masked_rows',
  dims: { rows: { least: 1 }, width: { tile: 1 * THREADS, step: 1, least: 1 } },
  served: [
    { rows: [1, 4, 128], width: 2048 },
    { rows: [2, 17], width: 5120 },
    { rows: 3, width: 2561 },
  ],
  inputs: { x: f32('rows', 'width'), keep: u32('width') },
  outputs: { y: f32('rows', 'width') },
  args: ['x', 'keep', 'y', 'width'],
  formula: rule(
    'width',
    'a key whose word is odd is kept, its zeros positive; a masked key gives 0, whatever it holds',
    ({ x, keep }, { width = 1 }) => ({ y: masked(x ?? new Float64Array(0), keep ?? new Float64Array(0), width) }),
  ),
  nan: 'rule',
  accumulator: 'none',
  rowIndependent: 'rows',
  fills: { x: 'normal', keep: 'codes' },
  launch: {
    everywhere: {
      symbol: 'tf_masked_rows',
      warp: { xpu: 32 },
      threads: THREADS,
      grid: ({ rows }) => [rows],
      depth: () => 0,
    },
  },
  known: [
    {
      gate: 'nonfinite',
      finding: 'rule',
      what: 'a masked key that holds an infinity or a NaN gives NaN: its weight of 0 is multiplied',
      link: 'docs/known-findings.md#masked_rows',
    },
  ],
  // An infinity at a masked key and one at a kept key.
  regressions: ['masked-infinity.json'],
  controls: [
    {
      fault: 'even words are kept',
      reddens: 'shapes',
      finding: 'rule',
      edit: {
        cuda: edit('keep[i] & 1u', '~keep[i] & 1u'),
        hip: edit('keep[i] & 1u', '~keep[i] & 1u'),
        metal: edit('keep[i] & 1u', '~keep[i] & 1u'),
        xpu: edit('keep[i] & 1u', '~keep[i] & 1u'),
      },
    },
    {
      fault: 'the last value of a row is unwritten',
      reddens: 'shapes',
      finding: 'unwritten',
      edit: {
        cuda: edit('i < width; i += THREADS', 'i + 1 < width; i += THREADS'),
        hip: edit('i < width; i += THREADS', 'i + 1 < width; i += THREADS'),
        metal: edit('i < width; i += THREADS', 'i + 1 < width; i += THREADS'),
        xpu: edit('i < width; i += THREADS', 'i + 1 < width; i += THREADS'),
      },
    },
  ],
});
