import { edit, standing } from '#contract';

/** The first lane of a wave keeps a partial for 32 of its lanes: all of them at 32, half of them at 64. */
const KEPT = (sum: string, other: string): string => `const float own = ${sum};
  if (threadIdx.x % warpSize == 0) partials[threadIdx.x / LANES] = own;${other}`;

/** The standing controls of widths: what is right at 32 lanes a warp and wrong at 64. */
export default [
  standing('row_sum', [
    {
      fault: 'a partial for 32 lanes is kept by the first lane of a wave',
      reddens: 'shapes',
      finding: 'value',
      warp: 64,
      edit: { hip: edit('put_partial(partials, wave_sum(sum));', KEPT('wave_sum(sum)', '')) },
    },
    {
      fault: 'every second partial is left unset where a wave has 64 lanes',
      reddens: 'repeat',
      finding: 'uninitialised',
      warp: 64,
      edit: { hip: edit('put_partial(partials, wave_sum(sum));', KEPT('wave_sum(sum)', '')) },
    },
  ]),
  standing('row_max', [
    {
      fault: "the upper half of a wave's lanes is left out where it has 64",
      reddens: 'nonfinite',
      finding: 'class',
      warp: 64,
      edit: {
        hip: edit(
          'put_partial(partials, wave_max(largest));',
          KEPT(
            'wave_max(largest)',
            '\n  else if (threadIdx.x % LANES == 0) partials[threadIdx.x / LANES] = -INFINITY;',
          ),
        ),
      },
    },
  ]),
];
