/** What `--repro` is after: what a run finds, what a report of one holds, and the controls that `--only` names. */
import type { JobDone } from '../../gates/lanes/lane.ts';
import { runJobs } from '../../gates/run.ts';
import type { Registration } from '../../report/registration.ts';
import { counted } from '../../report/words.ts';
import type { Aim, FoundRow } from '../../repro/aims.ts';
import { aimsOf, controlAims } from '../../repro/aims.ts';
import { addressText, matcher } from '../../spec/address.ts';
import type { Kernel } from '../../spec/registration.ts';
import { NothingRunError } from '../errors.ts';
import type { Interruption } from '../interrupt.ts';
import { interruptedText, interruptibly } from '../interrupt.ts';
import { planOf } from '../plan.ts';
import { progressOn } from '../progress.ts';
import type { ReproOptions } from './flags.ts';
import { printError } from '../print.ts';
import { readReportFile } from '../reports/read-report.ts';
import { sourcesHash } from '../reports/sources.ts';
import { settingsOf } from '../selection.ts';
import { lanesFor } from '../run-plan.ts';
import { sequenceOf } from '../sequence.ts';
import type { Workshops } from './workshop.ts';

export interface Aims {
  readonly aims: readonly Aim[];
  /** The seed of every input: a report's own, where there is one. */
  readonly seed: string;
  /** Jobs that a fault of ours ended. */
  readonly died: number;
}

export async function aimsFor(options: ReproOptions, shops: Workshops): Promise<Aims> {
  return options.report === undefined ? runAims(options, shops) : reportAims(options.report, options, shops);
}

/** Runs the gates that are selected, without controls, and takes what they find. */
async function runAims(options: ReproOptions, { kernels, devices }: Workshops): Promise<Aims> {
  const settings = settingsOf({ ...options, 'no-controls': true }, devices);
  const all = [...kernels.values()];
  const plan = planOf(all, settings);
  const selects = matcher(options.only.filter((filter) => filter.includes('!')));
  const named = options.only.some((filter) => filter.includes('!'));
  const planted = named ? all.flatMap((kernel) => controlAims(kernel, devices, selects)) : [];
  if (plan.jobs.length === 0 && planted.length === 0) throw nothing(options);
  const progress = progressOn(process.stderr);
  const sequence = sequenceOf(plan);
  const registrations: Registration[] = [];
  const count = { done: 0, died: 0 };
  const onDone = (done: JobDone): void => {
    count.done++;
    if (done.error !== undefined) count.died++;
    registrations.push(...sequence.take(done));
    progress.show(count.done, plan.jobs.length, `${done.job.kernel} ${done.job.gate}`);
  };
  const told = (interruption: Interruption): string => {
    progress.clear();
    return interruptedText(interruption, count.done, plan.jobs.length);
  };
  await interruptibly(told, async () => runJobs(all, plan.jobs, await lanesFor(settings, options), onDone));
  progress.clear();
  const rows = registrations.flatMap(({ gates, device }) => gates.map((gate) => ({ ...gate, device: device.id })));
  return { aims: [...aimsIn(rows, kernels, devices), ...planted], seed: options.seed, died: count.died };
}

/** What a report holds, of kernels that are here. */
function reportAims(file: string, options: ReproOptions, { kernels, listing }: Workshops): Aims {
  const { registrations, devices, seed, program } = readReportFile(file);
  if (program.sources !== sourcesHash(listing))
    printError(`${file} is of other contracts or sources than those here: what it found is looked for in these.`);
  const selects = matcher(options.only);
  const rows = registrations.flatMap(({ kernel, dialect, device, gates }) =>
    gates.map(({ gate, status, reason, findings }) => {
      const address = (label: string): string => addressText({ kernel, dialect, gate, label });
      const all = findings.map(({ case: label, ...finding }) => ({ label, ...finding }));
      const selected = all.filter(({ label }) => selects(address(label)));
      const isLeftOut = selected.length === 0 && (all.length > 0 || !selects(address('*')));
      const row = { kernel, dialect, gate, status, device, ...(reason !== undefined && { reason }) };
      return { ...row, findings: selected, isLeftOut };
    }),
  );
  const wanted = rows.filter(
    ({ gate, dialect, isLeftOut }) => !isLeftOut && options.gate.includes(gate) && options.dialect.includes(dialect),
  );
  return { aims: aimsIn(wanted, kernels, devices), seed, died: 0 };
}

function aimsIn(
  rows: readonly FoundRow[],
  kernels: ReadonlyMap<string, Kernel>,
  devices: readonly { readonly id: string; readonly chip?: string | undefined }[],
): Aim[] {
  return rows.flatMap((row) => {
    const kernel = kernels.get(row.kernel);
    if (kernel?.dialects.includes(row.dialect))
      return aimsOf(kernel, row, devices.find(({ id }) => id === row.device)?.chip);
    throw new NothingRunError(
      `The report names ${row.kernel}@${row.dialect}, which is not registered here, so nothing was run.\n  Run --repro beside the kernels that the report is of.`,
    );
  });
}

const nothing = ({ only }: ReproOptions): NothingRunError =>
  new NothingRunError(
    `Nothing is selected, so nothing was run: no case or control matches the ${counted(only.length, 'filter')} of --only.\n  --list prints every address.`,
  );
