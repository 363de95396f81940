/** A barrier orders the memory that its flags name, in every spelling; what other memory holds races across it. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { COMPILE_MS, Checked } from './kit.ts';

/** What is handed over: local memory or y, to a thread of another warp or of the same. */
const EXCHANGES = ['local_group', 'device_group', 'local_warp', 'device_warp'] as const;
type Exchange = (typeof EXCHANGES)[number];

/** Each barrier, and what it is enough for. */
const METAL: Readonly<Record<string, readonly Exchange[]>> = {
  'threadgroup_barrier(mem_flags::mem_none)': [],
  'threadgroup_barrier(mem_flags::mem_threadgroup)': ['local_group', 'local_warp'],
  'threadgroup_barrier(mem_flags::mem_device)': ['device_group', 'device_warp'],
  'threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup)': EXCHANGES,
  'threadgroup_barrier(mem_flags::mem_texture)': [],
  'simdgroup_barrier(mem_flags::mem_none)': [],
  'simdgroup_barrier(mem_flags::mem_threadgroup)': ['local_warp'],
  'simdgroup_barrier(mem_flags::mem_device)': ['device_warp'],
  'simdgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup)': ['local_warp', 'device_warp'],
};
const OPENCL: Readonly<Record<string, readonly Exchange[]>> = {
  'barrier(0)': [],
  'barrier(CLK_LOCAL_MEM_FENCE)': ['local_group', 'local_warp'],
  'barrier(CLK_GLOBAL_MEM_FENCE)': ['device_group', 'device_warp'],
  'barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)': EXCHANGES,
  'work_group_barrier(CLK_LOCAL_MEM_FENCE)': ['local_group', 'local_warp'],
  'work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_work_group)': ['device_group', 'device_warp'],
  'sub_group_barrier(0)': [],
  'sub_group_barrier(CLK_LOCAL_MEM_FENCE)': ['local_warp'],
  'sub_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_sub_group)': ['device_warp'],
  'sub_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)': ['local_warp', 'device_warp'],
};
/** These have no flags. */
const CUDA: Readonly<Record<string, readonly Exchange[]>> = {
  '__syncthreads()': EXCHANGES,
  '__syncwarp()': ['local_warp', 'device_warp'],
};
const HIP: Readonly<Record<string, readonly Exchange[]>> = {
  '__syncthreads()': EXCHANGES,
  '__builtin_amdgcn_wave_barrier()': ['local_warp', 'device_warp'],
};

interface Dialect {
  readonly barriers: Readonly<Record<string, readonly Exchange[]>>;
  readonly head: string;
  readonly local: string;
  readonly all: string;
}
const C = `#define I threadIdx.x
#define G blockIdx.x
#define KERNEL(name) extern "C" __global__ void name(const float* x, float* y, unsigned* count)
`;
const DIALECTS = {
  cuda: { barriers: CUDA, head: C, local: '__shared__', all: '__syncthreads()' },
  hip: { barriers: HIP, head: C, local: '__shared__', all: '__syncthreads()' },
  metal: {
    barriers: METAL,
    head: `#include <metal_stdlib>
using namespace metal;
#define KERNEL(name) kernel void name(device const float* x [[buffer(0)]], device float* y [[buffer(1)]], \\
  device atomic_uint* count [[buffer(2)]], uint I [[thread_index_in_threadgroup]], uint G [[threadgroup_position_in_grid]])
`,
    local: 'threadgroup',
    all: 'threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup)',
  },
  xpu: {
    barriers: OPENCL,
    head: `#define I ((uint)get_local_id(0))
#define G ((uint)get_group_id(0))
#define KERNEL(name) kernel void name(global const float* x, global float* y, global uint* count)
`,
    local: 'local',
    all: 'barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)',
  },
} as const satisfies Record<string, Dialect>;

/** The kernels of one barrier, each named by its place and what is handed over. */
function kernelsOf({ local, all }: Dialect, barrier: string, place: number): string {
  const other = { group: '255 - I', warp: '(I ^ 1)' };
  return EXCHANGES.map((exchange) => {
    const [memory, whom = 'group'] = exchange.split('_') as ['local' | 'device', 'group' | 'warp'];
    const variable = memory === 'local' ? `${local} float s[256];` : '';
    const at = (index: string): string => (memory === 'local' ? `s[${index}]` : `y[G * 256 + ${index}]`);
    return `KERNEL(${exchange}_${place}) {
  ${variable}
  ${at('I')} = x[I];
  ${barrier};
  float v = ${at(other[whom])};
  ${all};
  y[G * 256 + I] = v;
}`;
  }).join('\n');
}

describe.each([
  ['cuda', ''],
  ['hip', ''],
  ['metal', ''],
  ['metal', 'fibers'],
  ['xpu', ''],
] as const)('%s %s', (dialect, form) => {
  const own: Dialect = DIALECTS[dialect];
  let checked: Checked;
  beforeAll(async () => {
    const kernels = Object.keys(own.barriers).map((barrier, place) => kernelsOf(own, barrier, place));
    checked = await Checked.of(dialect, own.head + kernels.join('\n'), 'flags', form);
  }, COMPILE_MS);
  afterAll(() => checked.device.close());

  test.each(Object.keys(own.barriers))('%s', (barrier) => {
    const place = Object.keys(own.barriers).indexOf(barrier);
    for (const exchange of EXCHANGES)
      for (const schedule of [0, 1, 2, 5])
        for (const check of [{}, { preempt: true }, { strictWarps: true }]) {
          const { failure, text } = checked.run(`${exchange}_${place}`, { schedule, check });
          const enough = own.barriers[barrier]?.includes(exchange);
          expect([exchange, schedule, check, failure]).toEqual([exchange, schedule, check, enough ? 'right' : 'race']);
          const reaches = !/^(?:s|__syncw|__b)/.test(barrier) || exchange.endsWith('warp');
          if (!enough && reaches) expect(text).toContain('and the flags of the barrier between leave this memory out');
        }
  });
});
