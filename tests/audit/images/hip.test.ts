import { describe, expect, test } from 'bun:test';
import { isCompressedBundle } from '../../../src/audit/images/ccob.ts';
import { openElf } from '../../../src/audit/images/elf.ts';
import { holdsHip, isHipImage, readHip, readHipHost } from '../../../src/audit/images/hip.ts';
import type { HipMeasured, ImageProblem, ImageReading } from '../../../src/audit/measured.ts';
import { ascii, join, le } from './elf-kit.ts';
import type { KernelParts, ObjectParts } from './hip-kit.ts';
import { bundle, codeObject, compressed, hostObject, HOST_ENTRY, KERNEL, metadataOf, pack } from './hip-kit.ts';
import { expectAnswers } from './mutate.ts';

const ID = 'hipv4-amdgcn-amd-amdhsa--gfx1100';

const read = (bytes: Uint8Array): ImageReading => readHip(bytes, 'f');
const readHost = (bytes: Uint8Array): ImageReading => readHipHost(openElf(bytes), 'f');
const object = (parts: Partial<ObjectParts> = {}, kernel: Partial<KernelParts> = {}): Uint8Array =>
  codeObject({ kernels: [{ ...KERNEL, ...kernel }], ...parts });
const kernelsOf = ({ kernels, problems }: ImageReading): readonly HipMeasured[] => {
  expect(problems).toEqual([]);
  return kernels as readonly HipMeasured[];
};

/** The one problem of an image that gives no kernels. */
function problemOf({ kernels, problems }: ImageReading): Pick<ImageProblem, 'class' | 'what'> {
  expect([kernels.length, problems.length]).toEqual([0, 1]);
  const [{ class: kind, what }] = problems as [ImageProblem];
  return { class: kind, what };
}

describe('a code object', () => {
  test('gives every field of its note', () => {
    expect(kernelsOf(read(object()))).toEqual([
      {
        dialect: 'hip',
        symbol: 'k',
        chip: 'gfx1100',
        features: [],
        release: '21.0.3',
        vgprs: 20,
        agprs: 0,
        sgprs: 18,
        staticLds: 256,
        scratch: 16,
        maxFlatWorkgroup: 1024,
        wave: 32,
        vgprSpills: 5,
        sgprSpills: 3,
        dynamicStack: false,
      },
    ]);
  });

  test('optional keys: AGPRs, WGP mode, dynamic stack, required work-group', () => {
    const note = {
      '.agpr_count': 8,
      '.workgroup_processor_mode': 1,
      '.uses_dynamic_stack': true,
      '.reqd_workgroup_size': [32, 4, 2],
    };
    expect(kernelsOf(read(object({}, { note })))[0]).toMatchObject({
      agprs: 8,
      wgpMode: true,
      dynamicStack: true,
      requiredWorkgroup: [32, 4, 2],
    });
  });

  test('keys and values that are not known are stepped over, by their length', () => {
    const note = { '.new': { a: [1, [2, 'x'.repeat(300)]], b: 70000 }, '.flag': false, '.name2': 'k2' };
    expect(kernelsOf(read(object({}, { note })))[0]).toMatchObject({ symbol: 'k', vgprs: 20 });
  });

  test('feature flags of the target stand apart from the chip', () => {
    const target = 'amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-';
    const [kernel] = kernelsOf(read(object({ target }, { wave: 64 })));
    expect(kernel).toMatchObject({ chip: 'gfx942', features: ['sramecc+', 'xnack-'], wave: 64 });
  });

  test('a generic chip keeps its name', () => {
    const parts = { target: 'amdgcn-amd-amdhsa--gfx11-generic', abiVersion: 4 };
    expect(kernelsOf(read(object(parts)))[0]!.chip).toBe('gfx11-generic');
  });

  test('version 4 states the WGP mode in the descriptor alone', () => {
    const parts: Partial<ObjectParts> = { abiVersion: 2, version: [1, 1] };
    expect(kernelsOf(read(object(parts, { wgpMode: true })))[0]!.wgpMode).toBe(true);
    expect(kernelsOf(read(object(parts, { wgpMode: false })))[0]!.wgpMode).toBe(false);
  });

  test('VGPRs are those that the descriptor allocates, where it allocates more than are used', () => {
    expect(kernelsOf(read(object({}, { vgprs: 2, descriptorVgprs: 88 })))[0]!.vgprs).toBe(88);
    expect(kernelsOf(read(object({}, { vgprs: 81, descriptorVgprs: 88 })))[0]!.vgprs).toBe(81);
    const other = { target: 'amdgcn-amd-amdhsa--gfx1250' };
    expect(kernelsOf(read(object(other, { vgprs: 2, descriptorVgprs: 88 })))[0]!.vgprs).toBe(2);
  });

  test('a stripped one has its descriptors in the dynamic symbols', () => {
    expect(kernelsOf(read(object({ symbolType: 11 })))).toHaveLength(1);
  });

  test.each<[string, Partial<KernelParts>, string]>([
    ['VGPRs', { descriptorVgprs: 16 }, '20 VGPRs in the note, 16 in the descriptor'],
    ['LDS', { descriptorLds: 512 }, '256 LDS bytes in the note, 512 in the descriptor'],
    ['the wave', { note: { '.wavefront_size': 64 } }, 'wave 64 in the note, 32 in the descriptor'],
    ['WGP mode', { note: { '.workgroup_processor_mode': 0 } }, 'WGP mode false in the note, true in the descriptor'],
    ['its descriptor', { hasDescriptor: false }, 'no kernel descriptor k.kd'],
  ])('is not believed where note and descriptor differ: %s', (_, kernel, what) => {
    expect(problemOf(read(object({}, kernel)))).toEqual({ class: 'malformed', what: `k: ${what}` });
  });

  test.each<[string, Partial<ObjectParts>, ImageProblem['class']]>([
    ['a newer code object', { abiVersion: 5 }, 'newer-than-known'],
    ['an older code object', { abiVersion: 1 }, 'malformed'],
    ['newer metadata', { version: [1, 3] }, 'newer-than-known'],
    ['metadata of another major version', { version: [2, 0] }, 'newer-than-known'],
    ['a relocatable object', { type: 1 }, 'relocatable-only'],
    ['no kernels', { kernels: [] }, 'no-kernels'],
    ['a target without a chip', { target: 'amdgcn' }, 'malformed'],
    ['a target without end', { target: '-gfx'.repeat(50000) }, 'malformed'],
  ])('%s is a problem by name', (_, parts, kind) => {
    expect(problemOf(read(object(parts))).class).toBe(kind);
  });

  test.each(['.vgpr_count', '.max_flat_workgroup_size', '.wavefront_size', '.group_segment_fixed_size'])(
    'without %s there is no measurement',
    (key) => {
      const [kernel] = (metadataOf({ kernels: [KERNEL] }) as { 'amdhsa.kernels': [Record<string, number>] })[
        'amdhsa.kernels'
      ];
      const { [key]: _, ...rest } = kernel;
      const metadata = pack({ 'amdhsa.kernels': [rest], 'amdhsa.target': 'gfx1100', 'amdhsa.version': [1, 2] });
      expect(problemOf(read(object({ metadata })))).toEqual({
        class: 'malformed',
        what: `the metadata of k has no ${key}`,
      });
    },
  );

  test.each<[string, Uint8Array, ImageProblem['class']]>([
    ['a map of four thousand million entries', Uint8Array.of(0xdf, 255, 255, 255, 255), 'truncated'],
    [
      'a list of them, each a list',
      join(Uint8Array.of(0x81), pack('x'), new Uint8Array(2 ** 20).fill(0xdd)),
      'truncated',
    ],
    ['lists a million deep', join(Uint8Array.of(0x81), pack('x'), new Uint8Array(2 ** 20).fill(0x91)), 'truncated'],
    ['a text past the end', join(Uint8Array.of(0x81), Uint8Array.of(0xdb, 255, 255, 255, 255)), 'truncated'],
    ['a code that is no value', join(Uint8Array.of(0x81), pack('x'), Uint8Array.of(0xc1)), 'malformed'],
    ['a text where a number must stand', pack({ 'amdhsa.version': ['1', '2'] }), 'malformed'],
    ['no map at all', pack([1]), 'malformed'],
    ['no version', pack({ 'amdhsa.kernels': [] }), 'malformed'],
  ])('metadata: %s is answered', (_, metadata, kind) => {
    expect(problemOf(read(object({ metadata }))).class).toBe(kind);
  });
});

describe('a bundle', () => {
  const entries = [HOST_ENTRY, { id: ID, bytes: object() }];

  test.each([1, 64, 4096])('gives the kernels of each chip, entries at multiples of %d', (step) => {
    const second = { id: 'hipv4-amdgcn-amd-amdhsa--gfx1201', bytes: object({ target: 'amdgcn-amd-amdhsa--gfx1201' }) };
    const kernels = kernelsOf(read(bundle([...entries, second], step)));
    expect(kernels.map(({ chip }) => chip)).toEqual(['gfx1100', 'gfx1201']);
  });

  test('an id may write the empty environment as unknown', () => {
    const bytes = bundle([{ id: 'hip-amdgcn-amd-amdhsa-unknown-gfx1100', bytes: object() }]);
    expect(kernelsOf(read(bytes))).toHaveLength(1);
  });

  test.each<[string, Uint8Array, ImageProblem['class']]>([
    ['an image for another chip', bundle([{ id: ID.replace('1100', '1030'), bytes: object() }]), 'malformed'],
    ['bitcode alone', bundle([{ id: ID, bytes: Uint8Array.of(0x42, 0x43, 0xc0, 0xde) }]), 'relocatable-only'],
    [
      'SPIR-V alone',
      bundle([{ id: 'hip-spirv64-amd-amdhsa--amdgcnspirv', bytes: le(4, 0x07230203) }]),
      'no-executable-image',
    ],
    ['the host alone', bundle([HOST_ENTRY]), 'no-executable-image'],
    ['no entries', bundle([]), 'no-executable-image'],
  ])('%s is a problem by name', (_, bytes, kind) => {
    expect(problemOf(read(bytes)).class).toBe(kind);
  });

  test('one broken entry does not hide the others, and is named', () => {
    const bytes = bundle([{ id: `${ID}:xnack+`, bytes: object({ abiVersion: 9 }) }, ...entries]);
    const { kernels, problems } = read(bytes);
    expect(kernels).toHaveLength(1);
    expect(problems).toEqual([
      { class: 'newer-than-known', where: `f: ${ID}:xnack+`, what: 'code object v11; v4 to v6 are known' },
    ]);
  });

  test('entries that share bytes are refused: their number would multiply the work', () => {
    const bytes = bundle(entries, 64);
    const view = new DataView(bytes.buffer);
    view.setBigUint64(32, view.getBigUint64(32 + 24 + HOST_ENTRY.id.length, true), true);
    view.setBigUint64(40, 8n, true);
    expect(problemOf(read(bytes)).class).toBe('malformed');
  });

  test('a count past the file is truncated', () => {
    const bytes = bundle(entries);
    new DataView(bytes.buffer).setBigUint64(24, 2n ** 63n, true);
    expect(['truncated', 'malformed']).toContain(problemOf(read(bytes)).class);
  });
});

describe('a compressed bundle', () => {
  const plain = bundle([HOST_ENTRY, { id: ID, bytes: object() }]);
  const forms = [1, 2, 3].flatMap((version) => (['zlib', 'zstd'] as const).map((method) => ({ version, method })));

  test.each(forms)('version $version, $method', (form) => {
    const bytes = compressed(plain, form);
    expect([isCompressedBundle(bytes), isHipImage(bytes)]).toEqual([true, true]);
    expect(kernelsOf(read(bytes)).map(({ symbol }) => symbol)).toEqual(['k']);
  });

  test.each(forms)('version $version, $method: the next one starts after it', (form) => {
    const one = compressed(plain, form);
    const two = compressed(bundle([{ id: ID, bytes: object({}, { name: 'k2' }) }]), form);
    expect(kernelsOf(readHost(hostObject([one, two]))).map(({ symbol }) => symbol)).toEqual(['k', 'k2']);
  });

  test.each<[string, Uint8Array, ImageProblem['class']]>([
    ['a newer version', compressed(plain, { version: 4, method: 'zstd' }), 'newer-than-known'],
    ['another method', compressed(plain, { version: 2, method: 2 }), 'newer-than-known'],
    ['a size too small, zlib', compressed(plain, { version: 2, method: 'zlib', uncompressed: 100 }), 'malformed'],
    ['a size too large, zlib', compressed(plain, { version: 2, method: 'zlib', uncompressed: 9000 }), 'malformed'],
    ['another size, zstd', compressed(plain, { version: 2, method: 'zstd', uncompressed: 100 }), 'malformed'],
    ['a total past the file', compressed(plain, { version: 3, method: 'zstd', total: 2 ** 40 }), 'truncated'],
    ['a total within the header', compressed(plain, { version: 2, method: 'zstd', total: 7 }), 'truncated'],
    ['something else inside', compressed(ascii('no bundle'), { version: 2, method: 'zlib' }), 'not-an-image'],
  ])('%s is a problem by name', (_, bytes, kind) => {
    expect(problemOf(read(bytes)).class).toBe(kind);
  });

  test.each(forms)('version $version, $method: a bomb is refused before it is unpacked', (form) => {
    const bomb = compressed(new Uint8Array(2 ** 24), form);
    expect(bomb.length).toBeLessThan(20000);
    expect(problemOf(read(bomb)).what).toBe('unpacks to 16777216 bytes: more than 64 times the file');
  });

  test('many small bombs count together', () => {
    const zeros = bundle([{ ...HOST_ENTRY, bytes: new Uint8Array(2 ** 19) }]);
    const bomb = compressed(zeros, { version: 2, method: 'zstd' });
    const { problems } = read(join(...Array.from({ length: 9 }, () => bomb)));
    expect(problems.map(({ what }) => what.split(':')[0])).toEqual([
      'the bundle holds no image for a GPU',
      `unpacks to ${zeros.length} bytes`,
    ]);
  });

  test('a zstd frame that does not state its size is not unpacked', () => {
    const stated = Bun.zstdCompressSync(plain);
    const unstated = join(stated.subarray(0, 4), Uint8Array.of(0, 0x50), le(2, 8 * plain.length + 1, 1, 0), plain);
    expect(plain.length).toBeLessThan(2 ** 13);
    expect(Bun.zstdDecompressSync(unstated)).toEqual(Buffer.from(plain));
    const bytes = compressed(plain, { version: 2, method: 'zstd', packed: unstated });
    expect(problemOf(read(bytes)).what).toContain('no number of bytes');
  });

  test('a zstd block of a reserved type, and a frame cut short, are problems', () => {
    const packed = Bun.zstdCompressSync(plain);
    const cut = compressed(plain, { version: 2, method: 'zstd', packed: packed.subarray(0, packed.length - 1) });
    expect(problemOf(read(cut)).class).toBe('truncated');
    const reserved = join(packed.subarray(0, 4), Uint8Array.of(0x20, 1), le(2, 7, 1, 0));
    expect(problemOf(read(compressed(plain, { version: 2, method: 'zstd', packed: reserved }))).class).toBe(
      'malformed',
    );
  });
});

describe('a host file', () => {
  test('gives the kernels of every bundle', () => {
    const bundles = ['a', 'b'].map((name) => bundle([HOST_ENTRY, { id: ID, bytes: object({}, { name }) }]));
    const bytes = hostObject(bundles);
    expect([isHipImage(bytes), holdsHip(openElf(bytes))]).toEqual([false, true]);
    expect(kernelsOf(readHost(bytes)).map(({ symbol }) => symbol)).toEqual(['a', 'b']);
  });

  test('one symbol twice with other facts is ambiguous; with the same facts it is not', () => {
    const of = (lds: number): Uint8Array => bundle([{ id: ID, bytes: object({}, { lds }) }]);
    expect(readHost(hostObject([of(8), of(8)])).problems).toEqual([]);
    const { kernels, problems } = readHost(hostObject([of(8), of(16), of(24)]));
    expect(kernels).toHaveLength(3);
    expect(problems.map(({ class: kind }) => kind)).toEqual(['ambiguous']);
  });

  test('of -fgpu-rdc holds bitcode only', () => {
    const bytes = hostObject([ascii('BC')], '__CLANG_OFFLOAD_BUNDLE__hip-amdgcn-amd-amdhsa--gfx1100');
    expect(holdsHip(openElf(bytes))).toBe(true);
    expect(problemOf(readHost(bytes)).class).toBe('relocatable-only');
  });

  test('without HIP is a problem', () => {
    const bytes = hostObject([ascii('x')], '.data');
    expect(holdsHip(openElf(bytes))).toBe(false);
    expect(problemOf(readHost(bytes)).class).toBe('no-executable-image');
  });

  test('something else after a bundle is a problem, and the bundle is read', () => {
    const bytes = hostObject([bundle([{ id: ID, bytes: object() }]), ascii('else')]);
    const { kernels, problems } = readHost(bytes);
    expect(kernels).toHaveLength(1);
    expect(problems).toMatchObject([{ class: 'not-an-image' }]);
  });
});

describe('damaged copies are answered', () => {
  const entry = { id: ID, bytes: object() };
  const images: readonly [string, Uint8Array][] = [
    ['a code object', codeObject({ kernels: ['a', 'b', 'c'].map((name) => ({ ...KERNEL, name })) })],
    ['a bundle', bundle([HOST_ENTRY, entry])],
    ['zlib', compressed(bundle([HOST_ENTRY, entry]), { version: 1, method: 'zlib' })],
    ['zstd', compressed(bundle([HOST_ENTRY, entry]), { version: 3, method: 'zstd' })],
  ];

  test.each(images)('%s', (_, image) => {
    expectAnswers(image, 1000, read);
  });
});
