/** Fatbins assembled here: packings, suffixes, several containers, host files, and images that lie. */
import { describe, expect, test } from 'bun:test';
import { readCuda } from '../../../src/audit/images/cuda.ts';
import { fatbinEntries } from '../../../src/audit/images/fatbin.ts';
import { readImage } from '../../../src/audit/images/read.ts';
import type { ImageReading } from '../../../src/audit/measured.ts';
import { assembledImages } from './assembled.ts';
import type { EntryParts, KernelParts } from './cuda-kit.ts';
import { buildContainer, buildCubin, buildHost, cubinEntry, LZ4, PTX, STORED, ZSTD } from './cuda-kit.ts';
import { ascii, join, le, padded } from './elf-kit.ts';
import { expectAnswers } from './mutate.ts';

const cubin = (sm: number, ...kernels: readonly KernelParts[]): Uint8Array => buildCubin({ sm, kernels });
const relocatable = (sm: number): Uint8Array => buildCubin({ sm, type: 1, kernels: [{ name: 'k' }] });
const ptx = (sm: number, flags = STORED): EntryParts => ({ kind: 1, sm, flags, payload: PTX });
const fatbin = (...entries: readonly EntryParts[]): Uint8Array => buildContainer(entries);

/** `symbol@chip:registers` of each kernel. */
const shown = ({ kernels }: ImageReading): readonly string[] =>
  kernels.map((kernel) => (kernel.dialect === 'cuda' ? `${kernel.symbol}@${kernel.chip}:${kernel.registers}` : ''));
const problemsOf = ({ problems }: ImageReading): readonly string[] => problems.map((problem) => problem.class);
const read = (bytes: Uint8Array): ImageReading => readCuda(bytes, 'k.fatbin');

describe('a fatbin', () => {
  test.each([undefined, 'zstd', 'lz4'] as const)('gives the kernels of its %s images', (packing) => {
    const image = (sm: number, registers: number) => cubinEntry(sm, cubin(sm, { name: 'k', registers }), packing);
    const reading = read(fatbin(ptx(80), image(80, 10), image(120, 12)));
    expect([shown(reading), problemsOf(reading)]).toEqual([['k@sm_80:10', 'k@sm_120:12'], []]);
  });

  test('tells images of one SM apart by their suffix', () => {
    const image = (flags: number) => cubinEntry(90, cubin(90, { name: 'k' }), undefined, flags);
    const reading = read(fatbin(image(0), image(0x100000), image(0x200000)));
    expect(shown(reading)).toEqual(['k@sm_90:8', 'k@sm_90a:8', 'k@sm_90f:8']);
  });

  test('never unpacks PTX', () => {
    const broken = { ...ptx(80, ZSTD), packed: 8, size: 2 ** 50 };
    expect(problemsOf(read(fatbin(broken, cubinEntry(80, cubin(80, { name: 'k' })))))).toEqual([]);
  });

  test('has entry headers of any size, and containers back to back, aligned to 8', () => {
    const image = { ...cubinEntry(80, cubin(80, { name: 'a' })), extra: 40 };
    const second = fatbin(ptx(80), cubinEntry(86, cubin(86, { name: 'b' })));
    const containers = join(fatbin(image), new Uint8Array(16), second);
    expect(shown(read(containers))).toEqual(['a@sm_80:8', 'b@sm_86:8']);
    const places = [...fatbinEntries(containers)].map(({ container, index }) => `${container} ${index}`);
    expect(places).toEqual(['0 0', '1 1', '1 2']);
  });

  test('may end between multiples of 8, where the next one does not start', () => {
    const image = { ...cubinEntry(80, cubin(80, { name: 'a' })), extra: 44 };
    const second = fatbin(cubinEntry(86, cubin(86, { name: 'b' })));
    expect(shown(read(join(padded(fatbin(image), 8), second)))).toEqual(['a@sm_80:8', 'b@sm_86:8']);
  });

  test('passes kinds nobody knows, and debug images are images', () => {
    const unknown = { kind: 77, sm: 80, payload: ascii('whatever') };
    expect(shown(read(fatbin(unknown, cubinEntry(80, cubin(80, { name: 'k' }), undefined, 2))))).toEqual(['k@sm_80:8']);
    expect(problemsOf(read(fatbin(unknown)))).toEqual(['newer-than-known']);
  });
});

describe('a fatbin without records', () => {
  const lto = { kind: 8, sm: 80, payload: ascii('obfuscated') };

  test.each([
    ['PTX alone', fatbin(ptx(80)), ['no-executable-image']],
    ['LTO-IR alone', fatbin(lto), ['no-executable-image']],
    ['relocatable images', fatbin(cubinEntry(80, relocatable(80)), ptx(80)), ['relocatable-only']],
    ['a relocatable image and LTO-IR', fatbin(cubinEntry(80, relocatable(80)), lto), ['relocatable-only']],
    ['no entries', fatbin(), ['no-executable-image']],
    ['no kernels', fatbin(cubinEntry(80, cubin(80))), ['no-kernels']],
    ['a newer version', buildContainer([ptx(80)], 2), ['newer-than-known']],
  ])('%s', (_, bytes, problems) => {
    expect([problemsOf(read(bytes)), shown(read(bytes))]).toEqual([problems, []]);
  });

  test('names a chip whose image waits for the link beside one that is linked', () => {
    const reading = read(fatbin(cubinEntry(80, cubin(80, { name: 'k' })), cubinEntry(90, relocatable(90))));
    expect([shown(reading), problemsOf(reading)]).toEqual([['k@sm_80:8'], ['relocatable-only']]);
    expect(reading.problems[0]?.what).toStartWith('sm_90 ');
    const same = read(fatbin(cubinEntry(80, relocatable(80)), cubinEntry(80, cubin(80, { name: 'k' }))));
    expect([shown(same), problemsOf(same)]).toEqual([['k@sm_80:8'], []]);
  });
});

describe('one symbol several times on one chip', () => {
  const several = (...all: readonly number[]): ImageReading =>
    read(
      join(
        ...all.map((registers) => fatbin(cubinEntry(80, cubin(80, { name: 'k', registers })))),
        fatbin(cubinEntry(86, cubin(86, { name: 'k', registers: 99 }))),
      ),
    );

  test('with the same facts is one kernel in several translation units', () => {
    expect(problemsOf(several(10, 10))).toEqual([]);
  });

  test('with different facts is ambiguous, and says where', () => {
    const reading = several(10, 12, 14);
    expect(problemsOf(reading)).toEqual(['ambiguous']);
    expect(reading.problems[0]?.what).toBe('k is in images 0 and 1 of sm_80 with different facts');
    expect(shown(reading)).toEqual(['k@sm_80:10', 'k@sm_80:12', 'k@sm_80:14', 'k@sm_86:99']);
  });
});

describe('a host file', () => {
  const linked = fatbin(cubinEntry(80, cubin(80, { name: 'k' })));

  test("gives the kernels of its linked images and leaves the link's inputs alone", () => {
    const inputs = fatbin(cubinEntry(80, relocatable(80)));
    const host = buildHost({ '.text': ascii('code'), '.nv_fatbin': linked, __nv_relfatbin: inputs });
    expect(shown(readImage(host, 'lib.so'))).toEqual(['k@sm_80:8']);
    expect(problemsOf(readImage(host, 'lib.so'))).toEqual([]);
  });

  test("with the link's inputs alone is relocatable only", () => {
    expect(problemsOf(readImage(buildHost({ __nv_relfatbin: linked }), 'k.o'))).toEqual(['relocatable-only']);
  });

  test('without device code is no image, nor is any other file', () => {
    expect(problemsOf(readImage(buildHost({ '.text': ascii('code') }), 'k.o'))).toEqual(['not-an-image']);
    expect(problemsOf(readImage(ascii('text'), 'k.txt'))).toEqual(['not-an-image']);
    expect(problemsOf(readImage(new Uint8Array(0), 'empty'))).toEqual(['not-an-image']);
  });

  test('of a static library is read by its members', () => {
    const member = (name: string, content: Uint8Array): Uint8Array =>
      join(ascii(`${`${name}/`.padEnd(48)}${String(content.length).padEnd(10)}\`\n`), padded(content, 2));
    const plain = member('plain.o', buildHost({ '.text': ascii('code') }));
    const device = member('device.o', buildHost({ '.nv_fatbin': linked }));
    const waiting = member('waiting.o', buildHost({ __nv_relfatbin: linked }));
    const library = join(ascii('!<arch>\n'), plain, device, waiting);
    const reading = readImage(library, 'lib.a');
    expect([shown(reading), problemsOf(reading)]).toEqual([['k@sm_80:8'], ['relocatable-only']]);
    expect(reading.problems[0]?.where).toBe('lib.a: waiting.o');
    expect(problemsOf(readImage(join(ascii('!<arch>\n'), plain), 'lib.a'))).toEqual(['not-an-image']);
  });
});

describe('a fatbin that lies', () => {
  const good = cubinEntry(86, cubin(86, { name: 'good' }));
  const packed = cubinEntry(80, cubin(80, { name: 'k' }), 'zstd');

  test.each([
    ['a size past what any image packs to', { ...packed, size: 2 ** 40 }, 'malformed'],
    ['a size under the content', { ...packed, size: (packed.size ?? 0) - 1 }, 'malformed'],
    ['a size over the content', { ...packed, size: (packed.size ?? 0) + 1 }, 'malformed'],
    ['a compression nobody knows', { ...packed, flags: STORED | 0x4000 }, 'newer-than-known'],
    ['LZ4 that is not', { ...packed, flags: LZ4 }, 'malformed'],
    ['a cubin of another SM', cubinEntry(89, cubin(80, { name: 'k' })), 'malformed'],
  ])('with %s gives the other images', (_, entry, problem) => {
    const reading = read(fatbin(entry, good));
    expect([shown(reading), problemsOf(reading)]).toEqual([['good@sm_86:8'], [problem]]);
  });

  test('with more packed bytes than its payload gives the images before', () => {
    const reading = read(fatbin(good, { ...packed, packed: packed.payload.length + 64 }, good));
    expect([shown(reading), problemsOf(reading)]).toEqual([['good@sm_86:8'], ['malformed']]);
  });

  test('cut short gives the images before the cut', () => {
    const both = join(fatbin(good), fatbin(cubinEntry(89, cubin(89, { name: 'k' }))));
    const reading = read(both.subarray(0, both.length - 8));
    expect([shown(reading), problemsOf(reading)]).toEqual([['good@sm_86:8'], ['truncated']]);
  });

  test.each([
    ['an entry of no bytes', join(le(4, 0xba55ed50, 2, 1, 2, 16, 8, 64), new Uint8Array(64))],
    ['a header of no bytes', join(le(4, 0xba55ed50, 2, 1, 2, 0, 8, 64), new Uint8Array(64))],
    ['noise after its container', join(fatbin(ptx(80)), ascii('12345678'))],
  ])('with %s ends', (_, bytes) => {
    expect(problemsOf(read(bytes))).toEqual(['malformed']);
  });

  test('that would unpack to much more than it is costs little', () => {
    const zeros = new Uint8Array(2 ** 24);
    const bomb = new Uint8Array(Bun.zstdCompressSync(zeros));
    const entry = { kind: 2, sm: 80, flags: ZSTD, payload: bomb, packed: bomb.length, size: zeros.length };
    expect(read(fatbin(entry)).problems[0]?.what).toContain('claim to unpack to 16777216');
    const smaller = { ...entry, size: 64 * bomb.length };
    expect(read(fatbin(smaller)).problems[0]?.what).toContain('the zstd frame holds 16777216 bytes');
    // The content's size stands after the magic, the descriptor and the window.
    new DataView(bomb.buffer).setUint32(6, smaller.size, true);
    expect(read(fatbin(smaller)).problems[0]?.what).toContain('damaged zstd');
  });
});

test.each(['fatbin', 'cuda-host'])('a damaged %s is answered', (reader) => {
  const images = assembledImages().filter((image) => image.reader === reader);
  for (const { bytes } of images) expectAnswers(bytes, 2000, (damaged) => readImage(damaged, 'k'));
  expect(images.length).toBe(1);
});
