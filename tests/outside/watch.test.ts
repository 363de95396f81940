/** `--watch`: a saved file runs what it touches, and nothing else; it is left with the terminal as it was. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Outside } from './kit.ts';
import { environment, MAIN, openOutside, writeCopy } from './kit.ts';

const HOUR = 3600 * 1000;
const FLAGS = ['--watch', '--gate', 'shapes', '--mode', 'plain', '--no-controls'];

let place: Outside;
beforeEach(() => {
  place = openOutside();
  writeCopy(place, 'kernels/copy');
  writeCopy(place, 'kernels/twin');
  change('kernels/twin/copy.contract.ts', "name: 'copy'", "name: 'twin'");
  for (const kernel of ['copy', 'twin'])
    change(`kernels/${kernel}/copy.contract.ts`, "symbol: 'tf_copy'", "symbol: 'tf_copy', source: 'copy.cu'");
});
afterEach(() => place.close());

function change(path: string, from: string, to: string): void {
  const file = join(place.folder, path);
  const text = readFileSync(file, 'utf8');
  expect(text).toContain(from);
  writeFileSync(file, text.replace(from, to));
}

/** Output as it comes, in parts that end where a text has come. */
class Output {
  private text = '';
  private look: () => void = () => {};

  add(text: string): void {
    this.text += text;
    this.look();
  }

  /** All up to a text, once it has come. */
  async until(end: string): Promise<string> {
    while (!this.text.includes(end)) await new Promise<void>((resolve) => (this.look = resolve));
    const to = this.text.indexOf(end) + end.length;
    const part = this.text.slice(0, to);
    this.text = this.text.slice(to);
    return part;
  }
}

const command = (): string[] => [process.execPath, MAIN, 'kernels', ...FLAGS];

test(
  'without a terminal, runs follow one another until a signal',
  async () => {
    const output = new Output();
    const child = Bun.spawn(command(), {
      cwd: place.folder,
      env: environment(),
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const reading = (async () => {
      for await (const piece of child.stdout) output.add(new TextDecoder().decode(piece));
    })();
    const first = await output.until('WATCHING  2 contracts\n');
    expect(first).toContain('PASS  copy@cuda');
    expect(first).toContain('PASS  twin@cuda');

    change('kernels/twin/copy.cu', '= x[i];', '= 2 * x[i];');
    const second = await output.until('WATCHING  2 contracts\n');
    expect(second).toStartWith('SAVED  kernels/twin/copy.cu\nFAIL  twin@cuda:shapes:');
    expect(second).not.toContain('copy@cuda');

    change('kernels/copy/grids.ts', '[rows]', '[rows, 1]');
    const third = await output.until('WATCHING  2 contracts\n');
    expect(third).toStartWith('SAVED  kernels/copy/grids.ts\nPASS  copy@cuda');
    expect(third).not.toContain('twin@cuda');

    change('kernels/copy/copy.contract.ts', 'kernel({', 'kernal({');
    await output.until('WATCHING  2 contracts\n');
    writeFileSync(join(place.folder, 'kernels/copy/.copy.cu.swp'), 'an editor');
    child.kill('SIGTERM');
    expect(await child.exited).toBe(1);
    await reading;
    expect(await output.until('')).toBe('');
  },
  HOUR,
);

test(
  'on a terminal, q leaves',
  async () => {
    const output = new Output();
    const child = Bun.spawn(command(), {
      cwd: place.folder,
      env: environment(),
      terminal: { cols: 100, rows: 30, data: (_terminal, data) => output.add(new TextDecoder().decode(data)) },
    });
    expect(await output.until('WATCHING  2 contracts; q leaves')).toContain('PASS  twin@cuda');
    child.terminal?.write('q');
    expect(await child.exited).toBe(0);
  },
  HOUR,
);

test('needs a path', async () => {
  const { code, stderr } = await place.run('--watch');
  expect([code, stderr]).toEqual([
    2,
    '--watch needs the path of what it watches.\n  As in: tf-kernel-contract ./softmax --watch\n',
  ]);
});
