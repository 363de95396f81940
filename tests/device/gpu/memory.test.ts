/** Memory and images, over both emulated drivers. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { newLoadedRig, refusalOf, reported, type LoadedRig, withBench, withDevice } from './kit.ts';

describe.each([
  {
    dialect: 'cuda',
    memory: 'cuMemAlloc_v2: CUDA_ERROR_OUT_OF_MEMORY (2): out of memory',
    invalid: 'CUDA_ERROR_INVALID_VALUE (1): invalid argument',
    refused:
      'cuModuleLoadDataEx: CUDA_ERROR_NO_BINARY_FOR_GPU (209): no kernel image is available for execution on the device\n' +
      'error: the emulated driver refuses image 1',
  },
  {
    dialect: 'hip',
    memory: 'hipMalloc: hipErrorOutOfMemory (2): out of memory',
    invalid: 'hipErrorInvalidValue (1): invalid argument',
    refused:
      'hipModuleLoadDataEx: hipErrorNoBinaryForGpu (209): no kernel image is available for execution on the device',
  },
] as const)('$dialect', ({ dialect, memory, invalid, refused }) => {
  let rig: LoadedRig;
  beforeAll(async () => {
    rig = await newLoadedRig(dialect);
  }, 120_000);

  test('out of memory is told, and the device goes on', () => {
    withBench(rig, { emulate: 'oom@2' }, ({ device, alloc }) => {
      alloc(64);
      expect(refusalOf(() => alloc(64))).toMatchObject({ failure: 'no-memory', message: memory });
      expect(refusalOf(() => rig.shim.alloc(device, 2 ** 50))).toMatchObject({ failure: 'no-memory', message: memory });
      alloc(0);
    });
    expect([reported('violation'), reported('leak')]).toEqual([[], []]);
  });

  test('copies past the end of a buffer, and addresses of none, are bad arguments', () => {
    withBench(rig, {}, ({ device, alloc }) => {
      const { shim } = rig;
      const address = alloc(10);
      const failures = [
        refusalOf(() => shim.upload(device, address + 3, new Uint8Array(8))),
        refusalOf(() => shim.download(device, address + 10, new Uint8Array(1))),
        refusalOf(() => shim.fill(device, address - 1, 0, 2)),
        refusalOf(() => shim.free(device, address + 1)),
        refusalOf(() => shim.free(device, 12_345)),
      ];
      expect(failures.map(({ failure }) => failure)).toEqual(failures.map(() => 'bad-argument' as const));
      for (const { message } of failures) expect(message).toEndWith(invalid);
    });
    expect(reported('violation')).toHaveLength(5); // the driver's own account of them
    expect(reported('leak')).toEqual([]);
  });

  test('a fill repeats its word from any address, over any number of bytes, and nothing else', () => {
    withBench(rig, {}, ({ device, alloc }) => {
      const address = alloc(32);
      const bytes = new Uint8Array(new ArrayBuffer(32));
      for (const word of [0x04030201, 0xffffffff, 0x7fa17fa1, 0])
        for (let at = 0; at < 5; at++)
          for (let count = 0; count <= 12; count++) {
            rig.shim.fill(device, address, 0xeeeeeeee, 32);
            rig.shim.fill(device, address + at, word, count);
            rig.shim.download(device, address, bytes);
            const inside = (i: number): boolean => i >= at && i < at + count;
            const want = Array.from({ length: 32 }, (_, i) =>
              inside(i) ? (word >>> (8 * ((i - at) % 4))) & 255 : 0xee,
            );
            expect([...bytes]).toEqual(want);
          }
    });
    expect([reported('violation'), reported('leak')]).toEqual([[], []]);
  });

  test('an image that the driver refuses is a bad image, in its own words', () => {
    withDevice(rig, { emulate: 'reject-image@1' }, (device) => {
      const error = refusalOf(() => rig.shim.load(device, rig.image));
      expect(error).toMatchObject({ failure: 'bad-image', message: refused });
      rig.shim.unload(device, rig.shim.load(device, rig.image));
    });
    expect([reported('violation'), reported('leak')]).toEqual([[], []]);
  });

  test('an image that ends early never reaches the driver, which is not told where it ends', () => {
    withDevice(rig, {}, (device) => {
      const { image } = rig;
      const lengths = [0, 1, 15, 16, 63, 64, 65, 200, image.length >> 1, image.length - 64, image.length - 1];
      for (const length of lengths) {
        const error = refusalOf(() => rig.shim.load(device, image.slice(0, length)));
        expect(error).toMatchObject({ failure: 'bad-image', message: expect.stringContaining('neither a whole') });
      }
      for (const torn of [...tears(image), new Uint8Array(4096).fill(0xff), ...wild(dialect)]) {
        const error = refusalOf(() => rig.shim.load(device, torn));
        expect(error).toMatchObject({ failure: 'bad-image', message: expect.stringContaining('neither a whole') });
      }
    });
    expect([reported('violation'), reported('leak'), reported('refused')]).toEqual([[], [], []]);
  });
});

/** An ELF file with one of its headers' fields at a time past what there is: tables, their counts and entries, a section, a segment. */
function tears(image: Uint8Array): Uint8Array[] {
  const whole = new DataView(image.buffer, image.byteOffset);
  const [segments, sections] = [32, 40].map((at) => Number(whole.getBigUint64(at, true)));
  const torn = (write: (view: DataView) => void): Uint8Array => {
    const copy = new Uint8Array(image);
    write(new DataView(copy.buffer));
    return copy;
  };
  const past = BigInt(image.length) + 1n;
  return [
    torn((view) => view.setBigUint64(32, past, true)),
    torn((view) => view.setBigUint64(40, past, true)),
    torn((view) => view.setUint16(54, 40, true)),
    torn((view) => view.setUint16(56, 0xffff, true)),
    torn((view) => view.setUint16(58, 40, true)),
    torn((view) => view.setUint16(60, 0xffff, true)),
    torn((view) => view.setBigUint64((sections ?? 0) + 64 + 24, past, true)),
    torn((view) => view.setBigUint64((sections ?? 0) + 64 + 32, 2n ** 64n - 1n, true)),
    torn((view) => view.setBigUint64((segments ?? 0) + 8, past, true)),
    torn((view) => view.setBigUint64((segments ?? 0) + 32, past, true)),
  ];
}

/** Containers whose headers claim more than there is: of a fat binary its size, of a bundle an entry's bytes, place, name or number. */
function wild(dialect: 'cuda' | 'hip'): Uint8Array[] {
  const made = (start: string | number, words: readonly bigint[]): Uint8Array => {
    const bytes = new Uint8Array(new ArrayBuffer(128));
    const view = new DataView(bytes.buffer);
    if (typeof start === 'number') view.setUint32(0, start, true);
    else bytes.set(new TextEncoder().encode(start));
    words.forEach((word, i) => view.setBigUint64((typeof start === 'number' ? 8 : start.length) + 8 * i, word, true));
    return bytes;
  };
  const huge = 2n ** 64n - 64n;
  if (dialect === 'cuda') return [huge, huge + 48n, 113n].map((size) => made(0xba55ed50, [size]));
  const bundles = [
    [1n, 64n, huge, 4n],
    [1n, huge, 64n, 4n],
    [2n, 0n, 0n, 2n ** 63n],
    [huge, 0n, 0n, 0n],
  ];
  return bundles.map((words) => made('__CLANG_OFFLOAD_BUNDLE__', words));
}
