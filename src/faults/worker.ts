/** A process that judges faults: it opens its own host device, then takes jobs, one at a time, until its parent is gone. */
import { openHost } from '../device/host.ts';
import { compilingStore, runtimeImage } from '../device/store.ts';
import type { Workshop } from '../gates/workshop.ts';
import { readListing } from '../spec/listing.ts';
import { loadKernels } from '../spec/load.ts';
import { judgeFaults } from './judge.ts';
import { matrixOf } from './matrix.ts';
import type { FaultAnswer, FaultJob, FaultSettings } from './result.ts';
import type { Fault } from './rule.ts';
import { traceOf } from '../spec/message-of.ts';

/** The word by which a process is told to serve; behind it stand the settings, as JSON. */
export const SERVE_FAULTS = '--serve-faults';

/** Serves the jobs that the parent of this process sends, once it has been told that this process is ready. */
export async function serveFaults(settings: FaultSettings): Promise<void> {
  const tell = (answer: FaultAnswer): void => void process.send?.(answer);
  const failed = (error: unknown): void => tell({ kind: 'error', error: traceOf(error) });
  try {
    const shop = await prepare();
    process.on('message', (job: FaultJob) => void serveJob(shop, job, settings, tell).catch(failed));
    tell({ kind: 'ready' });
  } catch (error) {
    failed(error);
  }
}

async function prepare(): Promise<Workshop> {
  const listing = await readListing();
  const kernels = new Map(loadKernels(listing).map((kernel) => [kernel.name, kernel]));
  const device = openHost({ bytes: await runtimeImage() });
  return { device, sources: { texts: listing.sources, images: compilingStore() }, kernels };
}

/** Every fault of the kernels that this process has judged some of. */
const faultsByKernel = new Map<string, readonly Fault[]>();

async function serveJob(
  shop: Workshop,
  job: FaultJob,
  settings: FaultSettings,
  tell: (answer: FaultAnswer) => void,
): Promise<void> {
  const kernel = shop.kernels.get(job.kernel);
  if (!kernel) throw new Error(`no kernel ${job.kernel}`);
  const all = faultsByKernel.get(kernel.name) ?? matrixOf([kernel], shop.sources.texts, kernel.dialects).faults;
  faultsByKernel.set(kernel.name, all);
  const faults = job.addresses.map((address) => faultAt(all, address));
  await judgeFaults(shop, kernel, faults, settings, tell);
  tell({ kind: 'done' });
}

function faultAt(all: readonly Fault[], address: string): Fault {
  const found = all.find((fault) => fault.address === address);
  if (!found) throw new Error(`no fault ${address}`);
  return found;
}
