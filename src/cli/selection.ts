/** What the options select, of every gate; where that is nothing, why. */
import type { RunDevice } from '../device/run-device.ts';
import { hostFor } from '../device/run-device.ts';
import type { RunOptions } from '../gates/run.ts';
import { GATES } from '../spec/contract.ts';
import type { Kernel } from '../spec/registration.ts';
import { MODES } from '../spec/modes.ts';
import { DIALECTS } from '../families/formula/functions.ts';
import type { ReportPlan } from '../report/schema.ts';
import { counted, shellWord } from '../report/words.ts';
import { NothingRunError } from './errors.ts';
import type { Options } from './arguments/flags.ts';
import { LIMITS } from './arguments/flags.ts';
import type { LimitsRun } from './limits/gate.ts';
import { runLimits } from './limits/gate.ts';
import { listLines } from './list.ts';
import type { Plan } from './plan.ts';
import { commandText } from './outside/take-paths.ts';

export interface Selection {
  readonly kernels: readonly Kernel[];
  readonly settings: RunOptions;
  readonly plan: Plan;
  /** Gate 5, judged already; undefined where it is not asked for. */
  readonly limits?: LimitsRun;
  /** The lines of `--list`, and how many those are. */
  readonly addresses: () => Promise<string[]>;
  readonly selected: number;
  /** The plan that this is a shard of. */
  readonly whole?: ReportPlan;
}

/** Settles what a run takes; throws a NothingRunError where that is nothing. */
export async function selectionOf(options: Options): Promise<Selection> {
  const runs = options.gate.some((gate) => gate !== LIMITS);
  // Contracts are read while another process looks for GPUs.
  const [devices] = await Promise.all([
    runs && !options.list ? import('./devices.ts').then((of) => of.devicesFor(options)) : [hostFor(options.dialect)],
    runs ? import('../spec/listing.ts').then((of) => of.readListing()) : undefined,
  ]);
  const selection = await select(options, devices);
  // The standing controls of gate 5 are always there, and no kernel is held to the contract by them.
  if (selection.settings.gates.length > 0 && selection.kernels.length === 0) throw noKernels();
  if (selection.selected > 0 || selection.plan.registrations.length > 0) return ownShard(selection, options);
  throw await nothingSelected(options, devices);
}

async function ownShard(selection: Selection, { shard, times }: Options): Promise<Selection> {
  if (!shard) return selection;
  const report = times === undefined ? undefined : (await import('./reports/read-report.ts')).readReportFile(times);
  return (await import('./reports/shard.ts')).shardOf(selection, shard, report);
}

async function select(options: Options, devices: readonly RunDevice[]): Promise<Selection> {
  const settings = settingsOf(options, devices);
  const { only, dialects, controls } = settings;
  const limits = options.gate.includes(LIMITS) ? await runLimits({ only, dialects, controls }) : undefined;
  // Gate 5 alone needs no contract: what it needs is plain data.
  const { kernels, plan } = settings.gates.length > 0 ? await planFor(settings) : { kernels: [], plan: NO_PLAN };
  const listed = listLines(plan);
  return {
    kernels,
    settings,
    plan,
    ...(limits && { limits }),
    addresses: async () => [...listed, ...((await limits?.addresses()) ?? [])],
    selected: listed.length + (limits?.selected ?? 0),
  };
}

const NO_PLAN: Plan = { registrations: [], jobs: [], total: 0 };

async function planFor(settings: RunOptions): Promise<Pick<Selection, 'kernels' | 'plan'>> {
  const { loadKernels } = await import('../spec/load.ts');
  const kernels = loadKernels(await (await import('../spec/listing.ts')).readListing());
  return { kernels, plan: (await import('./plan.ts')).planOf(kernels, settings) };
}

type Asked = Pick<
  Options,
  'seed' | 'timeout' | 'only' | 'dialect' | 'mode' | 'no-controls' | 'strict-warps' | 'lockstep' | 'schedules' | 'jobs'
> & { readonly gate: readonly Options['gate'][number][] };

/** What a run on some devices is asked for. */
export function settingsOf(options: Asked, devices: readonly RunDevice[]): RunOptions {
  return {
    seed: options.seed,
    limitMs: options.timeout * 1000,
    only: options.only,
    gates: GATES.filter((gate) => options.gate.includes(gate)),
    dialects: options.dialect,
    modes: options.mode,
    devices,
    controls: !options['no-controls'],
    check: { strictWarps: options['strict-warps'], lockstep: options.lockstep },
    ...(options.schedules && { schedules: options.schedules }),
    jobs: options.jobs ?? navigator.hardwareConcurrency,
  };
}

/** A flag that leaves something out, as it was given, and the options without it. */
interface Filter {
  readonly text: string;
  readonly without: Options;
}

function filtersOf(options: Options): Filter[] {
  const { only, gate, dialect, mode } = options;
  const all: Options['gate'] = [...GATES, LIMITS];
  const without: Options = { ...options, 'no-controls': false };
  return [
    ...(gate.length < all.length ? [{ text: `--gate ${gate.join(',')}`, without: { ...options, gate: all } }] : []),
    ...(dialect.length < DIALECTS.length
      ? [{ text: `--dialect ${dialect.join(',')}`, without: { ...options, dialect: [...DIALECTS] } }]
      : []),
    ...(mode.length < MODES.length
      ? [{ text: `--mode ${mode.join(',')}`, without: { ...options, mode: [...MODES] } }]
      : []),
    ...(options['no-controls'] ? [{ text: '--no-controls', without }] : []),
    ...(only.length > 0 ? [{ text: onlyText(only), without: { ...options, only: [] } }] : []),
  ];
}

const onlyText = (only: readonly string[]): string => only.map((filter) => `--only ${shellWord(filter)}`).join(' ');

/** Names every flag that leaves something out, and those that leave out all there is. */
async function nothingSelected(options: Options, devices: readonly RunDevice[]): Promise<NothingRunError> {
  const filters = filtersOf(options);
  const excluding: string[] = [];
  for (const { text, without } of filters) {
    const { length } = await (await select(without, devices)).addresses();
    if (length > 0) excluding.push(`  Without ${text} it matches ${counted(length, 'address')}.`);
  }
  return new NothingRunError(
    [
      `Nothing is selected, so nothing was run: ${filters.map(({ text }) => text).join(' ')} matches no case and no control.`,
      ...excluding,
      `  An address reads kernel@dialect:gate:shape, of a control kernel@dialect!id; ${commandText()} --list prints every one.`,
    ].join('\n'),
  );
}

const noKernels = (): NothingRunError =>
  new NothingRunError(
    'No kernel is registered, so nothing was run.\n  Kernels are folders of kernels/ with a contract.',
  );
