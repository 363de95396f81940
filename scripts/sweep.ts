/**
 * Many seeds over every correct kernel, looking for a false alarm: `bun scripts/sweep.ts [SEEDS] [PROCESSES]`. Controls are
 * left out, and cases of more than `MOST` elements: what changes with the seed shows on small ones. Prints each failure with
 * its seed, and exits 1 on any.
 */
import { openHost } from '../src/device/host.ts';
import { openImages, runtimeImage } from '../src/device/store.ts';
import { DIALECTS } from '../src/families/formula/functions.ts';
import { runJob } from '../src/gates/job.ts';
import { GATES } from '../src/spec/contract.ts';
import { readListing } from '../src/spec/listing.ts';
import { MODES } from '../src/spec/modes.ts';
import { loadKernels } from '../src/spec/load.ts';
import { sweepInProcesses } from './sweep-processes.ts';

const MOST = 100_000;

type SweepTotals = Record<'failures' | 'gates' | 'cases', number>;

/** The elements that an address's shape spans. */
function elements(address: string): number {
  return [...address.matchAll(/[a-z]+=(\d+)/g)].reduce(
    (product, [whole, size]) => (whole.startsWith('from=') ? product : product * Number(size)),
    1,
  );
}

/** Runs every `stride`th seed from `first` and returns the failures, and the gates that ran. */
async function sweep(first: number, stride: number, seeds: number): Promise<SweepTotals> {
  const listing = await readListing();
  const kernels = new Map(loadKernels(listing).map((kernel) => [kernel.name, kernel]));
  const device = openHost({ bytes: await runtimeImage() });
  const sources = { texts: listing.sources, images: openImages() };
  const totals = { failures: 0, gates: 0, cases: 0 };
  for (let seed = first; seed <= seeds; seed += stride) {
    const options = {
      seed: String(seed),
      limitMs: 30_000,
      selects: (at: string) => elements(at) <= MOST,
      dialects: DIALECTS,
      modes: MODES,
      controls: false,
    };
    for (const kernel of kernels.values()) {
      for (const gate of GATES) {
        for (const result of await runJob(device, sources, kernels, kernel, gate, options)) {
          if (result.kind !== 'gate' || result.status === 'not run') continue;
          totals.gates++;
          totals.cases += result.cases;
          if (result.status !== 'fail') continue;
          totals.failures++;
          const [finding] = result.findings;
          console.log(
            `seed ${seed}  ${result.kernel}@${result.dialect}:${gate}:${finding?.label ?? '*'}  ${finding?.what ?? result.reason}  ${finding?.worst ?? ''}`,
          );
        }
      }
    }
  }
  device.close();
  return totals;
}

const [seeds = 200, processes = navigator.hardwareConcurrency, index] = process.argv.slice(2).map(Number);
if (index !== undefined) {
  console.log(JSON.stringify(await sweep(index + 1, processes, seeds)));
} else {
  const totals = await sweepInProcesses<SweepTotals>(import.meta.path, seeds, processes);
  console.log(
    `SWEEP ${seeds} seeds: ${totals.gates} gates over ${totals.cases} cases, ${totals.failures} false alarms`,
  );
  process.exitCode = totals.failures > 0 || totals.gates === 0 ? 1 : 0;
}
