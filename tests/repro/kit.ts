/** Suspects of kernels that a test states, on the host device. */
import { uniqueWays } from '../../src/gates/mode.ts';
import { setDefaultTimeout } from 'bun:test';
import { openHost } from '../../src/device/host.ts';
import { HOST } from '../../src/device/run-device.ts';
import { compilingStore, runtimeImage } from '../../src/device/store.ts';
import { casesFor, findCase } from '../../src/repro/find.ts';
import type { Wanted } from '../../src/repro/find.ts';
import type { Minimal } from '../../src/repro/minimise.ts';
import { minimise } from '../../src/repro/minimise.ts';
import type { Settings, Shop, Target } from '../../src/repro/suspect.ts';
import { Suspect } from '../../src/repro/suspect.ts';
import type { Contract, GateName } from '../../src/spec/contract.ts';
import { edit, f32, rows } from '../../src/spec/contract.ts';
import { loadKernels } from '../../src/spec/load.ts';
import type { Kernel } from '../../src/spec/registration.ts';

const device = openHost({ bytes: await runtimeImage() });
const images = compilingStore();

/** What `y = relu(x)` by a group a row of 32 threads promises, in each case with something of its own. */
export const STATED = {
  name: 'case',
  dims: { rows: { least: 1 }, width: { tile: 32, step: 1, least: 1 } },
  served: [{ rows: [1, 44], width: 80 }],
  inputs: { x: f32('rows', 'width') },
  outputs: { y: f32('rows', 'width') },
  args: ['x', 'y', 'width'],
  formula: rows('width', 'y = relu(x)'),
  nan: 'propagate',
  accumulator: 'none',
  launch: { cuda: { symbol: 'k', threads: 32, grid: ({ rows: n = 1 }) => [n], depth: () => 0 } },
  controls: [],
} as const satisfies Contract;

export const each = (value: string): string => `
extern "C" __global__ void k(const float* x, float* y, unsigned width) {
  for (unsigned i = threadIdx.x; i < width; i += blockDim.x) {
    const float v = x[size_t(blockIdx.x) * width + i];
    y[size_t(blockIdx.x) * width + i] = ${value};
  }
}
// first place
// second place
`;

/** A shop of one kernel, its source beside its contract. */
export function shopOf(
  stated: Omit<Contract, 'controls'> & Partial<Pick<Contract, 'controls'>>,
  source: string,
  files: Readonly<Record<string, string>> = {},
): Shop & { readonly kernel: Kernel } {
  const controls = (['first', 'second'] as const).map((place) => ({
    fault: `the ${place} place`,
    reddens: 'shapes' as const,
    finding: 'value' as const,
    edit: { cuda: edit(`// ${place} place`, '//') },
  }));
  const contract = { ...stated, controls: [...(stated.controls ?? []), ...controls] };
  const texts = new Map([['case/case.cu', source], ...Object.entries(files)]);
  const [kernel] = loadKernels({ contracts: [{ path: 'case/case.contract.ts', exported: contract }], sources: texts });
  if (!kernel) throw new Error('no kernel');
  return { device, on: HOST, sources: { texts, images }, kernels: new Map([[kernel.name, kernel]]), kernel };
}

export const SETTINGS: Settings = { seed: '1', limitMs: 2000 };
export const HOUR = 3600 * 1000;
setDefaultTimeout(HOUR); // images are compiled on whatever machine there is
const pause = (): Promise<void> => Promise.resolve();

/** The smallest input of what a gate finds first. */
export async function smallestOf(
  shop: Shop & { readonly kernel: Kernel },
  gate: GateName,
  wanted: Wanted = {},
  controlId?: string,
): Promise<Minimal | undefined> {
  const control = shop.kernel.controls.find(({ id }) => id === controlId);
  const target: Target = { kernel: shop.kernel, dialect: 'cuda', gate, ...(control && { control }) };
  const cases = casesFor(target, wanted, SETTINGS.seed).filter(({ mode }) => mode === 'plain' || mode === 'check');
  const suspect = await Suspect.prepare(shop, target, uniqueWays(cases), SETTINGS);
  try {
    const found = await findCase(suspect, cases, wanted, pause);
    return found && (await minimise(found, { until: performance.now() + HOUR }));
  } finally {
    suspect.release();
  }
}
