/** Jobs on an emulated GPU in this process, whose driver fails by plan. */
import type { GpuDevice } from '../../src/device/gpu.ts';
import { openGpu } from '../../src/device/gpu.ts';
import { folderImages } from '../../src/device/image-folder.ts';
import { openShim } from '../../src/device/shim.ts';
import { shimImage } from '../../src/device/store.ts';
import type { JobOptions } from '../../src/gates/job.ts';
import { runJob } from '../../src/gates/job.ts';
import type { ControlResult, GateResult, Result } from '../../src/gates/result.ts';
import type { Sources } from '../../src/gates/subject.ts';
import type { GateName } from '../../src/spec/contract.ts';
import { readFolder } from '../../src/spec/folder.ts';
import { loadKernels } from '../../src/spec/load.ts';
import type { Kernel } from '../../src/spec/registration.ts';
import type { Rig } from '../device/gpu/kit.ts';
import { prepare, reported } from '../device/gpu/kit.ts';
import { buildDriver } from '../drivers/build.ts';
import type { Emulated } from './emulated.ts';
import { CHIP, imagesOf } from './emulated.ts';

export interface GpuJob {
  readonly gate: GateResult;
  readonly controls: readonly ControlResult[];
  readonly device: GpuDevice;
  readonly violations: readonly string[];
  readonly leaks: readonly string[];
}

/** An emulated GPU, and the kernels of a folder for it. */
export interface JobRig extends Rig {
  readonly bytes: Uint8Array;
  readonly kernels: ReadonlyMap<string, Kernel>;
  readonly sources: Sources;
}

export async function jobRig(dialect: Emulated, folder: string): Promise<JobRig> {
  const listing = await readFolder(folder);
  const kernels = new Map(loadKernels(listing).map((kernel) => [kernel.name, kernel]));
  const [bytes, driver] = await Promise.all([shimImage(dialect), buildDriver(dialect)]);
  const images = folderImages(await imagesOf(folder, dialect), CHIP[dialect], listing.sources);
  return { shim: openShim({ bytes }), dialect, driver, bytes, kernels, sources: { texts: listing.sources, images } };
}

/** Jobs one after another on one device, which is closed at the end. */
export async function gpuJobs(
  rig: JobRig,
  plan: string,
  jobs: readonly (readonly [kernel: string, gate: GateName])[],
  options: Partial<JobOptions> = {},
  changed: (kernel: Kernel) => Kernel = (kernel) => kernel,
): Promise<GpuJob[]> {
  const { dialect, bytes, kernels, sources } = rig;
  prepare(rig, { emulate: plan });
  const device = openGpu(dialect, { bytes }, 0);
  const done: Result[][] = [];
  try {
    for (const [name, gate] of jobs) {
      const kernel = kernels.get(name);
      if (!kernel) throw new Error(`no kernel ${name}`);
      const own = {
        seed: '1',
        limitMs: 1500,
        selects: () => true,
        dialects: [dialect],
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
