/** `--replay FILE`: a fixture run again, in its own dialect or in those that are asked for. */
import type { Dialect } from '../../families/formula/functions.ts';
import { SubjectError } from '../../gates/subject.ts';
import { replay as replayed } from '../../repro/replay.ts';
import { replayLines } from '../../report/repro.ts';
import type { Fixture } from '../../spec/fixture.ts';
import { FixtureError, readFixture } from '../../spec/fixture.ts';
import { styleFor } from '../colour.ts';
import type { ExitCode } from '../errors.ts';
import { NothingRunError, UsageError } from '../errors.ts';
import { print } from '../print.ts';
import type { ReplayOptions } from './flags.ts';
import { readReplayFlags } from './flags.ts';
import { Workshops } from './workshop.ts';
import { textOf } from '../text-file.ts';
import { commandText, takePaths } from '../outside/take-paths.ts';
import { messageOf } from '../../spec/message-of.ts';

/** Bytes of a file that are looked at. */
const MOST_BYTES = 2 ** 22;

/** Replays a fixture; returns 0 where every verdict is the same, else 1. */
export async function replay(argv: readonly string[]): Promise<ExitCode> {
  const options = readReplayFlags(argv);
  const file = options.replay;
  await takePaths({ paths: options.paths, records: undefined });
  const fixture = readFile(file);
  const dialects = dialectsOf(fixture, options.dialect);
  const shops = await Workshops.find({ ...options, dialect: dialects });
  try {
    return (await replayAll(shops, fixture, dialects, options)) ? 0 : 1;
  } catch (error) {
    if (error instanceof FixtureError) throw notRun(file, error.problems);
    if (error instanceof SubjectError) throw notRun(file, [error.message]);
    throw error;
  } finally {
    shops.close();
  }
}

/** In each dialect on each of its devices; whether every verdict is the same. */
async function replayAll(
  shops: Workshops,
  fixture: Fixture,
  dialects: readonly Dialect[],
  options: ReplayOptions,
): Promise<boolean> {
  const style = await styleFor(process.stdout, process.env);
  const check = { strictWarps: options['strict-warps'], lockstep: options.lockstep };
  const settings = { limitMs: options.timeout * 1000, check };
  let same = true;
  for (const device of shops.devices) {
    const context = { style, seed: fixture.seed, device: shops.label(device.id), command: commandText() };
    for (const dialect of dialects.filter((each) => device.dialects.includes(each))) {
      const one = await replayed(await shops.on(device), fixture, settings, dialect);
      same &&= one.isSame;
      print(replayLines(options.replay, fixture, one, context));
    }
  }
  return same;
}

/** The fixture's own where none is asked for. */
const dialectsOf = ({ dialect }: Fixture, asked: readonly Dialect[] = [dialect]): Dialect[] => [...asked];

function readFile(file: string): Fixture {
  try {
    return readFixture(textOf(file, MOST_BYTES));
  } catch (error) {
    if (error instanceof FixtureError) throw notRun(file, error.problems);
    throw new UsageError(
      `--replay ${file} cannot be read: ${messageOf(error)}.\n  Name a fixture, which --repro writes.`,
    );
  }
}

const notRun = (file: string, problems: readonly string[]): NothingRunError =>
  new NothingRunError(
    [
      `${file} is no fixture that can be run here, so nothing was run.`,
      ...problems.map((problem) => `  ${problem.replaceAll('\n', '\n  ')}`),
      `  ${commandText()} --repro writes fixtures; docs/repro.md has their form.`,
    ].join('\n'),
  );
