/** The default command: run what is selected, print each registration as it completes, close with SUMMARY. */
import { existsSync } from 'node:fs';
import type { RunDevice } from '../device/run-device.ts';
import { deviceLabel, kindOf } from '../device/run-device.ts';
import { modesOn } from '../gates/mode.ts';
import type { Planned, Tally } from '../report/tally.ts';
import { exitCode, summaryLine, tallyOf } from '../report/tally.ts';
import { counted, partialText } from '../report/words.ts';
import { styleFor } from './colour.ts';
import type { ExitCode } from './errors.ts';
import type { Options } from './arguments/flags.ts';
import type { LimitsRun } from './limits/gate.ts';
import { print, printCommands, printError } from './print.ts';
import { askedForm, FILE_FORMS } from './reports/flags.ts';
import type { Written } from './reports/files.ts';
import type { NamedFile } from './reports/json-file.ts';
import type { RunEnd } from './reports/run-report.ts';
import type { Cut, Finished } from './run-ledger.ts';
import type { Selection } from './selection.ts';
import { selectionOf } from './selection.ts';

/** Runs what the options select, or lists it; returns the exit code of the verdicts. */
export async function run(options: Options): Promise<ExitCode> {
  if (askedForm(options) !== undefined)
    (await import('./reports/files.ts')).requireReportFiles(options, journalOf(options));
  const selection = await selectionOf(options);
  if (options.list) {
    print(await selection.addresses());
    return 0;
  }
  const finished =
    selection.plan.registrations.length > 0
      ? await (await import('./run-plan.ts')).runPlan(selection, options, (cut) => reportCut(options, selection, cut))
      : NOTHING;
  const limits = selection.limits && (await liveOf(selection.limits, selection.settings.devices, finished));
  if (limits?.tells) print(limits.lines(await styleFor(process.stdout, process.env)));
  return finish(options, limits ? { ...selection, limits } : selection, finished);
}

/** The journal is written too. */
const journalOf = ({ resume }: Options): NamedFile[] =>
  resume === undefined ? [] : [{ what: 'the journal of --resume', file: resume }];

async function liveOf(
  limits: LimitsRun,
  devices: readonly RunDevice[],
  { registrations }: Finished,
): Promise<LimitsRun> {
  if (devices.every(({ id }) => id === 'host')) return limits;
  return (await import('./limits/live-limits.ts')).withLive(limits, devices, registrations);
}

const NOTHING: Finished = { registrations: [], totals: { elapsedMs: 0, referenceMs: 0, lanes: 0 }, died: 0 };

interface End {
  readonly planned: Planned;
  readonly facts: Pick<RunEnd, 'seed' | 'workers' | 'elapsedMs' | 'referenceMs'>;
  readonly gates: RunEnd['gates'];
  readonly tally: Tally;
  readonly summary: string;
}

/** What there is to say of a run, whole or not. */
function endOf(options: Options, { settings, plan, limits }: Selection, { registrations, totals }: Finished): End {
  const planned = {
    kernels: plan.registrations.filter(({ gates }) => gates.length > 0).length,
    controls: plan.registrations.reduce((sum, { controls }) => sum + controls.length, 0),
  };
  const tally = tallyOf(registrations, planned);
  const gates = settings.gates.filter((gate) => plan.registrations.some((planned) => planned.gates.includes(gate)));
  const whole = summaryLine(tally, gates, settings.controls, limits?.tally, settings.modes);
  const summary = options.shard ? `${whole}; shard ${options.shard.index} of ${options.shard.of}` : whole;
  const { lanes: workers, ...times } = totals;
  return { planned, facts: { ...times, workers, seed: options.seed }, gates, tally, summary };
}

/** What a run that is cut leaves: every form that was asked for, which says that it is partial. */
async function reportCut(options: Options, selection: Selection, cut: Cut): Promise<string[]> {
  if (askedForm(options) === undefined) return [];
  const { interruption, done, jobs } = cut;
  const { facts, gates, summary } = endOf(options, selection, cut);
  const { signal, exitCode: code } = interruption;
  const told = `${summary}; partial: ${partialText({ signal, done, jobs })}`;
  const end = { ...facts, gates, only: options.only, summary: told, exitCode: code, partial: { signal, done, jobs } };
  const { commands, problems } = await report(options, end, selection, cut);
  printCommands(commands);
  for (const problem of problems) printError(problem);
  return FILE_FORMS.flatMap((form) => options[form] ?? []).filter((file) => existsSync(file));
}

/** The last lines, the JSON file, the exit code. */
async function finish(options: Options, selection: Selection, finished: Finished): Promise<ExitCode> {
  const { settings, plan, limits } = selection;
  const { planned, facts, gates, tally, summary } = endOf(options, selection, finished);
  const empty = options.shard && (await import('./reports/shard.ts')).emptyShardText(selection);
  const code = finished.died > 0 ? 70 : empty === undefined ? exitCode(tally, limits?.tally) : 0;
  const end = { ...facts, gates, only: options.only, summary, exitCode: code };
  const written = askedForm(options) === undefined ? NOTHING_WRITTEN : await report(options, end, selection, finished);
  if (plan.jobs.length > 0 && !options.quiet) {
    const { closingLine } = await import('../report/lines.ts');
    print([
      closingLine({
        ...facts,
        device: settings.devices.map(deviceLabel).join(', '),
        selected: `${selectedText(planned.kernels, plan.total)}, ${modesText(settings)}`,
      }),
    ]);
  }
  printCommands(written.commands);
  print([...(empty === undefined ? [] : [empty]), summary]);
  for (const problem of written.problems) printError(problem);
  return written.problems.length > 0 && code === 0 ? 1 : code;
}

const NOTHING_WRITTEN: Written = { commands: [], problems: [] };

/** The modes of each device: a GPU has the arithmetic of its own compiler alone. */
function modesText({ devices, modes }: Selection['settings']): string {
  const own = devices.map(({ id }) => ({ id, text: modesOn(kindOf(id), modes).join(', ') || 'none' }));
  const alike = new Set(own.map(({ text }) => text)).size === 1;
  return alike ? `modes ${own[0]?.text}` : own.map(({ id, text }) => `modes of ${id} ${text}`).join('; ');
}

async function report(options: Options, end: RunEnd, selection: Selection, finished: Finished): Promise<Written> {
  const [{ runReport }, { writeReport }] = [
    await import('./reports/run-report.ts'),
    await import('./reports/files.ts'),
  ];
  return writeReport(await runReport(end, selection, finished), options);
}

function selectedText(selected: number, total: number): string {
  return selected === total ? `all ${counted(total, 'kernel')}` : `${selected} of ${counted(total, 'kernel')} selected`;
}
