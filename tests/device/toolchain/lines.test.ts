import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lowerCuda } from '../../../src/device/toolchain/lower/cuda.ts';
import { lowerMetal } from '../../../src/device/toolchain/lower/metal.ts';
import { lowerOpencl } from '../../../src/device/toolchain/lower/opencl.ts';

const KERNELS = join(import.meta.dir, '../../../kernels');

const LOWER: Readonly<Record<string, (text: string) => { readonly text: string }>> = {
  cu: (text) => lowerCuda(text),
  cuh: (text) => lowerCuda(text),
  hip: (text) => lowerCuda(text),
  metal: (text) => lowerMetal(text),
  cl: (text) => lowerOpencl(text),
};

const extensionOf = (name: string): string => name.slice(name.lastIndexOf('.') + 1);
const sources = readdirSync(KERNELS, { recursive: true })
  .map(String)
  .filter((name) => extensionOf(name) in LOWER)
  .sort();

/** What the lowering must leave alone on a line: its number, and the comments and directives on it. */
function skeleton(text: string): string[] {
  return text.split('\n').map((line) => /(?:\/\/|^#).*$/.exec(line)?.[0] ?? '');
}

describe("the project's own kernels", () => {
  test('are there', () => {
    for (const extension of ['cu', 'hip', 'metal', 'cl']) {
      expect(sources.filter((name) => extensionOf(name) === extension)).not.toBeEmpty();
    }
  });

  test.each(sources)('%s keeps every line where it is', (name) => {
    const source = readFileSync(join(KERNELS, name), 'utf8');
    const lowered = LOWER[extensionOf(name)]?.(source).text ?? '';
    expect(skeleton(lowered.slice(0, lowered.indexOf('\n# 1 "<kernel table>"')))).toEqual(skeleton(source));
  });
});
