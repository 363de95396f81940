/** A worker thread: opens its own host device, then runs the jobs that it is sent, one at a time. */
import { parentPort } from 'node:worker_threads';
import type { Device } from '../device/device.ts';
import { openHost } from '../device/host.ts';
import { openImages, runtimeImage } from '../device/store.ts';
import { matcher } from '../spec/address.ts';
import { readListing } from '../spec/listing.ts';
import { loadKernels } from '../spec/load.ts';
import type { Kernel } from '../spec/registration.ts';
import { referenceTime } from './case.ts';
import { runJob } from './job.ts';
import { modesOn } from './mode.ts';
import type { Job, JobDone, WorkerSetup } from './run.ts';
import type { Sources } from './subject.ts';

/** Serves jobs until the thread is ended. */
export async function serveJobs({ options }: WorkerSetup): Promise<void> {
  const port = parentPort;
  if (!port) throw new Error('jobs are served in a worker thread only');
  const ready = prepare();
  port.on('message', async (job: Job) => {
    const from = referenceTime.ms;
    const answer = (part: Pick<JobDone, 'results' | 'error'>): void =>
      port.postMessage({ job, referenceMs: referenceTime.ms - from, ...part } satisfies JobDone);
    try {
      const { device, sources, kernels } = await ready;
      const kernel = kernels.get(job.kernel);
      if (!kernel) throw new Error(`no kernel ${job.kernel}`);
      const selects = matcher(options.only);
      const on = options.devices.find(({ id }) => id === job.device);
      if (!on) throw new Error(`no device ${job.device}`);
      const own = {
        dialects: options.dialects.filter((dialect) => on.dialects.includes(dialect)),
        modes: modesOn(on, options.modes),
      };
      const results = await runJob(device, sources, kernels, kernel, job.gate, { ...options, ...own, selects });
      answer({ results });
    } catch (error) {
      answer({ results: [], error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  });
}

async function prepare(): Promise<{ device: Device; sources: Sources; kernels: ReadonlyMap<string, Kernel> }> {
  const listing = await readListing();
  const kernels = new Map(loadKernels(listing).map((kernel) => [kernel.name, kernel]));
  const device = openHost({ bytes: await runtimeImage() });
  return { device, sources: { texts: listing.sources, images: openImages() }, kernels };
}
