/** Widths: which cases run at other lanes of a warp than the first, and controls that only a width shows. */
import { expect, test } from 'bun:test';
import { f32, rows } from '../../src/spec/contract.ts';
import type { Contract, Control } from '../../src/spec/contract.ts';
import { XPU_CHIPS } from '../../src/audit/chips/xpu.ts';
import { HIP_CHIPS } from '../../src/audit/chips/hip.ts';
import { CUDA_CHIPS } from '../../src/audit/chips/cuda.ts';
import { gateCases } from '../../src/gates/job.ts';
import { widthsOn } from '../../src/gates/warps.ts';
import { loadKernels } from '../../src/spec/load.ts';
import { MODES } from '../../src/spec/modes.ts';
import type { Kernel } from '../../src/spec/registration.ts';
import { WARPS, runsAt, warpLabel, warpOfLabel } from '../../src/spec/warps.ts';
import { judge } from '../faults/harness.ts';

const SOURCE = `
#include <hip/hip_runtime.h>
extern "C" __global__ void k(const float* x, float* y, unsigned width) {
  float sum = x[size_t(blockIdx.x) * width + threadIdx.x];
  for (int by = warpSize / 2; by > 0; by /= 2) sum += __shfl_xor(sum, by);
  __shared__ float partials[2];
  if (threadIdx.x % warpSize == 0) partials[threadIdx.x / warpSize] = sum;
  __syncthreads();
  float total = partials[0];
  for (unsigned i = 1; i < 64 / warpSize; i++) total += partials[i];
  if (threadIdx.x == 0) y[blockIdx.x] = total;
}
`;
const launch = { symbol: 'k', threads: 64, grid: ({ rows: n = 1 }) => [n], depth: () => 6 };
const plant = (from: string, to: string, more: Partial<Control> = {}): Control => ({
  fault: `${from} becomes ${to}`,
  reddens: 'shapes',
  finding: 'value',
  edit: { hip: { from, to } },
  ...more,
});
const GOOD = plant('y[blockIdx.x] = total', 'y[blockIdx.x] = 0.0f');
const FROM_16 = ['by = warpSize / 2', 'by = 16'] as const;
const CONTRACT = {
  name: 'k',
  dims: { rows: { least: 1 }, width: {} },
  served: [{ rows: [1, 4], width: 64 }],
  inputs: { x: f32('rows', 'width') },
  outputs: { y: f32('rows') },
  args: ['x', 'y', 'width'],
  formula: rows('width', 'y = sum(x)'),
  nan: 'propagate',
  accumulator: 'f32',
  launch: { hip: launch },
  controls: [plant(...FROM_16, { warp: 64 }), GOOD],
} as const satisfies Contract;

function load(change: object = {}): Kernel {
  const exported = { ...CONTRACT, ...change };
  const launched = Object.keys(exported.launch);
  const sources = new Map(
    [...(launched.includes('cuda') ? ['cu'] : []), ...(launched.includes('hip') ? ['hip'] : [])].map((extension) => [
      `k/k.${extension}`,
      SOURCE,
    ]),
  );
  const [kernel] = loadKernels({ contracts: [{ path: 'k/k.contract.ts', exported }], sources });
  if (!kernel) throw new Error('no kernel');
  return kernel;
}

test('the widths of a dialect are those of its served chips', () => {
  const served = <T extends { readonly served: boolean }>(chips: readonly T[], of: (chip: T) => number[]): number[] =>
    [...new Set(chips.filter((chip) => chip.served).flatMap(of))].toSorted((a, b) => a - b);
  const sorted = (widths: readonly number[]): number[] => widths.toSorted((a, b) => a - b);
  expect(sorted(WARPS.hip)).toEqual(served(HIP_CHIPS, ({ vgprs }) => Object.keys(vgprs).map(Number)));
  expect(sorted(WARPS.xpu)).toEqual(served(XPU_CHIPS, ({ subgroups }) => [...subgroups]));
  expect(sorted(WARPS.cuda)).toEqual(served(CUDA_CHIPS, ({ warp }) => [warp]));
});

test('plain and check cases run at every width of any dialect, on the data of the first; a GPU has its own width', () => {
  const both = load({ launch: { cuda: launch, hip: launch } });
  for (const gate of ['nonfinite', 'repeat', 'shapes', 'sums'] as const) {
    const cases = gateCases(both, gate, '1', MODES);
    const wide = cases.filter(({ warp }) => warp === 64);
    const firsts = cases.filter(({ warp, mode }) => warp === undefined && (mode === 'plain' || mode === 'check'));
    expect(wide.map(({ label }) => label)).toEqual(firsts.map(({ label }) => warpLabel(label, 64)));
    expect(wide.map(({ prepare }) => prepare)).toEqual(firsts.map(({ prepare }) => prepare));
    expect(cases.filter(({ warp }) => warp !== undefined && warp !== 64)).toEqual([]);
    expect(widthsOn('hip', cases).every(({ warp }) => warp === undefined)).toBe(true);
    for (const { shape, warp } of wide) {
      expect(runsAt(both.contract, 'hip', shape, warp)).toBe(true);
      expect(runsAt(both.contract, 'cuda', shape, warp)).toBe(false);
    }
  }
  const cuda = load({
    launch: { cuda: launch },
    controls: CONTRACT.controls.map(({ warp: _warp, ...one }) => ({ ...one, edit: { cuda: one.edit?.hip } })),
  });
  expect(gateCases(cuda, 'shapes', '1', MODES).every(({ warp }) => warp === undefined)).toBe(true);
});

test('a label has its width before its mode', () => {
  expect(warpLabel('rows=1,width=64', 64)).toBe('rows=1,width=64,warp=64');
  expect(warpLabel('rows=1,width=64,mode=check', 16)).toBe('rows=1,width=64,warp=16,mode=check');
  expect(['rows=1,width=64,warp=16,mode=check', 'rows=1,warp=8', 'rows=1,width=64'].map(warpOfLabel)).toEqual([
    16,
    8,
    undefined,
  ]);
});

test('a control that names a width is red there and green at the first; one that names none is missed, or broken where both show it', async () => {
  const statuses = async (...controls: Control[]): Promise<string[]> => {
    const results = await judge({ ...CONTRACT, controls }, { hip: SOURCE }, { gates: ['shapes'], runControls: true });
    return results.flatMap((result) =>
      result.kind === 'control' ? [`${result.status} ${result.reason.split(':')[0]}`] : [],
    );
  };
  expect(await statuses(plant(...FROM_16, { warp: 64 }), plant(...FROM_16), { ...GOOD, warp: 64 }, GOOD)).toEqual([
    'red rows=1,width=64,warp=64',
    'missed shapes stayed green on every case',
    'broken it must stay green at rows=1,width=64, but',
    'red rows=1,width=64',
  ]);
});

test.each([
  [
    'a width that the dialect has not',
    { launch: { hip: { ...launch, warp: { hip: 16 } } } },
    "states warps of 16 lanes; those of hip's served chips have 32, 64",
  ],
  ['no width', { launch: { hip: { ...launch, warp: { hip: [] } } } }, 'states no warp'],
  ['a width of no chip', { launch: { hip: { ...launch, warp: { hip: 48 } } } }, 'a warp has 32, 64, 16, 8 lanes'],
  [
    'a depth that is wrong at one width',
    { launch: { hip: { ...launch, depth: ({ warp = 0 }) => (warp === 64 ? -1 : 6) } } },
    'has depth -1',
  ],
  [
    'a control at the first width',
    { launch: { hip: { ...launch, warp: { hip: 64 } } } },
    'shows at warps of 64 lanes, which no hip launch has beside its first',
  ],
  [
    'a control at a width and in a mode',
    { controls: [plant(...FROM_16, { warp: 64, mode: 'fused' }), GOOD] },
    'a control shows in a mode or at a width, not in both',
  ],
  [
    'a dimension of that name',
    { dims: { rows: { least: 1 }, width: {}, warp: {} } },
    "'warp' stands for the lanes of a warp",
  ],
])('a contract is refused for %s', (_what, change, message) => {
  expect(() => load(change)).toThrow(message);
});

test('a kernel runs at the widths of the one that it replaces', () => {
  const other = { ...CONTRACT, name: 'other', replaces: 'k', controls: [GOOD, plant(...FROM_16)] };
  const narrow = {
    ...CONTRACT,
    launch: { hip: { ...launch, warp: { hip: 32 } } },
    controls: [GOOD, plant(...FROM_16)],
  };
  const contracts = [
    { path: 'k/k.contract.ts', exported: narrow },
    { path: 'other/other.contract.ts', exported: other },
  ];
  const sources = new Map(['k/k.hip', 'other/other.hip'].map((path) => [path, SOURCE]));
  expect(() => loadKernels({ contracts, sources })).toThrow('whose hip launches run at no warps of 64 lanes');
});
