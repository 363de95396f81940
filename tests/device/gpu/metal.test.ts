/** The shim of Metal over an emulated Objective-C runtime and framework. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LaunchArgument } from '../../../src/device/device.ts';
import { setVariable } from './environment.ts';
import { launchOf, newRig, prepare, refusalOf, withDevice } from './kit.ts';
import { metallibOf } from './metallib.ts';
import { argumentsOf, BYTES, imageOfTwice, kept, roundTrip, THREADS } from './twice.ts';

const rig = await newRig('metal');
const host = await imageOfTwice('metal');
const { shim } = rig;
const image = metallibOf(host);
const text = (words: string): Uint8Array => Buffer.from(words);

beforeEach(() => prepare(rig));
afterEach(() => expect(kept()).toEqual([]));

const all = (value: number): Uint32Array => new Uint32Array(THREADS).fill(value);

describe('what works', () => {
  test('launches run in order, and nothing is left behind', () => {
    expect(roundTrip(shim, image)).toEqual(all(7));
    expect(roundTrip(shim, image, 3)).toEqual(all(53));
  });

  test('source text is compiled by Metal itself', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tf-source-'));
    writeFileSync(join(folder, 'image'), host);
    setVariable('TF_EMULATE_METAL_IMAGE', join(folder, 'image'));
    expect(roundTrip(shim, text('kernel void twice() {}'), 2)).toEqual(all(22));
    setVariable('TF_EMULATE_METAL_IMAGE', undefined);
    rmSync(folder, { recursive: true });
  });

  test.each([
    [undefined, 'Apple M1 Pro', 'M1', 16],
    ['M3', 'Apple M3 Max', 'M3', 64],
    ['other', 'AMD Radeon  Pro  560', 'AMD Radeon  Pro  560', 4],
  ] as const)('the GPU tells what it is: %s', (emulated, name, chip, gigabytes) => {
    withDevice(rig, emulated ? { chip: emulated } : {}, (device) => {
      expect(shim.info(device)).toEqual({
        name,
        driver: 'Metal, macOS Version 15.1 (Build 24B83)',
        chip,
        max_threads: 1024,
        max_group: [1024, 1024, 1024],
        local_bytes: 32768,
        local_bytes_optin: 32768,
        memory_bytes: gigabytes * 2 ** 30,
      });
    });
  });

  test('a kernel tells what its pipeline is', () => {
    withDevice(rig, {}, (device) => {
      const { attributes } = shim.kernel(device, shim.load(device, image), 'twice');
      expect(attributes).toEqual({
        max_threads: 1024,
        static_local_bytes: 0,
        warp: 32,
        max_dynamic_local_bytes: 32768,
      });
    });
  });

  test('where Metal does not list a kernel’s arguments, they are taken as they are', () => {
    prepare(rig, { emulate: 'untold' });
    expect(roundTrip(shim, image)).toEqual(all(7));
  });

  test('an address inside a buffer is the buffer and an offset', () => {
    withDevice(rig, {}, (device) => {
      const { handle } = shim.kernel(device, shim.load(device, image), 'twice');
      const address = shim.alloc(device, 2 * BYTES);
      shim.fill(device, address, 0, 2 * BYTES);
      shim.launch(device, launchOf(handle, argumentsOf(address + BYTES)), {});
      shim.wait(device, 1000);
      const left = new Uint32Array(new ArrayBuffer(2 * BYTES));
      shim.download(device, address, new Uint8Array(left.buffer));
      expect(left).toEqual(new Uint32Array([...all(0), ...all(7)]));
    });
  });

  test('local memory is rounded up to what Metal takes, and a dynamic one is the first threadgroup argument', () => {
    withDevice(rig, {}, (device) => {
      const { handle } = shim.kernel(device, shim.load(device, image), 'twice');
      const [y, n] = argumentsOf(shim.alloc(device, BYTES)) as [LaunchArgument, LaunchArgument];
      shim.launch(device, launchOf(handle, [y, n, { kind: 'local', bytes: BYTES + 4 }]), {});
      shim.launch(device, launchOf(handle, [y, n], { dynamicLocalBytes: BYTES + 4 }), {});
      shim.wait(device, 1000);
    });
  });

  test('two devices are open at once, and a second GPU is another one', () => {
    prepare(rig, { devices: 2 });
    const [first, second] = [shim.open(0), shim.open(1)];
    expect(roundTrip(shim, image)).toEqual(all(7));
    shim.close(first);
    shim.close(second);
    expect(refusalOf(() => shim.open(2))).toMatchObject({
      failure: 'absent',
      message: 'no Metal GPU 2; there are 2',
    });
  });
});

describe('wrong calls', () => {
  const LAUNCHES = [
    ['too few buffers', { arguments: [] }, 'the kernel takes 2 buffers and 1 threadgroup arguments, not 0 and 0'],
    ['no threadgroup memory', { arguments: argumentsOf(0).slice(0, 2) }, 'takes 2 buffers and 1 threadgroup arguments'],
    ['a group past the bound', { group: [1025, 1, 1] }, '1025 threads a group; the pipeline runs at most 1024'],
    ['too much local memory', { dynamicLocalBytes: 32768 }, 'bytes of threadgroup memory; the GPU has 32768'],
    ['a group without a thread', { group: [0, 1, 1] }, 'launch: it has no thread'],
    ['a grid without a group', { grid: [1, 0, 1] }, 'launch: it has no thread'],
    ['a cluster', { cluster: 2 }, 'no clusters of groups in Metal'],
    ['an address that is no buffer’s', { arguments: argumentsOf(4096) }, 'launch: argument 0 lies in no buffer'],
  ] as const;
  test.each(LAUNCHES)('%s', (_, change, words) => {
    withDevice(rig, {}, (device) => {
      const { handle } = shim.kernel(device, shim.load(device, image), 'twice');
      const launch = launchOf(handle, argumentsOf(shim.alloc(device, BYTES)), change);
      expect(refusalOf(() => shim.launch(device, launch, {}))).toMatchObject({
        failure: 'bad-argument',
        message: expect.stringContaining(words) as string,
      });
    });
  });

  test('a cooperative launch', () => {
    withDevice(rig, {}, (device) => {
      const { handle } = shim.kernel(device, shim.load(device, image), 'outside');
      const launch = launchOf(handle, argumentsOf(shim.alloc(device, 4)).slice(0, 1));
      const { message } = refusalOf(() => shim.launch(device, launch, { cooperative: true }));
      expect(message).toBe('launch: Metal does not promise that all groups are resident');
    });
  });

  test('handles and addresses of nothing', () => {
    withDevice(rig, {}, (device) => {
      const address = shim.alloc(device, 16);
      const calls = [
        [() => shim.free(device, address + 1), 'free: no buffer starts at this address'],
        [() => shim.upload(device, address + 1, new Uint8Array(16)), 'upload: past the end of a buffer, or in none'],
        [() => shim.download(device, 1, new Uint8Array(1)), 'download: past the end of a buffer, or in none'],
        [() => shim.fill(device, address + 17, 0, 0), 'fill: past the end of a buffer, or in none'],
        [() => shim.unload(device, 1), 'unload: no such module'],
        [() => shim.kernel(device, 1, 'twice'), 'kernel: no such module'],
        [() => shim.launch(device, launchOf(1, []), {}), 'launch: no such kernel'],
        [
          () => shim.kernel(device, shim.load(device, image), 'thrice'),
          'the library has no kernel thrice; it has\ntwice\noutside\nadd',
        ],
      ] as const;
      for (const [call, words] of calls)
        expect(refusalOf(call)).toMatchObject({ failure: 'bad-argument', message: words });
    });
  });

  test('memory that a launch is to use is left alone until it has run', () => {
    withDevice(rig, {}, (device) => {
      const { handle } = shim.kernel(device, shim.load(device, image), 'twice');
      const address = shim.alloc(device, BYTES);
      shim.launch(device, launchOf(handle, argumentsOf(address)), {});
      const { message } = refusalOf(() => shim.download(device, address, new Uint8Array(4)));
      expect(message).toBe('download: a launch is queued; wait first');
    });
  });

  test.each([
    ['nothing', new Uint8Array(0), 'image: neither a metallib nor Metal source'],
    ['bytes', new Uint8Array([1, 0, 2]), 'image: neither a metallib nor Metal source'],
    ['no UTF-8', new Uint8Array([0xff, 0xfe]), 'image: the source is no UTF-8'],
    ['a cut metallib', image.slice(0, 20), 'library: Invalid library file'],
    ['source that does not compile', text('#error as it says'), 'library: program_source:1:2: error: as it says'],
  ])('an image that is none: %s', (_, bytes, words) => {
    withDevice(rig, {}, (device) => {
      expect(refusalOf(() => shim.load(device, bytes))).toMatchObject({ failure: 'bad-image', message: words });
    });
  });
});

describe('failures of the framework', () => {
  const FAULT = 'command buffer: Caused GPU Address Fault Error';
  test.each([
    ['no-device', 'absent', 'no Metal GPU 0; there are 0'],
    ['no-queue', 'no-memory', 'the GPU gives no command queue'],
    ['oom@1', 'no-memory', `the GPU gives no buffer of ${BYTES} bytes`],
    ['reject-image', 'bad-image', 'library: error: the emulated driver refuses image 1'],
    ['reject-pipeline', 'bad-image', 'twice: Compiler encountered an internal error'],
    ['refuse-launch@2', 'lost', 'command buffer: Insufficient Permission'],
    ['fault@2', 'fault', FAULT],
    ['sticky@2', 'fault', FAULT],
    ['removed@2', 'lost', 'command buffer: The device was removed'],
  ] as const)('%s: %s, all given back, and the next run is right', (emulate, failure, words) => {
    prepare(rig, { emulate });
    expect(refusalOf(() => roundTrip(shim, image, 2))).toMatchObject({
      failure,
      message: expect.stringContaining(words) as string,
    });
    expect(kept()).toEqual([]);
    prepare(rig);
    expect(roundTrip(shim, image, 2)).toEqual(all(22));
  });

  test('after a fault every call tells of it until the device is opened again', () => {
    withDevice(rig, {}, (device) => {
      const { handle } = shim.kernel(device, shim.load(device, image), 'outside');
      const address = shim.alloc(device, BYTES);
      shim.launch(device, launchOf(handle, [{ kind: 'buffer', address }]), {});
      expect(refusalOf(() => shim.wait(device, 1000)).failure).toBe('fault');
      for (const call of [
        () => shim.wait(device, 0),
        () => shim.alloc(device, 1),
        () => shim.fill(device, address, 0, 1),
      ]) {
        const { failure, message } = refusalOf(call);
        expect(failure).toBe('lost');
        expect(message).toContain(`the device is lost; close it and open it again. It was lost by: ${FAULT}`);
      }
    });
    expect(roundTrip(shim, image)).toEqual(all(7));
  });

  test('a kernel that hangs is left to run, with what it uses, and another queue works', () => {
    prepare(rig, { emulate: 'hang@2' });
    const { failure, message } = refusalOf(() => roundTrip(shim, image, 2, 20));
    expect(failure).toBe('timeout');
    expect(message).toBe('time limit: the launch still ran after 0.020 s');
    prepare(rig);
    expect(roundTrip(shim, image)).toEqual(all(7));
  });

  test('wrong bits come through as they are', () => {
    prepare(rig, { emulate: 'flip-bit@2' });
    expect(roundTrip(shim, image, 2).filter((value) => value !== 22)).toHaveLength(1);
  });
});
