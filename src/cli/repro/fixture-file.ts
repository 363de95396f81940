/** A fixture as a file: its name, the file, and the command that runs it again. */
import { accessSync, constants, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeWhole } from '../../device/toolchain/cache.ts';
import { shellWord } from '../../report/words.ts';
import type { Aim } from '../../repro/aims.ts';
import type { Fixture } from '../../spec/fixture.ts';
import { fixtureText } from '../../spec/fixture.ts';
import { messageOf } from '../../spec/message-of.ts';
import { UsageError } from '../errors.ts';
import { commandText } from '../outside/take-paths.ts';

/** `relu2_rows-cuda-nonfinite-class.json`, with a number where another file has that name. */
export function nameFor(aim: Aim, fixture: Fixture, folder = '.'): string {
  const { dialect, gate } = fixture;
  const { target, wanted } = aim;
  const control = target.control ? [target.control.id] : [];
  const stem = [target.kernel.name, dialect, ...control, gate, wanted.class ?? 'input'].join('-');
  for (let n = 1; ; n++) {
    const name = n === 1 ? `${stem}.json` : `${stem}-${n}.json`;
    if (!existsSync(join(folder, name)) || isWritten(join(folder, name), fixture)) return name;
  }
}

function isWritten(file: string, fixture: Fixture): boolean {
  try {
    return readFileSync(file, 'utf8') === fixtureText(fixture);
  } catch {
    return false; // a folder, or what is not ours to read
  }
}

/** Writes a fixture below a folder; returns its path. */
export function writeFixture(folder: string, aim: Aim, fixture: Fixture): string {
  const file = join(folder, nameFor(aim, fixture, folder));
  writeWhole(file, fixtureText(fixture));
  return file;
}

/** `flags`: those that the verdict depends on. */
export const replayCommand = (file: string, flags = ''): string =>
  [commandText(), '--replay', shellWord(file), flags].join(' ').trimEnd();

/** Makes the folder where it is not there; throws a UsageError where nothing can be written in it. */
export function requireFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
  } catch (error) {
    throw new UsageError(
      `--fixtures ${folder} cannot be written: ${messageOf(error)}.\n  Name a folder that is yours to write, there or not.`,
    );
  }
}
