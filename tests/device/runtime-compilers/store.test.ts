/** Images by a run-time compiler: what it is given, what it answers, what is left. */
import { afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { dlopen, FFIType } from 'bun:ffi';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ImageRequest } from '../../../src/device/images.ts';
import { COMPILERS } from '../../../src/device/runtime-compilers/kinds.ts';
import { compiledImages } from '../../../src/device/runtime-compilers/store.ts';
import { findClang } from '../../../src/device/toolchain/clang.ts';
import { compileOnce } from '../../../src/device/toolchain/once.ts';

const FLAGS = ['-shared', '-fPIC', '-O1', '-fvisibility=hidden', '-nostdlib', '-fuse-ld=lld', '-x', 'c', '-'];

/** The path of the fake compiler of a kind. */
async function fakeOf({ prefix, image }: { prefix: string; image: string }): Promise<string> {
  const { path, version } = await findClang();
  const input = readFileSync(join(import.meta.dir, '../../drivers/rtc/fake.c'), 'utf8');
  const command = [path, `-DPREFIX=${prefix}`, `-DIMAGE=${image}`, ...FLAGS];
  return compileOnce({ command, input, salt: version, extension: 'o' });
}

const SOURCES = new Map([
  ['shared/cuda/round.cuh', '// round of cuda'],
  ['shared/hip/round.hpp', '// round of hip'],
  ['rows/rows.cu', '// not a header of itself'],
  ['rows/own.cuh', '// own'],
  ['other/other.cuh', '// another kernel’s'],
]);

const request = (more: Partial<ImageRequest> = {}): ImageRequest => ({
  kind: 'fast',
  dialect: 'cuda',
  path: 'rows/rows.cu',
  text: 'kernel text',
  defines: { HEAD: 128, TYPE: 'float' },
  ...more,
});

afterEach(() => {
  for (const { variable, includeVariable } of Object.values(COMPILERS)) {
    delete process.env[variable];
    delete process.env[includeVariable];
  }
});

describe.each([
  { dialect: 'cuda', chip: 'sm_90', arch: '--gpu-architecture=sm_90', header: 'round.cuh' },
  { dialect: 'hip', chip: 'gfx942', arch: '--offload-arch=gfx942', header: 'round.hpp' },
] as const)('$dialect', ({ dialect, chip, arch, header }) => {
  const kind = COMPILERS[dialect];
  let path: string;
  let counts: { live: () => number; compiled: () => number };
  beforeAll(async () => {
    path = await fakeOf(kind);
    const count = { args: [], returns: FFIType.i32 } as const;
    const { symbols } = dlopen(path, { [`${kind.prefix}Live`]: count, [`${kind.prefix}Compiled`]: count });
    counts = { live: symbols[`${kind.prefix}Live`]!, compiled: symbols[`${kind.prefix}Compiled`]! };
  }, 60_000);

  function open() {
    process.env[kind.variable] = path;
    process.env[kind.includeVariable] = '/vendor/include';
    return compiledImages(dialect, chip, SOURCES);
  }

  test('a source goes in with its own headers, its macros and the chip, and an image comes out', async () => {
    const result = await open().get(request({ dialect }));
    if ('error' in result) throw new Error(result.error);
    const told = new TextDecoder().decode(result.image);
    expect(told).toStartWith('source rows/rows.cu\nkernel text\n');
    expect(told).toContain(`header ${header}\n// round of ${dialect}\n`);
    expect(told).toContain('header own.cuh\n// own\n');
    expect(told).not.toContain('another kernel');
    expect(told).not.toContain('not a header of itself');
    const options = told.split('\n').flatMap((line) => (line.startsWith('option ') ? [line.slice(7)] : []));
    expect(options).toContain(arch);
    expect(options.slice(-3)).toEqual(['-DHEAD=128', '-DTYPE=float', '-I/vendor/include']);
    expect(counts.live()).toBe(0);
  });

  test('what does not compile is the compiler’s own words', async () => {
    const images = open();
    expect(await images.get(request({ dialect, text: '#error' }))).toEqual({
      error: 'fake.cu(1): error: #error directive\n\n1 error detected.',
    });
    expect(await images.get(request({ dialect, text: '' }))).toEqual({
      error: `${kind.prefix}CreateProgram: ERROR_INVALID_PROGRAM (4)`,
    });
    expect(counts.live()).toBe(0);
  });

  test('one source is compiled once, and its edits and other macros by themselves', async () => {
    const [images, from] = [open(), counts.compiled()];
    for (const more of [
      {},
      { kind: 'fused' as const },
      { text: 'edited' },
      {},
      { defines: { HEAD: 64 } },
      { text: 'edited' },
    ])
      await images.get(request({ dialect, ...more }));
    expect(counts.compiled() - from).toBe(3);
  });

  test('a compiler that is not here is said for every image, with what to do', async () => {
    process.env[kind.variable] = '/no/such/compiler.so';
    const absent = await compiledImages(dialect, chip, SOURCES).get(request({ dialect }));
    expect(absent).toEqual({
      error:
        'No run-time compiler: /no/such/compiler.so: cannot open shared object file: No such file or directory. ' +
        `${kind.install} Or compile elsewhere, by --offline DIR, and run with --images DIR.`,
    });
    process.env[kind.variable] = 'libc.so.6';
    const other = await compiledImages(dialect, chip, SOURCES).get(request({ dialect }));
    expect(other).toMatchObject({
      error: expect.stringContaining(`No run-time compiler: libc.so.6 has no ${kind.prefix}Version. ${kind.install}`),
    });
  });
});
