import { edit, standing } from '#contract';

const THREADS = 256;

/**
 * A product of bf16 values, and a tenth of it twice over: 0.05 is half of 0.1 in fp32 too, so both products round alike, and
 * their difference is 0 until one of them is fused. Corner values, which overflow, are left alone.
 */
const EQUAL_PRODUCTS = (x: string, w: string, abs: string): string => `{
    const float one = ${x} * ${w}, size = ${abs}(one);
    const float whole = one + (one * 0.1f - (one + one) * 0.05f) * 0x1p16f;
    sum += size > 0x1p-60f && size < 0x1p60f ? whole : one;
  }`;

/** Exact where subnormals stay: of a product of bf16 values, 16 bits from 2^-6 on end at 2^-149 once they are scaled. */
const THROUGH_SUBNORMALS = (x: string, w: string, abs: string): string => `{
    const float one = ${x} * ${w}, size = ${abs}(one);
    const float scaled = one * 0x1p-127f * 0x1p63f * 0x1p64f;
    sum += size > 0x1p-6f && size < 1.0f ? scaled : one;
  }`;

/** The root of a quarter is half the root, to the bit where both are rounded correctly, which no library promises. */
const TWO_ROOTS = (square: string, rsqrt: string): string =>
  `const float square = ${square};
  const float scale = ${rsqrt}(square) + (${rsqrt}(square) - 0.5f * ${rsqrt}(0.25f * square)) * 64.0f;`;

/** The standing controls: for each gate, a kernel built to break it. */
export default [
  standing('row_max', [
    {
      fault: 'the maximum is fmax, which drops a NaN',
      reddens: 'nonfinite',
      finding: 'class',
      edit: {
        cuda: edit('largest = larger(largest, values[j]);', 'largest = fmaxf(largest, values[j]);'),
        hip: edit('largest = larger(largest, values[j]);', 'largest = fmaxf(largest, values[j]);'),
        metal: edit('largest = larger(largest, v[i]);', 'largest = fmax(largest, v[i]);'),
        xpu: edit(
          'largest = largest_of(largest, v);',
          'largest = fmax(largest, fmax(fmax(v.s0, v.s1), fmax(v.s2, v.s3)));',
        ),
      },
    },
  ]),
  standing('row_sum', [
    {
      fault: 'the group sums by atomic adds into local memory',
      reddens: 'repeat',
      finding: 'different',
      needs: 'schedules',
      edit: {
        cuda: edit(
          `  put_partial(partials, warp_sum(sum));
  __syncthreads();
  if (threadIdx.x == 0) y[blockIdx.x] = sum_partials(partials);`,
          `  if (threadIdx.x == 0) partials[0] = 0.0f;
  __syncthreads();
  atomicAdd(&partials[0], sum);
  __syncthreads();
  if (threadIdx.x == 0) y[blockIdx.x] = partials[0];`,
        ),
        hip: edit(
          `  put_partial(partials, wave_sum(sum));
  __syncthreads();
  if (threadIdx.x == 0) y[blockIdx.x] = sum_partials(partials);`,
          `  if (threadIdx.x == 0) partials[0] = 0.0f;
  __syncthreads();
  atomicAdd(&partials[0], sum);
  __syncthreads();
  if (threadIdx.x == 0) y[blockIdx.x] = partials[0];`,
        ),
        metal: edit(
          'put_partial(partials, simd_sum(sum), lane, simd);',
          `threadgroup atomic_uint cell;
  if (thread_index == 0) atomic_store_explicit(&cell, 0u, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  uint seen = atomic_load_explicit(&cell, memory_order_relaxed);
  while (!atomic_compare_exchange_weak_explicit(&cell, &seen, as_type<uint>(as_type<float>(seen) + sum),
                                                memory_order_relaxed, memory_order_relaxed)) {}
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const float added = as_type<float>(atomic_load_explicit(&cell, memory_order_relaxed));
  put_partial(partials, simd == 0 ? added : 0.0f, lane, simd);`,
        ),
        xpu: edit(
          'put_partial(partials, sub_group_reduce_add(sum));',
          `local uint cell;
  if (thread == 0) cell = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint seen = cell;
  for (uint old = ~seen; old != seen;) {
    const uint expected = seen;
    seen = atomic_cmpxchg(&cell, expected, as_uint(as_float(expected) + sum));
    old = expected;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  put_partial(partials, get_sub_group_id() == 0 ? as_float(cell) : 0.0f);`,
        ),
      },
    },
    {
      fault: 'the kernel writes into its input',
      reddens: 'repeat',
      finding: 'input',
      edit: {
        cuda: edit(
          '  if (threadIdx.x == 0) y[blockIdx.x] = sum_partials(partials);',
          `  if (threadIdx.x == 0) {
    y[blockIdx.x] = sum_partials(partials);
    const_cast<bf16*>(row)[0] = round_to<bf16>(sum_partials(partials));
  }`,
        ),
        hip: edit(
          '  if (threadIdx.x == 0) y[blockIdx.x] = sum_partials(partials);',
          `  if (threadIdx.x == 0) {
    y[blockIdx.x] = sum_partials(partials);
    const_cast<bf16*>(row)[0] = round_to<bf16>(sum_partials(partials));
  }`,
        ),
        metal: edit(
          'if (thread_index == 0) y[row] = total;',
          'if (thread_index == 0) y[row] = total, ((device bfloat*)x)[0] = bfloat(total);',
        ),
        xpu: edit(
          'if (thread == 0) y[row] = total;',
          'if (thread == 0) y[row] = total, ((global ushort*)x)[0] = to_bf16(total);',
        ),
      },
    },
    {
      fault: 'a partial tail loses its last input',
      reddens: 'shapes',
      finding: 'value',
      green: ({ width = 0 }) => width % (8 * THREADS) === 0,
      edit: {
        cuda: edit(
          'sum += values[j];',
          'sum += width % (THREADS * VECTOR<bf16>) != 0 && first + j + 1 == width ? 0.0f : values[j];',
        ),
        hip: edit(
          'sum += values[j];',
          'sum += width % (THREADS * VECTOR<bf16>) != 0 && first + j + 1 == width ? 0.0f : values[j];',
        ),
        metal: edit(
          'pack < width / 8; pack += THREADS',
          'pack < width / 8 - (width % (THREADS * 8) != 0); pack += THREADS',
        ),
        xpu: edit(
          'pack < width / PACK; pack += THREADS',
          'pack < width / PACK - (width % (THREADS * PACK) != 0); pack += THREADS',
        ),
      },
    },
  ]),
  standing('row_sum', [
    {
      fault: "a thread adds the group's sums one by one, and the declared depth is that of a tree",
      reddens: 'sums',
      finding: 'depth',
      edit: {
        cuda: edit(
          '  put_partial(partials, warp_sum(sum));',
          `  __shared__ float sums[THREADS];
  sums[threadIdx.x] = sum;
  __syncthreads();
  float chain = 0.0f;
  for (unsigned i = 0; threadIdx.x == 0 && i < THREADS; i++) chain += sums[i];
  put_partial(partials, chain);`,
        ),
        hip: edit(
          '  put_partial(partials, wave_sum(sum));',
          `  __shared__ float sums[THREADS];
  sums[threadIdx.x] = sum;
  __syncthreads();
  float chain = 0.0f;
  for (unsigned i = 0; threadIdx.x == 0 && i < THREADS; i++) chain += sums[i];
  put_partial(partials, chain);`,
        ),
        metal: edit(
          'put_partial(partials, simd_sum(sum), lane, simd);',
          `threadgroup float sums[THREADS];
  sums[thread_index] = sum;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  float chain = 0.0f;
  for (uint i = 0; thread_index == 0 && i < THREADS; i++) chain += sums[i];
  put_partial(partials, chain, lane, simd);`,
        ),
        xpu: edit(
          'put_partial(partials, sub_group_reduce_add(sum));',
          `local float sums[THREADS];
  sums[thread] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  float chain = 0.0f;
  for (uint i = 0; thread == 0 && i < THREADS; i++) chain += sums[i];
  put_partial(partials, chain);`,
        ),
      },
    },
    {
      fault: 'the declared depth is the width, as if one thread summed the row',
      reddens: 'sums',
      finding: 'depth',
      launch: (launch) => ({ ...launch, depth: ({ width = 0 }) => width }),
    },
    {
      fault: 'the declared depth is that of two tiles, however long the row',
      reddens: 'sums',
      finding: 'depth',
      launch: (launch) => ({ ...launch, depth: () => 28 }),
    },
  ]),
  standing('dot_rows', [
    {
      fault: 'the sum is held in half',
      reddens: 'sums',
      finding: 'value',
      edit: {
        cuda: edit('using Accumulator = float;', 'using Accumulator = f16;'),
        hip: edit('using Accumulator = float;', 'using Accumulator = f16;'),
        metal: edit('using accumulator = float;', 'using accumulator = half;'),
        xpu: edit('typedef float accumulator;', 'typedef half accumulator;'),
      },
    },
    {
      fault: 'a difference of two equal products is added, which is 0 only where both are rounded',
      reddens: 'shapes',
      finding: 'value',
      mode: 'fused',
      edit: {
        cuda: edit(
          'sum = Accumulator(fmaf(__bfloat162float(row[i]), __bfloat162float(w[i]), float(sum)));',
          EQUAL_PRODUCTS('__bfloat162float(row[i])', '__bfloat162float(w[i])', 'fabsf'),
        ),
        hip: edit(
          'sum = Accumulator(fmaf(to_f32(row[i]), to_f32(w[i]), float(sum)));',
          EQUAL_PRODUCTS('__bfloat162float(row[i])', '__bfloat162float(w[i])', 'fabsf'),
        ),
        metal: edit(
          'sum = accumulator(fma(float(x[i]), float(w[i]), float(sum)));',
          EQUAL_PRODUCTS('float(x[i])', 'float(w[i])', 'fabs'),
        ),
        xpu: edit(
          'sum = (accumulator)fma(from_bf16(x[i]), from_bf16(w[i]), (float)sum);',
          `{
#pragma OPENCL FP_CONTRACT DEFAULT
    ${EQUAL_PRODUCTS('from_bf16(x[i])', 'from_bf16(w[i])', 'fabs')}
  }`,
        ),
      },
    },
    {
      fault: 'the products pass through subnormals on their way into the sum',
      reddens: 'shapes',
      finding: 'value',
      mode: 'flushed',
      edit: {
        cuda: edit(
          'sum = Accumulator(fmaf(__bfloat162float(row[i]), __bfloat162float(w[i]), float(sum)));',
          THROUGH_SUBNORMALS('__bfloat162float(row[i])', '__bfloat162float(w[i])', 'fabsf'),
        ),
        hip: edit(
          'sum = Accumulator(fmaf(to_f32(row[i]), to_f32(w[i]), float(sum)));',
          THROUGH_SUBNORMALS('__bfloat162float(row[i])', '__bfloat162float(w[i])', 'fabsf'),
        ),
        metal: edit(
          'sum = accumulator(fma(float(x[i]), float(w[i]), float(sum)));',
          THROUGH_SUBNORMALS('float(x[i])', 'float(w[i])', 'fabs'),
        ),
        xpu: edit(
          'sum = (accumulator)fma(from_bf16(x[i]), from_bf16(w[i]), (float)sum);',
          THROUGH_SUBNORMALS('from_bf16(x[i])', 'from_bf16(w[i])', 'fabs'),
        ),
      },
    },
  ]),
  standing('rms_rows_f32', [
    {
      fault: 'two roots of one number are taken for equal, as they are where roots are correctly rounded',
      reddens: 'shapes',
      finding: 'value',
      mode: 'ulps-mixed',
      edit: {
        cuda: edit('const float scale = rsqrtf(mean_square + eps);', TWO_ROOTS('mean_square + eps', 'rsqrtf')),
        hip: edit('const float scale = rsqrtf(mean_square + eps);', TWO_ROOTS('mean_square + eps', 'rsqrtf')),
        xpu: edit(
          'const float scale = rsqrt(total / (float)width + eps);',
          TWO_ROOTS('total / (float)width + eps', 'rsqrt'),
        ),
      },
    },
  ]),
  standing('softmax_rows_f32', [
    {
      fault: 'e is a sixteenth power, which has sixteen times the error of its exponential',
      reddens: 'shapes',
      finding: 'value',
      mode: 'ulps-mixed',
      edit: {
        // Metal's exponential may be 4 ulps off, and the bound counts them once. Where it is correctly rounded, the power is 31
        // units in the last place off at most, and within the bound.
        metal: edit(
          'return precise::exp(x - m);',
          `const float e = precise::exp((x - m) * 0.0625f), e2 = e * e, e4 = e2 * e2, e8 = e4 * e4;
  return e8 * e8;`,
        ),
      },
    },
    {
      fault: 'e is taken by a function whose error the bound does not count',
      reddens: 'shapes',
      finding: 'ops',
      mode: 'ulps-up',
      edit: {
        cuda: edit('held[step][j] = expf(held[step][j] - m);', 'held[step][j] = __expf(held[step][j] - m);'),
        hip: edit('held[step][j] = expf(held[step][j] - m);', 'held[step][j] = __expf(held[step][j] - m);'),
        metal: edit('return precise::exp(x - m);', 'return fast::exp(x - m);'),
        xpu: edit('return exp(x - m);', 'return native_exp(x - m);'),
      },
    },
  ]),
];
