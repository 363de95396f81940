import { edit, f32, kernel, rule, u32 } from '#contract';

const THREADS = 256;
/** Set in the id of a row that holds a NaN. */
const NAN_FLAG = 2 ** 31;

/** The id of a row's largest value: the lower id of a tie; a row with a NaN gives the first one's id, flagged. */
function argmax(x: Float64Array, from: number, width: number): number {
  let best = 0;
  for (let i = 0; i < width; i++) {
    const value = x[from + i] ?? 0;
    if (Number.isNaN(value)) return i + NAN_FLAG;
    if (value > (x[from + best] ?? 0)) best = i;
  }
  return best;
}

/** id = argmax(x) of a row of logits. */
export default kernel({
  name: 'argmax_rows',
  dims: { rows: { least: 1 }, width: { tile: 1 * THREADS, step: 1, least: 1 } },
  served: [
    { rows: [1, 8], width: 32000 },
    { rows: 1, width: 128256 },
    { rows: 40, width: [1000, 4097] },
  ],
  inputs: { x: f32('rows', 'width') },
  outputs: { id: u32('rows') },
  args: ['x', 'id', 'width'],
  formula: rule(
    'width',
    'ties go to the lower id; a NaN gives the first NaN and sets bit 31',
    ({ x }, { rows = 0, width = 0 }) => ({
      id: Uint32Array.from({ length: rows }, (_, row) => argmax(x ?? new Float64Array(0), row * width, width)),
    }),
  ),
  nan: 'rule',
  accumulator: 'none',
  rowIndependent: 'rows',
  fills: { x: 'ties' },
  launch: {
    everywhere: {
      symbol: 'tf_argmax_rows',
      warp: { xpu: 32 },
      threads: THREADS,
      grid: ({ rows }) => [rows],
      depth: () => 0,
    },
  },
  controls: [
    {
      fault: 'a tie goes to the higher id',
      reddens: 'shapes',
      finding: 'rule',
      edit: {
        cuda: edit('return a.id < b.id;', 'return a.id > b.id;'),
        hip: edit('return a.id < b.id;', 'return a.id > b.id;'),
        metal: edit('b.id < a.id', 'b.id > a.id'),
        xpu: edit('b.y < a.y', 'b.y > a.y'),
      },
    },
    {
      fault: 'a NaN is not flagged',
      reddens: 'nonfinite',
      finding: 'rule',
      edit: {
        cuda: edit('isnan(best.value) ? best.id | NAN_FLAG : best.id', 'best.id'),
        hip: edit('isnan(best.value) ? best.id | NAN_FLAG : best.id', 'best.id'),
        metal: edit('pick.rank == NAN_RANK ? NAN_FLAG : 0u', '0u'),
        xpu: edit('pick.x == NAN_RANK ? NAN_FLAG : 0u', '0u'),
      },
    },
    {
      fault: 'a NaN never wins',
      reddens: 'nonfinite',
      finding: 'rule',
      edit: {
        cuda: edit('if (a_is_nan != b_is_nan) return a_is_nan;', 'if (a_is_nan != b_is_nan) return b_is_nan;'),
        hip: edit('if (a_is_nan != b_is_nan) return a_is_nan;', 'if (a_is_nan != b_is_nan) return b_is_nan;'),
        metal: edit('if (is_nan(v)) return NAN_RANK;', 'if (is_nan(v)) return 0u;'),
        xpu: edit('if (is_nan(v)) return NAN_RANK;', 'if (is_nan(v)) return 0u;'),
      },
    },
    {
      fault: 'the last warp, or the partial tail, is left out',
      reddens: 'shapes',
      finding: 'rule',
      edit: {
        cuda: edit('unsigned warp = 1; warp < WARPS; warp++', 'unsigned warp = 1; warp < WARPS - 1; warp++'),
        hip: edit('unsigned wave = 1; wave < WAVES; wave++', 'unsigned wave = 1; wave < WAVES - 1; wave++'),
        metal: edit('i < width; i += THREADS', 'i < width / THREADS * THREADS; i += THREADS'),
        xpu: edit('i < width; i += THREADS', 'i < width / THREADS * THREADS; i += THREADS'),
      },
    },
  ],
});
