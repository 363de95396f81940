/** What stands beside the executable in its archive: completions, the man page, licence notices, the README. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { completionsOf } from '../../src/cli/arguments/completions.ts';
import { manPage } from '../../src/cli/arguments/man.ts';
import { PROGRAM, VERSION } from '../../src/cli/version.ts';
import { commitDate, ROOT } from '../binary/build-for.ts';
import { licenceNotices } from './licences.ts';

export function writeCompanions(folder: string): void {
  const completions = join(folder, 'completions');
  mkdirSync(completions, { recursive: true });
  writeFileSync(join(completions, `${PROGRAM}.bash`), completionsOf('bash'));
  writeFileSync(join(completions, `_${PROGRAM}`), completionsOf('zsh'));
  writeFileSync(join(completions, `${PROGRAM}.fish`), completionsOf('fish'));
  writeFileSync(join(folder, `${PROGRAM}.1`), manPage(VERSION, commitDate()));
  writeFileSync(join(folder, 'LICENSES.txt'), licenceNotices());
  writeFileSync(join(folder, 'README.md'), readFileSync(join(ROOT, 'README.md')));
}
