/** A finished run as a report. */
import { deviceJson, reportOf } from '../../report/json.ts';
import type { Report, ReportHead } from '../../report/schema.ts';
import { readListing } from '../../spec/listing.ts';
import { namedPaths } from '../outside/take-paths.ts';
import type { Finished } from '../run-ledger.ts';
import type { Selection } from '../selection.ts';
import { reportPlan } from './shard.ts';
import { filesOf, sourcesHash } from './sources.ts';
import { BUILD_COMMIT, PLATFORM, VERSION } from '../version.ts';

/** What the run's end knows; the rest of a report's head is told by the selection. */
export type RunEnd = Pick<
  ReportHead,
  'seed' | 'workers' | 'elapsedMs' | 'referenceMs' | 'gates' | 'only' | 'summary' | 'exitCode' | 'partial'
>;

/** Contracts are read where the run itself did not need them. */
export async function runReport(end: RunEnd, selection: Selection, { registrations }: Finished): Promise<Report> {
  const { settings, kernels, limits, whole } = selection;
  const listing = await readListing();
  const all = kernels.length > 0 ? kernels : (await import('../../spec/load.ts')).loadKernels(listing);
  const { strictWarps, lockstep } = settings.check ?? {};
  const flags = [...namedPaths(), strictWarps && '--strict-warps', lockstep && '--lockstep'].filter(Boolean).join(' ');
  const head: ReportHead = {
    ...end,
    program: { version: VERSION, commit: BUILD_COMMIT, platform: PLATFORM, sources: sourcesHash(listing) },
    started: new Date(Date.now() - end.elapsedMs).toISOString(),
    devices: settings.devices.map(deviceJson),
    modes: [...settings.modes],
    withControls: settings.controls,
    files: filesOf(all, listing),
    plan: whole ?? reportPlan(selection),
    ...(flags !== '' && { flags }),
  };
  return reportOf(head, registrations, await limits?.results());
}
