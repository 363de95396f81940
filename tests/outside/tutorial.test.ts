/** The tutorial is true: its commands, in an empty folder with the built executable, print what it says. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Ran } from '../cli/executable.ts';
import { buildOnce, EXECUTABLE, ran } from '../cli/executable.ts';
import type { Outside } from './kit.ts';
import { environment, openOutside } from './kit.ts';

const HOUR = 3600 * 1000;
/** Kept from one run of the tests to the next: most of the time goes to compiles. */
const CACHE = join(import.meta.dir, '../../build/host/executable-cache');
const PAGE = join(import.meta.dir, '../../docs/tutorial.md');

interface Block {
  /** What stands behind the fence: `sh`, `sh nvcc`, `text`, `diff`, `ts`. */
  readonly kind: string;
  readonly text: string;
}

const blocks = [...readFileSync(PAGE, 'utf8').matchAll(/^```([\w ]+)\n([^]*?)^```$/gm)].map(
  ([, kind = '', text = '']): Block => ({ kind, text }),
);
const recording = blocks.findIndex(({ kind }) => kind === 'sh nvcc');

let place: Outside;
beforeAll(async () => {
  await buildOnce();
  place = openOutside();
}, HOUR);
afterAll(() => place.close());

const shell = (script: string): Promise<Ran> =>
  ran(['/bin/sh', '-c', script], {
    cwd: place.folder,
    env: {
      ...environment(),
      PATH: `${dirname(EXECUTABLE)}:${process.env['PATH'] ?? ''}`,
      TF_CACHE_DIR: CACHE,
    },
  });

/** Runs the commands of blocks, makes their edits, and holds what is printed to what they say. */
async function follow(part: readonly Block[]): Promise<void> {
  let printed = '';
  for (const { kind, text } of part) {
    if (kind.startsWith('sh')) {
      const { stdout, stderr } = await shell(text);
      expect(stderr).toBe('');
      printed = stdout;
    } else if (kind === 'diff') change(text);
    else if (kind === 'text') expect(missing(text, printed)).toEqual([]);
  }
}

/** Lines of the page that do not come in the output, in their order; `...` stands for any. */
function missing(text: string, printed: string): string[] {
  const lines = printed.split('\n').map(timeless);
  const wanted = text.trimEnd().split('\n').map(timeless);
  let at = 0;
  return wanted.filter((line) => {
    if (line === '...') return false;
    const found = lines.indexOf(line, at);
    if (found >= 0) at = found + 1;
    return found < 0;
  });
}

const timeless = (line: string): string => line.replaceAll(/\d+\.\d\d s\b/g, '# s');

/** An edit as the page writes it: the file, then lines that stay, go and come. */
function change(text: string): void {
  const [head = '', ...lines] = text.trimEnd().split('\n');
  const file = join(place.folder, head.replace('--- ', ''));
  const side = (sign: string): string =>
    lines
      .filter((line) => line.startsWith(' ') || line.startsWith(sign))
      .map((line) => line.slice(1))
      .join('\n');
  const before = readFileSync(file, 'utf8');
  expect(before.split(side('-'))).toHaveLength(2);
  writeFileSync(
    file,
    before.replace(side('-'), () => side('+')),
  );
}

test(
  'its commands print what it says, from an empty folder to a contract',
  async () => {
    expect(blocks.filter(({ kind }) => kind === 'sh').length).toBeGreaterThan(6);
    await follow(blocks.slice(0, recording));
  },
  HOUR,
);

const hasNvcc = Bun.which('nvcc') !== null && Bun.spawnSync(['nvcc', '--version']).stdout.includes('release 13.0');

test.skipIf(!hasNvcc)(
  'its records are what nvcc 13.0 makes',
  async () => {
    await follow(blocks.slice(recording));
  },
  HOUR,
);
