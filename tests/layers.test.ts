/**
 * Data flows one way: a file imports from its own layer or an earlier one. Type imports obey too. audit imports neither device
 * nor gates, numerics and families nothing of Bun or node, and only cli prints, prompts or exits.
 */
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const ROOT = join(import.meta.dir, '..');
const LAYERS = ['numerics', 'families', 'spec', 'device', 'gates', 'audit', 'faults', 'repro', 'report', 'cli'];
const files = [...new Bun.Glob('src/**/*.ts').scanSync({ cwd: ROOT })].toSorted();
const text = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const layerOf = (file: string): string => file.split('/')[1] ?? '';

/** Every module that a file names in an import, an export or an `import()`. */
function imports(file: string): string[] {
  return [...text(file).matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'([^']+)'/g)].map(([, name]) => name ?? '');
}

/** A file's imports within src, relative to the root. */
const local = (file: string): string[] =>
  imports(file)
    .filter((name) => name.startsWith('.'))
    .map((name) => relative(ROOT, join(ROOT, dirname(file), name)));

describe('the layers', () => {
  test('there are files in each layer that exists, and main.ts beside them', () => {
    expect(files.filter((file) => !LAYERS.includes(layerOf(file)))).toEqual(['src/main.ts']);
  });

  test('no import points to a later layer', () => {
    const wrong = files.flatMap((file) => {
      const own = LAYERS.indexOf(layerOf(file));
      if (own < 0) return [];
      return local(file).flatMap((other) => (LAYERS.indexOf(layerOf(other)) > own ? [`${file} imports ${other}`] : []));
    });
    expect(wrong).toEqual([]);
  });

  test('audit imports neither device nor gates', () => {
    const wrong = files.filter((file) => layerOf(file) === 'audit').flatMap(local);
    expect(wrong.filter((other) => ['device', 'gates'].includes(layerOf(other)))).toEqual([]);
  });

  test('numerics imports nothing, families numerics alone, and neither anything of Bun or node', () => {
    const wrong = files.flatMap((file) => {
      if (!['numerics', 'families'].includes(layerOf(file))) return [];
      const foreign = imports(file).filter((name) => !name.startsWith('.'));
      return [...foreign, ...(/\bBun\./.test(text(file)) ? ['Bun'] : [])].map((name) => `${file}: ${name}`);
    });
    expect(wrong).toEqual([]);
  });

  test('only cli and main.ts print, prompt or exit', () => {
    const printing = /\bconsole\.|process\.(exit|stdout|stderr)|@clack\/prompts/;
    const wrong = files.filter(
      (file) => layerOf(file) !== 'cli' && file !== 'src/main.ts' && printing.test(text(file)),
    );
    expect(wrong).toEqual([]);
  });

  test('no source file is over 400 lines', () => {
    const sources = ['src', 'ffi', 'kernels', 'scripts', 'tests'].flatMap((folder) => [
      ...new Bun.Glob(`${folder}/**/*.{ts,cpp,h,hpp,cuh,cu,hip,metal,cl}`).scanSync({ cwd: ROOT }),
    ]);
    const long = sources.filter((file) => text(file).split('\n').length > 401);
    expect(long).toEqual([]);
  });
});
