/**
 * Every correct kernel's check cases in many schedules, looking for a false report: `bun scripts/sweep-check.ts [SCHEDULES] [PROCESSES]`.
 * Every second schedule also switches threads after accesses. Prints each report with its schedule, and exits 1 on any.
 */
import { DeviceError } from '../src/device/device.ts';
import { openHost } from '../src/device/host.ts';
import { openImages, runtimeImage } from '../src/device/store.ts';
import { DIALECTS } from '../src/families/formula/functions.ts';
import { checkCases } from '../src/gates/check.ts';
import { Stage } from '../src/gates/stage.ts';
import type { Subject } from '../src/gates/subject.ts';
import { prepareSubject } from '../src/gates/subject.ts';
import { readListing } from '../src/spec/listing.ts';
import { loadKernels } from '../src/spec/load.ts';
import { sweepInProcesses } from './sweep-processes.ts';

const LIMIT_MS = 60_000;

type Totals = Record<'runs' | 'reports', number>;

/** The report of one run; undefined where there is none. */
function reportOf(stage: Stage, subject: Subject, schedule: number): string | undefined {
  const check = { preempt: schedule % 2 === 1 };
  try {
    stage.run(subject.route(stage.shape), { schedule, check });
    return undefined;
  } catch (error) {
    if (error instanceof DeviceError) return `${error.failure}: ${error.message}`;
    throw error;
  }
}

/** Runs every `stride`th registration from `first` in all schedules. */
async function sweep(first: number, stride: number, schedules: number): Promise<Totals> {
  const listing = await readListing();
  const device = openHost({ bytes: await runtimeImage() });
  const sources = { texts: listing.sources, images: openImages() };
  const totals = { runs: 0, reports: 0 };
  const all = loadKernels(listing).flatMap((kernel) =>
    DIALECTS.filter((dialect) => kernel.dialects.includes(dialect)).map((dialect) => ({ kernel, dialect })),
  );
  for (const { kernel, dialect } of all.filter((_, i) => i % stride === first)) {
    const subject = (await prepareSubject(device, sources, kernel, dialect, [{ mode: 'check' }])).inWay(
      { mode: 'check' },
      '1',
    );
    for (const { label, prepare } of checkCases(kernel, '1')) {
      const stage = new Stage(device, kernel.contract, prepare().inputs, LIMIT_MS);
      for (let schedule = 0; schedule < schedules; schedule++) {
        totals.runs++;
        const report = reportOf(stage, subject, schedule);
        if (report === undefined) continue;
        totals.reports++;
        console.log(`schedule ${schedule}  ${kernel.name}@${dialect}:repeat:${label}  ${report}`);
      }
      stage.close();
    }
    subject.release();
  }
  device.close();
  return totals;
}

const [schedules = 64, processes = navigator.hardwareConcurrency, index] = process.argv.slice(2).map(Number);
if (index !== undefined) {
  console.log(JSON.stringify(await sweep(index, processes, schedules)));
} else {
  const totals = await sweepInProcesses<Totals>(import.meta.path, schedules, processes);
  console.log(`SWEEP ${schedules} schedules of check images: ${totals.runs} runs, ${totals.reports} false reports`);
  process.exitCode = totals.reports > 0 || totals.runs === 0 ? 1 : 0;
}
