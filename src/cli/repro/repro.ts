/** `--repro`: the smallest input behind each failure and each known finding; an explorer on a terminal, a plain list elsewhere. */
import { DeviceGone } from '../../device/device-gone.ts';
import { SubjectError } from '../../gates/subject.ts';
import type { Aim } from '../../repro/aims.ts';
import { explain } from '../../repro/explain.ts';
import { fixtureOf } from '../../repro/fixture.ts';
import type { Minimal } from '../../repro/minimise.ts';
import type { PursueOptions, Pursued } from '../../repro/pursue.ts';
import { pursue } from '../../repro/pursue.ts';
import type { SearchState } from '../../repro/search.ts';
import type { Settings } from '../../repro/suspect.ts';
import type { ReproContext } from '../../report/repro.ts';
import { rerunCommand } from '../../report/lines.ts';
import { aimLine, minimalLines, missedLines, reproSummary } from '../../report/repro.ts';
import type { Style } from '../../report/style.ts';
import { messageOf } from '../../spec/message-of.ts';
import { shapeText } from '../../families/tensor.ts';
import { styleFor } from '../colour.ts';
import type { ExitCode } from '../errors.ts';
import type { Interruption } from '../interrupt.ts';
import { interruptedText, interruptibly } from '../interrupt.ts';
import { print } from '../print.ts';
import { progressOn } from '../progress.ts';
import type { Aims } from './aims.ts';
import { aimsFor } from './aims.ts';
import type { ReproOptions } from './flags.ts';
import { readReproFlags } from './flags.ts';
import { replayCommand, requireFolder, writeFixture } from './fixture-file.ts';
import { rerunFlags } from '../run-plan.ts';
import { Workshops } from './workshop.ts';
import { commandText, takePaths } from '../outside/take-paths.ts';

/** Returns 1 where something fails that is not known, 70 where a fault of ours ended a job. */
export async function repro(argv: readonly string[]): Promise<ExitCode> {
  const options = readReproFlags(argv);
  if (options.fixtures !== undefined) requireFolder(options.fixtures);
  await takePaths({ paths: options.paths, records: undefined });
  const shops = await Workshops.find(options);
  try {
    const found = await aimsFor(options, shops);
    const isTerminal = process.stdin.isTTY && process.stdout.isTTY && process.env['TERM'] !== 'dumb';
    if (isTerminal && found.aims.length > 0) await (await import('./explorer.ts')).explore(shops, found, options);
    else await list(shops, found, options);
    if (found.died > 0) return 70;
    return found.aims.some(({ kind }) => kind === 'fail') ? 1 : 0;
  } finally {
    shops.close();
  }
}

/** Trials that a search has time for, however long a launch hangs. */
const TRIALS_LEAST = 10;

/** What a search works with: the flags of the command, and the seed of what it is after. */
export function settingsFor(options: ReproOptions, seed: string): Settings {
  const { schedules, timeout, lockstep } = options;
  const shrinkTime = options['shrink-time'];
  return {
    seed,
    limitMs: 1000 * Math.min(timeout, shrinkTime / TRIALS_LEAST),
    check: { strictWarps: options['strict-warps'], lockstep },
    ...(schedules && { schedules }),
  };
}

/** How far a search is: `shape rows=1,width=40, 3 not zero, 211 trials`. */
export const searchText = ({ phase, inputs, nonzero, trials }: SearchState): string =>
  `${phase} ${shapeText(inputs.shape)}, ${nonzero} not zero, ${trials} trials`;

async function list(shops: Workshops, { aims, seed }: Aims, options: ReproOptions): Promise<void> {
  const style = await styleFor(process.stdout, process.env);
  const settings = settingsFor(options, seed);
  const progress = progressOn(process.stderr);
  const smalls: Minimal[] = [];
  const told = (interruption: Interruption): string => {
    progress.clear();
    return interruptedText(interruption, smalls.length, aims.length);
  };
  await interruptibly(told, async () => {
    for (const [i, aim] of aims.entries()) {
      const watch = (state: SearchState): void => progress.show(i, aims.length, `${aim.address} ${searchText(state)}`);
      const context = contextFor(aim, { shops, options, seed, style });
      const pursued = await attempted(shops, aim, settings, { timeMs: options['shrink-time'] * 1000, watch });
      progress.clear();
      print([aimLine(aim, context), ...(await linesOf(aim, pursued, context, options.fixtures))]);
      if ('small' in pursued) smalls.push(pursued.small);
      if ('suspect' in pursued) pursued.suspect.release();
    }
  });
  print([reproSummary(aims, smalls)]);
}

/** As `pursue`, on the aim's own device; a target without an image or a device is missed, in words. */
export async function attempted(
  shops: Workshops,
  aim: Aim,
  settings: Settings,
  options: PursueOptions,
): Promise<Pursued> {
  const device = shops.devices.find(({ id }) => id === aim.device);
  if (!device) return { missed: `it was found on ${aim.device}, and there is no such device now` };
  try {
    return await pursue(await shops.on(device), aim, settings, options);
  } catch (error) {
    if (error instanceof SubjectError || error instanceof DeviceGone) return { missed: error.message };
    throw error;
  }
}

async function linesOf(
  aim: Aim,
  pursued: Pursued,
  context: ReproContext,
  folder: string | undefined,
): Promise<string[]> {
  if ('missed' in pursued) return missedLines(aim, pursued.missed, context);
  const { small, suspect } = pursued;
  const explained = await explain(suspect, small.inputs, small.finding.at);
  const again = folder === undefined ? writingCommand(aim, context) : writtenIn(folder, aim, pursued, context.flags);
  return minimalLines(aim, small, explained, context, again);
}

/** How the smallest input becomes a fixture, where none was asked for. */
function writingCommand({ address }: Aim, context: ReproContext): string {
  const command = `${context.command} --repro`;
  return `${rerunCommand(address, { ...context, command })} --fixtures DIR, then --replay what it writes`;
}

/** Writes a smallest input as a fixture, and says how it is run again; what cannot be written is told in its place. */
function writtenIn(
  folder: string,
  aim: Aim,
  { small, suspect }: Extract<Pursued, { small: Minimal }>,
  flags: string | undefined,
): string {
  try {
    const { inputs, finding, label } = small;
    return replayCommand(writeFixture(folder, aim, fixtureOf(suspect, { inputs, finding, label })), flags);
  } catch (error) {
    return `not written: ${messageOf(error)}`;
  }
}

interface Surroundings {
  readonly shops: Workshops;
  readonly options: ReproOptions;
  readonly seed: string;
  readonly style: Style;
}

/** What the lines of an aim share: they say how to run it again on the same device, with the flags that its verdict depends on. */
export function contextFor({ device }: Aim, { shops, options, seed, style }: Surroundings): ReproContext {
  const own = rerunFlags(options);
  const flags = [own, device !== 'host' && `--device ${device}`].filter(Boolean).join(' ');
  return { style, seed, device: shops.label(device), command: commandText(), flags };
}
