/** The shim of Level Zero over an emulated loader. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { launchOf, newRig, prepare, refusalOf } from './kit.ts';
import { argumentsOf, BYTES, imageOfTwice, kept, roundTrip, THREADS } from './twice.ts';

const rig = await newRig('xpu');
const image = await imageOfTwice('xpu');
const { shim } = rig;

beforeEach(() => prepare(rig));
afterEach(() => expect(kept()).toEqual([]));

const all = (value: number): Uint32Array => new Uint32Array(THREADS).fill(value);

describe('what works', () => {
  test('launches run in order, and nothing is left behind', () => {
    expect(roundTrip(shim, image)).toEqual(all(7));
    expect(roundTrip(shim, image, 3)).toEqual(all(53));
  });

  test('the GPU tells what it is and what a group may have', () => {
    const device = shim.open(0);
    expect(shim.info(device)).toEqual({
      name: 'Emulated  Arc  A770',
      driver: 'Level Zero 1.3.24595',
      chip: 'acm-g10',
      max_threads: 1024,
      max_group: [1024, 1024, 1024],
      max_grid: [4294967295, 4294967295, 4294967295],
      warp: 32,
      local_bytes: 65536,
      local_bytes_optin: 65536,
      multiprocessors: 32,
      memory_bytes: 2 ** 34,
    });
    const { attributes } = shim.kernel(device, shim.load(device, image), 'twice');
    expect(attributes).toEqual({
      max_threads: 1024,
      static_local_bytes: 0,
      arguments: 3,
      spill_bytes: 64,
      warp: 32,
      required_warp: 0,
      max_dynamic_local_bytes: 65536,
    });
    shim.close(device); // takes the module and its kernel back
  });

  test('a SPIR-V image is told from a native one by how it begins', () => {
    const spirv = new Uint8Array([0x03, 0x02, 0x23, 0x07, ...image]);
    expect(roundTrip(shim, spirv)).toEqual(all(7));
  });

  test('a fill repeats its word from any address, for any number of bytes', () => {
    const device = shim.open(0);
    const address = shim.alloc(device, 64);
    for (const [at, bytes] of [
      [0, 64],
      [1, 1],
      [1, 7],
      [3, 2],
      [2, 9],
      [4, 0],
      [7, 33],
    ] as const) {
      shim.fill(device, address, 0, 64);
      shim.fill(device, address + at, 0x04030201, bytes);
      const want = new Uint8Array(64);
      for (let i = 0; i < bytes; i++) want[at + i] = 1 + (i % 4);
      const got = new Uint8Array(new ArrayBuffer(64));
      shim.download(device, address, got);
      expect(got).toEqual(want);
    }
    shim.close(device);
  });

  test('where a kernel’s most threads are not told, the driver alone judges a launch', () => {
    prepare(rig, { emulate: 'untold' });
    const device = shim.open(0);
    const { handle, attributes } = shim.kernel(device, shim.load(device, image), 'twice');
    expect(attributes.max_threads).toBe(0);
    const launch = launchOf(handle, argumentsOf(shim.alloc(device, BYTES)), { group: [1025, 1, 1] });
    expect(refusalOf(() => shim.launch(device, launch, {})).message).toContain('zeKernelSetGroupSize');
    shim.close(device);
    expect(roundTrip(shim, image)).toEqual(all(7));
  });

  test('two devices are open at once', () => {
    const first = shim.open(0);
    expect(roundTrip(shim, image)).toEqual(all(7));
    shim.close(first);
  });
});

describe('wrong calls', () => {
  const LAUNCHES = [
    ['too few arguments', { arguments: [] }, 'the kernel takes 3 arguments, not 0'],
    ['a group past the kernel’s bound', { group: [1025, 1, 1] }, '1025 threads a group; the kernel runs at most 1024'],
    [
      'a group without a thread',
      { group: [0, 1, 1] },
      'zeKernelSetGroupSize: ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION',
    ],
    [
      'a grid without a group',
      { grid: [1, 0, 1] },
      'zeCommandListAppendLaunchKernel: ZE_RESULT_ERROR_INVALID_ARGUMENT',
    ],
    ['a cluster', { cluster: 2 }, 'no clusters of groups in Level Zero'],
    ['dynamic local memory', { dynamicLocalBytes: 16 }, 'no dynamic local memory but that of an argument'],
    [
      'an address that is no buffer’s',
      { arguments: argumentsOf(4096) },
      'launch: past the end of a buffer, or in none',
    ],
  ] as const;
  test.each(LAUNCHES)('%s', (_, change, text) => {
    const device = shim.open(0);
    const { handle } = shim.kernel(device, shim.load(device, image), 'twice');
    const launch = launchOf(handle, argumentsOf(shim.alloc(device, BYTES)), change);
    expect(refusalOf(() => shim.launch(device, launch, {}))).toMatchObject({
      failure: 'bad-argument',
      message: expect.stringContaining(text) as string,
    });
    shim.close(device);
  });

  test('handles and addresses of nothing', () => {
    const device = shim.open(0);
    const address = shim.alloc(device, 16);
    const CALLS = [
      [() => shim.free(device, address + 1), 'free: no buffer starts at this address'],
      [() => shim.upload(device, address + 1, new Uint8Array(16)), 'upload: past the end of a buffer, or in none'],
      [() => shim.download(device, 1, new Uint8Array(1)), 'download: past the end of a buffer, or in none'],
      [() => shim.fill(device, address + 17, 0, 0), 'fill: past the end of a buffer, or in none'],
      [() => shim.unload(device, 1), 'unload: no such module'],
      [() => shim.kernel(device, 1, 'twice'), 'kernel: no such module'],
      [() => shim.launch(device, launchOf(1, []), {}), 'launch: no such kernel'],
      [() => shim.kernel(device, shim.load(device, image), 'thrice'), 'INVALID_KERNEL_NAME (0x78000011)\nthrice'],
    ] as const;
    for (const [call, text] of CALLS) {
      expect(refusalOf(call)).toMatchObject({
        failure: 'bad-argument',
        message: expect.stringContaining(text) as string,
      });
    }
    shim.close(device);
  });

  test('a module is not unloaded below a launch', () => {
    const device = shim.open(0);
    const module = shim.load(device, image);
    const { handle } = shim.kernel(device, module, 'twice');
    shim.launch(device, launchOf(handle, argumentsOf(shim.alloc(device, BYTES))), {});
    expect(refusalOf(() => shim.unload(device, module)).message).toBe('unload: a launch is queued; wait first');
    shim.close(device);
  });

  test('an image that is none', () => {
    const device = shim.open(0);
    const { failure, message } = refusalOf(() => shim.load(device, new Uint8Array([1, 2, 3])));
    expect(failure).toBe('bad-image');
    expect(message).toContain('zeModuleCreate: ZE_RESULT_ERROR_INVALID_NATIVE_BINARY (0x7800000f)');
    expect(refusalOf(() => shim.load(device, new Uint8Array(0))).failure).toBe('bad-image');
    shim.close(device);
  });
});

describe('failures of the driver', () => {
  const LOST = 'zeEventHostSynchronize: ZE_RESULT_ERROR_DEVICE_LOST (0x70000001)';
  test.each([
    ['no-device', 'absent', 'zeInit: ZE_RESULT_ERROR_UNINITIALIZED (0x78000001)'],
    ['no-events', 'no-memory', 'zeEventPoolCreate: ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY (0x70000002)'],
    ['old-driver', 'absent', 'the driver speaks Level Zero 0.91; install one of 1.0 or later'],
    ['oom@1', 'no-memory', 'zeMemAllocDevice: ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY (0x70000003)'],
    [
      'reject-image',
      'bad-image',
      'ERROR_MODULE_BUILD_FAILURE (0x70000004)\nerror: the emulated driver refuses image 1',
    ],
    ['refuse-launch@2', 'bad-argument', 'zeCommandListAppendLaunchKernel: ZE_RESULT_ERROR_INVALID_ARGUMENT'],
    ['fault@2', 'lost', LOST],
    ['sticky@2', 'lost', LOST],
    ['removed@2', 'lost', LOST],
  ] as const)('%s: %s, all given back, and the next run is right', (words, failure, text) => {
    prepare(rig, { emulate: words });
    expect(refusalOf(() => roundTrip(shim, image, 2))).toMatchObject({
      failure,
      message: expect.stringContaining(text) as string,
    });
    expect(kept()).toEqual([]);
    prepare(rig);
    expect(roundTrip(shim, image, 2)).toEqual(all(22));
  });

  test('after a fault every call tells of it until the device is opened again', () => {
    const device = shim.open(0);
    const { handle } = shim.kernel(device, shim.load(device, image), 'outside');
    const address = shim.alloc(device, BYTES);
    shim.launch(device, launchOf(handle, [{ kind: 'buffer', address }]), {});
    expect(refusalOf(() => shim.wait(device, 1000))).toMatchObject({ failure: 'lost', message: LOST });
    for (const call of [() => shim.wait(device, 0), () => shim.alloc(device, 1), () => shim.free(device, address)]) {
      const { failure, message } = refusalOf(call);
      expect(failure).toBe('lost');
      expect(message).toBe(`the device is lost; close it and open it again. It was lost by: ${LOST}`);
    }
    shim.close(device);
    expect(roundTrip(shim, image)).toEqual(all(7));
  });

  test('where a fault stays with the process, the device does not open again', () => {
    prepare(rig, { emulate: 'sticky@1' });
    expect(refusalOf(() => roundTrip(shim, image)).failure).toBe('lost');
    expect(refusalOf(() => shim.open(0))).toMatchObject({
      failure: 'lost',
      message: expect.stringContaining('zeContextCreate') as string,
    });
  });

  test('a GPU that is gone is absent when it is opened again', () => {
    prepare(rig, { emulate: 'removed@1' });
    expect(refusalOf(() => roundTrip(shim, image)).failure).toBe('lost');
    expect(refusalOf(() => shim.open(0))).toMatchObject({
      failure: 'absent',
      message: 'no Level Zero GPU 0; there are 0',
    });
  });

  test('what a kernel that hangs uses is left to it, and another context works', () => {
    prepare(rig, { emulate: 'hang@2' });
    const { failure, message } = refusalOf(() => roundTrip(shim, image, 2));
    expect(failure).toBe('timeout');
    expect(message).toBe('time limit: the launch still ran after 1.000 s');
    expect(kept()).toEqual(['1 contexts are open']);
    prepare(rig);
    expect(roundTrip(shim, image)).toEqual(all(7));
  });

  test('wrong bits come through as they are', () => {
    prepare(rig, { emulate: 'flip-bit@2' });
    expect(roundTrip(shim, image, 2).filter((value) => value !== 22)).toHaveLength(1);
    prepare(rig, { emulate: 'every-third' });
    const wrong = (): number => roundTrip(shim, image).filter((value) => value !== 7).length;
    expect([wrong(), wrong(), wrong(), wrong()]).toEqual([0, 0, 1, 0]);
  });
});
