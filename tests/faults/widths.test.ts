/** Faults of a warp's width: what is right at 32 lanes and wrong at 64, the reverse, and OpenCL's sub-groups of 8 and 16. */
import { expect, test } from 'bun:test';
import { f32, rows } from '#contract';
import type { Dialect } from '../../src/families/formula/functions.ts';
import type { Contract, GateName, Launch } from '../../src/spec/contract.ts';
import type { Stated } from './harness.ts';
import { judge } from './harness.ts';

const THREADS = 128;
const WIDTH = 256;

const launch = (rest: Partial<Launch> = {}): Launch => ({
  symbol: 'k',
  threads: THREADS,
  grid: ({ rows: count = 1 }) => [count],
  depth: ({ width = 0, warp = 0 }) => width / THREADS - 1 + Math.log2(warp) + THREADS / warp - 1,
  ...rest,
});

const stated = (dialect: Dialect, symbol: string, rest: Partial<Launch> = {}, text = 'y = sum(x)'): Stated => ({
  name: 'fault',
  dims: { rows: { least: 1 }, width: {} },
  served: [{ rows: [1, 4], width: WIDTH }],
  inputs: { x: f32('rows', 'width') },
  outputs: { y: f32('rows') },
  args: ['x', 'y', 'width'],
  formula: rows('width', text),
  accumulator: 'f32',
  launch: { [dialect]: launch({ symbol, ...rest }) } as Contract['launch'],
});

/** A row's sum: each thread's, its warp's by `tree`, and the group's from `partials`. */
const sumBy = (
  symbol: string,
  tree: string,
  { lanes = 'warpSize', index = 'warpSize', slots = 'THREADS / warpSize', end = 'total' } = {},
): string => `
extern "C" __global__ void ${symbol}(const float* x, float* y, unsigned width) {
  __shared__ float partials[THREADS / 32];
  const unsigned t = threadIdx.x;
  float sum = 0.0f;
  for (unsigned i = t; i < width; i += THREADS) sum += x[size_t(blockIdx.x) * width + i];
  ${tree}
  if (t % ${lanes} == 0) partials[t / ${index}] = sum;
  __syncthreads();
  float total = 0.0f;
  for (unsigned i = 0; i < ${slots}; i++) total += partials[i];
  if (t == 0) y[blockIdx.x] = ${end};
}`;

const treeFrom = (first: string, rest = ''): string =>
  `for (int by = ${first}; by > 0; by /= 2) sum += __shfl_xor(sum, by${rest});`;
const TREE = treeFrom('warpSize / 2');
const countedBy = (type: string, count: string): string =>
  `${TREE}\n  const ${type} there = __ballot(1);\n  const float lanes = ${count}(there);`;
const MEAN = { end: 'total / (lanes * (THREADS / warpSize) * (width / THREADS))' };
const of = (lanes: number): { lanes: string; index: string; slots: string } => ({
  lanes: `${lanes}`,
  index: `${lanes}`,
  slots: `THREADS / ${lanes}`,
});

const HIP = [
  `#include <hip/hip_runtime.h>\nconstexpr unsigned THREADS = ${THREADS};`,
  sumBy('by_width', TREE),
  sumBy('from_16', treeFrom('16')),
  sumBy('down_16', 'for (int by = 16; by > 0; by /= 2) sum += __shfl_down(sum, by);'),
  sumBy('slots_32', TREE, { slots: 'THREADS / 32' }),
  sumBy('partials_32', TREE, { index: '32', slots: 'THREADS / 32' }),
  sumBy('lanes_32', treeFrom('16', ', 32'), { lanes: '32' }),
  sumBy('mean_64_bits', countedBy('unsigned long long', '__popcll'), MEAN),
  sumBy('mean_32_bits', countedBy('unsigned', '__popc'), MEAN),
  sumBy('only_32', treeFrom('16'), of(32)),
  sumBy('only_64', treeFrom('32'), of(64)),
  sumBy(
    'in_step',
    `__shared__ float held[THREADS];
  held[t] = sum;
  __builtin_amdgcn_wave_barrier();
  sum += held[t ^ 32];
  ${treeFrom('16', ', 32')}`,
    of(64),
  ),
  sumBy(
    'one_by_one',
    'float all = 0.0f;\n  for (int lane = 0; lane < warpSize; lane++) all += __shfl(sum, lane);\n  sum = all;',
  ),
].join('\n');

/** A row's sum in OpenCL C, with sub-groups of whatever size, or of one that the source counts on. */
const sumOf = (symbol: string, lanes: string, head = ''): string => `
${head}
kernel void ${symbol}(global const float* x, global float* y, uint width) {
  local float partials[${THREADS} / 8];
  const uint t = get_local_id(0);
  float sum = 0.0f;
  for (uint i = t; i < width; i += ${THREADS}) sum += x[get_group_id(0) * width + i];
  sum = sub_group_reduce_add(sum);
  if (t % ${lanes} == 0) partials[t / ${lanes}] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  float total = 0.0f;
  for (uint i = 0; i < ${THREADS} / ${lanes}; i++) total += partials[i];
  if (t == 0) y[get_group_id(0)] = total;
}`;

const OPENCL = [
  sumOf('any', 'get_max_sub_group_size()'),
  sumOf('counts_32', '32'),
  sumOf('requires_16', '16', '__attribute__((intel_reqd_sub_group_size(16)))'),
].join('\n');

const SOURCES = { hip: HIP, xpu: OPENCL } as const;

/** What each gate finds, by width: `64: race,value`; nothing where all is green. */
async function found(
  contract: Stated,
  gates: readonly GateName[] = ['repeat', 'shapes', 'sums'],
  dialect: keyof typeof SOURCES = 'hip',
): Promise<string[]> {
  const results = await judge(contract, { [dialect]: SOURCES[dialect] }, { gates });
  const findings = results.flatMap((result) => (result.kind === 'gate' ? result.findings : []));
  const reasons = results.flatMap(({ reason }) => reason ?? []);
  if (findings.length === 0 && reasons.length > 0) return reasons;
  const widths = Map.groupBy(findings, ({ label }) => /,warp=(\d+)/.exec(label)?.[1] ?? 'first');
  const kinds = (own: typeof findings): string => [...new Set(own.map(({ class: kind }) => kind))].toSorted().join(',');
  return [...widths].map(([width, own]) => `${width}: ${kinds(own)}`);
}

test('a reduction by warpSize is green at 32 and at 64 lanes, its depth stated for each', async () => {
  expect(await found(stated('hip', 'by_width'))).toEqual([]);
});

test.each([
  ['a tree that starts at 16', 'from_16', 'value'],
  ['the same by __shfl_down', 'down_16', 'value'],
  ['scratch that is read for THREADS / 32 warps', 'slots_32', 'different,uninitialised,value'],
  ['lanes by warpSize, partials by 32', 'partials_32', 'different,uninitialised,value'],
  ['lanes by 32, partials by warpSize', 'lanes_32', 'different,race,value'],
])('%s: green at 32 lanes, red at 64', async (_fault, symbol, kinds) => {
  expect(await found(stated('hip', symbol), ['repeat', 'shapes'])).toEqual([`64: ${kinds}`]);
});

test('a ballot that is kept in 32 bits: red at 64 lanes, the width in the finding', async () => {
  const mean = (symbol: string): Stated => stated('hip', symbol, {}, 'y = mean(x)');
  expect(await found(mean('mean_64_bits'), ['shapes'])).toEqual([]);
  const [result] = await judge(mean('mean_32_bits'), { hip: HIP }, { gates: ['shapes'] });
  const [first] = result?.kind === 'gate' ? result.findings : [];
  expect(first).toMatchObject({ class: 'value', label: `rows=1,width=${WIDTH},warp=64` });
  expect(first?.why).toContain('At 64 lanes a warp; at the first width the same inputs pass.');
});

test('a kernel that is right at 64 lanes alone: red at 32, green where its launch states 64', async () => {
  expect(await found(stated('hip', 'only_64'), ['shapes'])).toEqual(['first: value']);
  expect(await found(stated('hip', 'only_64', { warp: { hip: 64 } }))).toEqual([]);
});

test('two launches, each for its own width', async () => {
  const own = [launch({ symbol: 'only_32', warp: { hip: 32 } }), launch({ symbol: 'only_64', warp: { hip: 64 } })];
  expect(await found({ ...stated('hip', ''), launch: { hip: own } }, ['shapes', 'sums'])).toEqual([]);
  const hidden = [launch({ symbol: 'only_32' }), launch({ symbol: 'only_64', warp: { hip: 64 } })];
  expect(await found({ ...stated('hip', ''), launch: { hip: hidden } }, ['shapes']).catch(String)).toContain(
    'no served shape reaches the hip launch of only_64',
  );
});

test('a wave that orders its lanes by itself: lanes 32 apart are in step at 64, and race at 32', async () => {
  expect(await found(stated('hip', 'in_step'), ['repeat'])).toEqual(['first: different,race']);
  expect(await found(stated('hip', 'in_step', { warp: { hip: 64 } }))).toEqual([]);
});

test('a chain over the lanes: a depth that holds at 32 is too small at 64', async () => {
  const depth = (lanes: (warp: number) => number): Partial<Launch> => ({
    depth: ({ width = 0, warp = 0 }) => width / THREADS - 1 + lanes(warp) - 1 + THREADS / warp - 1,
  });
  expect(
    await found(
      stated(
        'hip',
        'one_by_one',
        depth((warp) => warp),
      ),
      ['sums'],
    ),
  ).toEqual([]);
  expect(
    await found(
      stated(
        'hip',
        'one_by_one',
        depth(() => 32),
      ),
      ['sums'],
    ),
  ).toEqual(['64: depth']);
});

test('OpenCL C: sub-groups of any size are green at 32, 16 and 8; a size that the source counts on is red at the others', async () => {
  expect(await found(stated('xpu', 'any'), ['shapes', 'sums'], 'xpu')).toEqual([]);
  expect(await found(stated('xpu', 'counts_32'), ['shapes'], 'xpu')).toEqual(['16: value', '8: value']);
});

test('OpenCL C: a size that the source requires is stated in the launch, and is the only one that runs', async () => {
  expect(await found(stated('xpu', 'requires_16', { warp: { xpu: 16 } }), ['shapes'], 'xpu')).toEqual([]);
  expect((await found(stated('xpu', 'requires_16'), ['shapes'], 'xpu')).join()).toContain(
    'requires_16 requires sub-groups of 16 lanes and does not run at 32: state `warp: { xpu: 16 }` in its launch',
  );
});

test('OpenCL C: a size that the launch states, and the source does not require, is red', async () => {
  const [reason, ...others] = await found(stated('xpu', 'counts_32', { warp: { xpu: 32 } }), ['shapes'], 'xpu');
  expect(others).toEqual([]);
  expect(reason).toContain('the launch of counts_32 states sub-groups of 32 lanes, and its source requires none');
  expect(reason).toContain('a compiler may take 16 or 8: add `__attribute__((intel_reqd_sub_group_size(32)))`');
});
