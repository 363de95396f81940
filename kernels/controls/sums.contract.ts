import { edit, standing } from '#contract';

/** A value as half keeps it, on its way through a sum that is otherwise fp32. */
const HALF = {
  cuda: (value: string): string => `__half2float(__float2half_rn(${value}))`,
  hip: (value: string): string => `__half2float(__float2half_rn(${value}))`,
  metal: (value: string): string => `float(half(${value}))`,
  xpu: (value: string): string => `(float)(half)(${value})`,
};

/** As tf32 keeps it: the low 13 bits cut off. */
const TF32 = {
  cuda: (value: string): string => `__uint_as_float(__float_as_uint(${value}) & 0xffffe000u)`,
  metal: (value: string): string => `as_type<float>(as_type<uint>(${value}) & 0xffffe000u)`,
  xpu: (value: string): string => `as_float(as_uint(${value}) & 0xffffe000u)`,
};

/** A chain in half over the elements of an OpenCL C vector. */
const chainInHalf = (start: string, vector: string, width: number): string =>
  Array.from({ length: width }, (_, i) => `${vector}.s${i}`).reduce((sum, v) => HALF.xpu(`${sum} + ${v}`), start);

/** The standing controls of gate 4's accumulators: few terms meet in 16 bits, and fp32 sums all else. */
export default [
  standing('softmax_rows_f32', [
    {
      fault: "a thread's exponentials are summed in half",
      reddens: 'sums',
      finding: 'value',
      edit: {
        cuda: edit('exp_sum += held[step][j];', `exp_sum = ${HALF.cuda('exp_sum + held[step][j]')};`),
        hip: edit('exp_sum += held[step][j];', `exp_sum = ${HALF.hip('exp_sum + held[step][j]')};`),
        metal: edit('sum_exp += v[i];', `sum_exp = ${HALF.metal('sum_exp + v[i]')};`),
        xpu: edit('sum_exp = add_each(sum_exp, v[i]);', `sum_exp = ${chainInHalf('sum_exp', 'v[i]', 4)};`),
      },
    },
  ]),
  standing('layer_norm_rows', [
    {
      fault: "a thread's sum of the mean keeps the bits of tf32",
      reddens: 'sums',
      finding: 'value',
      edit: {
        cuda: edit('sum += __bfloat162float(x[row + i]);', `sum = ${TF32.cuda('sum + __bfloat162float(x[row + i])')};`),
        hip: edit('sum += to_f32(x[row + i]);', `sum = ${TF32.cuda('sum + to_f32(x[row + i])')};`),
        metal: edit('sum += float(x[i]);', `sum = ${TF32.metal('sum + float(x[i])')};`),
        xpu: edit('sum += from_bf16(x[i]);', `sum = ${TF32.xpu('sum + from_bf16(x[i])')};`),
      },
    },
  ]),
  standing('row_sum', [
    {
      fault: 'the lanes of a warp meet in half',
      reddens: 'sums',
      finding: 'value',
      edit: {
        cuda: edit('put_partial(partials, warp_sum(sum));', 'put_partial(partials, float(warp_sum(f16(sum))));'),
        hip: edit('put_partial(partials, wave_sum(sum));', 'put_partial(partials, float(wave_sum(f16(sum))));'),
        metal: edit(
          'put_partial(partials, simd_sum(sum), lane',
          'put_partial(partials, float(simd_sum(half(sum))), lane',
        ),
        xpu: edit('sub_group_reduce_add(sum)', '(float)sub_group_reduce_add((half)sum)'),
      },
    },
    {
      fault: "the group's sum is rounded to bf16 on its way into an fp32 output",
      reddens: 'sums',
      finding: 'value',
      edit: {
        cuda: edit('y[blockIdx.x] = sum_partials(partials);', 'y[blockIdx.x] = round_bf16(sum_partials(partials));'),
        hip: edit('y[blockIdx.x] = sum_partials(partials);', 'y[blockIdx.x] = round_bf16(sum_partials(partials));'),
        metal: edit('total = sum_partials(partials);', 'total = float(bfloat(sum_partials(partials)));'),
        xpu: edit('total = sum_partials(partials);', 'total = from_bf16(to_bf16(sum_partials(partials)));'),
      },
    },
  ]),
  standing('l2_rows', [
    {
      fault: "a thread's sum is rounded to half once, at its end",
      reddens: 'sums',
      finding: 'value',
      edit: {
        cuda: edit('warp_sum(sum_squares)', `warp_sum(${HALF.cuda('sum_squares')})`),
        hip: edit('wave_sum(sum_squares)', `wave_sum(${HALF.hip('sum_squares')})`),
        metal: edit('simd_sum(sum_squares)', `simd_sum(${HALF.metal('sum_squares')})`),
        xpu: edit('sub_group_reduce_add(sum_squares)', `sub_group_reduce_add(${HALF.xpu('sum_squares')})`),
      },
    },
  ]),
  standing('affine_rows_4', [
    {
      fault: "a step's sum of x, which the bias multiplies, is held in half",
      reddens: 'sums',
      finding: 'value',
      edit: {
        cuda: edit('value_sum += values[j];', `value_sum = ${HALF.cuda('value_sum + values[j]')};`),
        hip: edit('value_sum += values[j];', `value_sum = ${HALF.hip('value_sum + values[j]')};`),
        metal: edit('sum_x += v[word * WORD_CODES + i];', `sum_x = ${HALF.metal('sum_x + v[word * WORD_CODES + i]')};`),
        xpu: edit('sum_x = add_each(0.0f, v);', `sum_x = ${chainInHalf('0.0f', 'v', 8)};`),
      },
    },
  ]),
];
