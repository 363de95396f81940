/** Jobs on an emulated GPU in this process, whose driver fails by plan. */
import { openGpu } from '../../src/device/gpu.ts';
import { shimImage } from '../../src/device/store.ts';
import type { GpuDevice } from '../../src/device/gpu.ts';
import { folderImages } from '../../src/device/image-folder.ts';
import { runJob } from '../../src/gates/job.ts';
import type { JobOptions } from '../../src/gates/job.ts';
import type { ControlResult, GateResult, Result } from '../../src/gates/result.ts';
import type { GateName } from '../../src/spec/contract.ts';
import { readFolder } from '../../src/spec/folder.ts';
import type { Kernel } from '../../src/spec/registration.ts';
import { loadKernels } from '../../src/spec/load.ts';
import { prepare, reported } from '../device/gpu/kit.ts';
import { openShim } from '../../src/device/shim.ts';
import { buildDriver } from '../drivers/build.ts';
import { CHIP, imagesOf, KERNELS } from './emulated.ts';

const listing = await readFolder(KERNELS);
const kernels = new Map(loadKernels(listing).map((kernel) => [kernel.name, kernel]));
const bytes = await shimImage('cuda');
const rig = { shim: openShim({ bytes }), dialect: 'cuda', driver: await buildDriver('cuda') } as const;
export const images = await imagesOf(KERNELS, 'cuda');

export interface GpuJob {
  readonly gate: GateResult;
  readonly controls: readonly ControlResult[];
  readonly device: GpuDevice;
  readonly violations: readonly string[];
  readonly leaks: readonly string[];
}

/** Jobs one after another on one device, which is closed at the end. */
export async function gpuJobs(
  plan: string,
  jobs: readonly (readonly [kernel: string, gate: GateName])[],
  options: Partial<JobOptions> = {},
  changed: (kernel: Kernel) => Kernel = (kernel) => kernel,
): Promise<GpuJob[]> {
  prepare(rig, { emulate: plan });
  const device = openGpu('cuda', { bytes }, 0);
  const sources = { texts: listing.sources, images: folderImages(images, CHIP.cuda, listing.sources) };
  const done: Result[][] = [];
  try {
    for (const [name, gate] of jobs) {
      const kernel = kernels.get(name);
      if (!kernel) throw new Error(`no kernel ${name}`);
      const own = {
        seed: '1',
        limitMs: 1500,
        selects: () => true,
        dialects: ['cuda'],
        modes: ['plain'],
        controls: true,
      } as const;
      done.push(await runJob(device, sources, kernels, changed(kernel), gate, { ...own, ...options }));
    }
  } finally {
    device.close();
  }
  const [violations, leaks] = [reported('violation'), reported('leak')];
  return done.map(([gate, ...controls]) => ({ gate, controls, device, violations, leaks }) as GpuJob);
}
