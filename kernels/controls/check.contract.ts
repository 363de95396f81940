import { edit, standing } from '#contract';

/** The standing controls of check images: for each class that only they find, a kernel built to show it. */
const BARRIER = edit('  __syncthreads();\n', '');
const TWICE = edit(
  '  if (threadIdx.x == 0) y[blockIdx.x] = sum_partials(partials);',
  `  if (threadIdx.x == 0) y[blockIdx.x] = sum_partials(partials);
  if (threadIdx.x == 0 && blockIdx.x == 1) y[0] = sum_partials(partials);`,
);

export default [
  standing('row_sum', [
    {
      fault: 'partials are read with no barrier after they are written',
      reddens: 'repeat',
      finding: 'race',
      edit: {
        cuda: BARRIER,
        hip: BARRIER,
        metal: edit('threadgroup_barrier(mem_flags::mem_threadgroup);', ''),
        xpu: edit('barrier(CLK_LOCAL_MEM_FENCE);', ''),
      },
    },
    {
      fault: 'the barrier before partials are read orders no memory',
      reddens: 'repeat',
      finding: 'race',
      edit: {
        metal: edit('threadgroup_barrier(mem_flags::mem_threadgroup);', 'threadgroup_barrier(mem_flags::mem_none);'),
        xpu: edit('barrier(CLK_LOCAL_MEM_FENCE);', 'barrier(CLK_GLOBAL_MEM_FENCE);'),
      },
    },
    {
      fault: "the second row's group also writes the first row's sum",
      reddens: 'repeat',
      finding: 'race',
      edit: {
        cuda: TWICE,
        hip: TWICE,
        metal: edit(
          'if (thread_index == 0) y[row] = total;',
          'if (thread_index == 0) y[row] = total;\n  if (thread_index == 0 && row == 1) y[0] = total;',
        ),
        xpu: edit(
          'if (thread == 0) y[row] = total;',
          'if (thread == 0) y[row] = total;\n  if (thread == 0 && row == 1) y[0] = total;',
        ),
      },
    },
    {
      fault: 'the last warp leaves no partial',
      reddens: 'repeat',
      finding: 'uninitialised',
      edit: {
        cuda: edit(
          'put_partial(partials, warp_sum(sum));',
          'const float own = warp_sum(sum);\n  if (threadIdx.x < THREADS - LANES) put_partial(partials, own);',
        ),
        hip: edit(
          'put_partial(partials, wave_sum(sum));',
          'const float own = wave_sum(sum);\n  if (threadIdx.x < THREADS - LANES) put_partial(partials, own);',
        ),
        metal: edit(
          'put_partial(partials, simd_sum(sum), lane, simd);',
          'put_partial(partials, simd_sum(sum), simd + 1 < SIMDS ? lane : 1, simd);',
        ),
        xpu: edit(
          'put_partial(partials, sub_group_reduce_add(sum));',
          'const float own = sub_group_reduce_add(sum);\n  if (get_sub_group_id() + 1 < SUB_GROUPS) put_partial(partials, own);',
        ),
      },
    },
    {
      fault: 'partials are kept one place too far, past the end of their array',
      reddens: 'repeat',
      finding: 'bounds',
      edit: {
        cuda: edit(
          'put_partial(partials, warp_sum(sum));',
          'const float own = warp_sum(sum);\n  float* const slots = partials + 1;\n  if (threadIdx.x % LANES == 0) slots[threadIdx.x / LANES] = own;',
        ),
        hip: edit(
          'put_partial(partials, wave_sum(sum));',
          'const float own = wave_sum(sum);\n  float* const slots = partials + 1;\n  if (threadIdx.x % LANES == 0) slots[threadIdx.x / LANES] = own;',
        ),
        metal: edit(
          'put_partial(partials, simd_sum(sum), lane, simd);',
          'put_partial(partials + 1, simd_sum(sum), lane, simd);',
        ),
        xpu: edit(
          'put_partial(partials, sub_group_reduce_add(sum));',
          'put_partial(partials + 1, sub_group_reduce_add(sum));',
        ),
      },
    },
  ]),
  standing('l2_rows', [
    {
      fault: 'vectors are loaded from one element further on',
      reddens: 'repeat',
      finding: 'misaligned',
      edit: {
        cuda: edit('load_vector(r + row + first, residual);', 'load_vector(r + row + first + 1, residual);'),
        hip: edit(
          'load_vector(r + row + first, residual);',
          'const uint4 words = *reinterpret_cast<const uint4*>(r + row + first + 1);\n    load_vector(reinterpret_cast<const bf16*>(&words), residual);',
        ),
        metal: edit('load_pack(r, pack, b);', 'load_pack(r + 1, pack, b);'),
        xpu: edit('load_pack(r, pack)', 'load_pack(r + 1, pack)'),
      },
    },
  ]),
];
