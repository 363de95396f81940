/** The default command: run what is selected, print each registration as it completes, close with SUMMARY. */
import { deviceLabel } from '../device/run-device.ts';
import { exitCode, summaryLine, tallyOf } from '../report/tally.ts';
import { counted } from '../report/words.ts';
import { styleFor } from './colour.ts';
import { requireDevice } from './devices.ts';
import type { ExitCode } from './errors.ts';
import type { Options } from './flags.ts';
import { print } from './print.ts';
import type { Finished } from './run-plan.ts';
import type { Selection } from './selection.ts';
import { selectionOf } from './selection.ts';
import { BUILD_COMMIT, PLATFORM, VERSION } from './version.ts';

/** Runs what the options select, or lists it; returns the exit code of the verdicts. */
export async function run(options: Options): Promise<ExitCode> {
  requireDevice(options.device);
  if (options.json !== undefined) (await import('./json-file.ts')).requireWritable(options.json);
  const selection = await selectionOf(options);
  if (options.list) {
    print(await selection.addresses());
    return 0;
  }
  const finished = selection.plan.jobs.length > 0 ? await (await import('./run-plan.ts')).runPlan(selection) : NOTHING;
  if (selection.limits?.tells) print(selection.limits.lines(await styleFor(process.stdout, process.env)));
  return finish(options, selection, finished);
}

const NOTHING: Finished = { registrations: [], totals: { elapsedMs: 0, referenceMs: 0 }, died: 0 };

/** The last lines, the JSON file, the exit code. */
async function finish(options: Options, { settings, plan, limits }: Selection, finished: Finished): Promise<ExitCode> {
  const { registrations, totals, died } = finished;
  const planned = {
    kernels: plan.registrations.filter(({ gates }) => gates.length > 0).length,
    controls: plan.registrations.reduce((sum, { controls }) => sum + controls.length, 0),
  };
  const tally = tallyOf(registrations, planned);
  const gates = settings.gates.filter((gate) => plan.registrations.some((planned) => planned.gates.includes(gate)));
  const summary = summaryLine(tally, gates, settings.controls, limits?.tally, settings.modes);
  const code = died > 0 ? 70 : exitCode(tally, limits?.tally);
  const workers = Math.max(1, Math.min(settings.jobs, plan.jobs.length));
  const facts = { ...totals, workers, seed: options.seed };
  if (options.json !== undefined) {
    const program = { version: VERSION, commit: BUILD_COMMIT, platform: PLATFORM };
    const asked = { gates, modes: [...settings.modes], only: options.only, withControls: settings.controls };
    const devices = settings.devices.map((device) => ({ ...device, dialects: [...device.dialects] }));
    const head = { ...facts, program, devices, ...asked, summary, exitCode: code };
    const { reportOf, reportText } = await import('../report/json.ts');
    const { writeWhole } = await import('../device/toolchain/cache.ts');
    writeWhole(options.json, reportText(reportOf(head, registrations, await limits?.results())));
  }
  if (plan.jobs.length > 0) {
    const { closingLine } = await import('../report/lines.ts');
    print([
      closingLine({
        ...facts,
        device: settings.devices.map(deviceLabel).join(', '),
        selected: `${selectedText(planned.kernels, plan.total)}, modes ${settings.modes.join(', ')}`,
      }),
    ]);
  }
  print([summary]);
  return code;
}

function selectedText(selected: number, total: number): string {
  return selected === total ? `all ${counted(total, 'kernel')}` : `${selected} of ${counted(total, 'kernel')} selected`;
}
