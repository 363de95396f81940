/** Kernels and launches, over both emulated drivers. */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { LaunchArgument } from '../../../src/device/device.ts';
import {
  buffer,
  launchOf,
  newLoadedRig,
  refusalOf,
  reported,
  type LoadedRig,
  u32,
  withBench,
  withDevice,
} from './kit.ts';

const KIB = 1024;

describe.each(['cuda', 'hip'] as const)('%s', (dialect) => {
  let rig: LoadedRig;
  beforeAll(async () => {
    rig = await newLoadedRig(dialect);
  }, 120_000);

  test('a kernel computes what its arguments say', () => {
    withBench(rig, {}, ({ device, alloc, run, words }) => {
      const [x, y] = [alloc(128), alloc(128)];
      rig.shim.upload(device, x, new Uint8Array(Uint32Array.from({ length: 32 }, (_, i) => i).buffer));
      run('add', [buffer(x), buffer(y), u32(5)]);
      expect(words(y, 32)).toEqual(Array.from({ length: 32 }, (_, i) => i + 5));
      const f32 = (value: number): LaunchArgument => ({ kind: 'f32', value });
      const i32 = (value: number): LaunchArgument => ({ kind: 'i32', value });
      const scalars = [f32(1.5), f32(2.5), u32(30), u32(100), i32(-1), i32(-2)];
      run('many', [buffer(x), buffer(x + 4), buffer(x + 8), buffer(x + 12), ...scalars, buffer(y)], {
        group: [1, 1, 1],
      });
      expect(words(y, 1)).toEqual([4 + 130 - 3 + 6]);
    });
    expect([reported('violation'), reported('leak')]).toEqual([[], []]);
  });

  test('a kernel tells of its attributes, and an unknown one is a bad argument with its name', () => {
    const { shim } = rig;
    withDevice(rig, {}, (device) => {
      const module = shim.load(device, rig.image);
      const most = dialect === 'cuda' ? 227 * KIB : 64 * KIB;
      expect(shim.kernel(device, module, 'bounded').attributes).toEqual({
        max_threads: 64,
        static_local_bytes: 0,
        ...(dialect === 'cuda' && { arguments: 1 }),
        registers: 32,
        spill_bytes: 0,
        warp: dialect === 'cuda' ? 32 : 64,
        max_dynamic_local_bytes: most,
      });
      const { failure, message } = refusalOf(() => shim.kernel(device, module, 'nosuch'));
      expect(failure).toBe('bad-argument');
      expect(message).toEndWith(' (500): named symbol not found\nnosuch');
      shim.unload(device, module);
    });
    expect([reported('violation'), reported('leak')]).toEqual([[], []]);
  });

  test('an impossible launch is refused, and the device goes on', () => {
    withBench(rig, { emulate: 'refuse-launch@3' }, ({ alloc, run, words }) => {
      const y = alloc(128);
      const refuse = (group: [number, number, number], grid: [number, number, number] = [1, 1, 1]) =>
        refusalOf(() => run('bounded', [buffer(y)], { group, grid })).failure;
      expect(refuse([2048, 1, 1])).toBe('bad-argument');
      expect(refuse([65, 1, 1])).toBe('bad-argument'); // past its launch bound
      expect(refuse([32, 1, 1])).toBe('bad-argument'); // as planned
      expect(refuse([32, 1, 1], [1, 2 ** 20, 1])).toBe('bad-argument');
      run('bounded', [buffer(y)]);
      expect(words(y, 2)).toEqual([0, 0]);
    });
    expect([reported('violation'), reported('leak')]).toEqual([[], []]);
  });

  test('local memory is no argument here', () => {
    withBench(rig, {}, ({ alloc, run }) => {
      const call = () => run('wild', [buffer(alloc(64)), { kind: 'local', bytes: 64 }]);
      expect(refusalOf(call)).toMatchObject({
        failure: 'bad-argument',
        message: 'launch: argument 1 is local memory, which no kernel of this device takes',
      });
    });
    expect([reported('violation'), reported('leak')]).toEqual([[], []]);
  });

  test('dynamic local memory reaches its last byte', () => {
    const bytes = dialect === 'cuda' ? 200 * KIB : 64 * KIB;
    withBench(rig, {}, ({ alloc, run, words }) => {
      const y = alloc(128);
      run('last_of', [buffer(y), u32(bytes / 4)], { dynamicLocalBytes: bytes });
      run('last_of', [buffer(y), u32(64)], { dynamicLocalBytes: 256 });
      expect(words(y, 3)).toEqual([31, 30, 29]);
    });
    expect([reported('violation'), reported('leak')]).toEqual([[], []]);
  });

  test('several launches are queued in order', () => {
    withBench(rig, {}, ({ device, alloc, kernel, words }) => {
      const y = alloc(128);
      rig.shim.fill(device, y, 0, 128);
      for (let i = 1; i <= 4; i++) rig.shim.launch(device, launchOf(kernel('add'), [buffer(y), buffer(y), u32(i)]), {});
      rig.shim.wait(device, 0);
      expect(words(y, 1)).toEqual([10]);
    });
    expect([reported('violation'), reported('leak')]).toEqual([[], []]);
  });
});

describe('cuda alone', () => {
  let rig: LoadedRig, old: LoadedRig;
  beforeAll(async () => {
    [rig, old] = await Promise.all([newLoadedRig('cuda'), newLoadedRig('cuda', 'old')]);
  }, 120_000);

  test('arguments are the kernel’s in number and bytes, where the driver tells', () => {
    withBench(rig, {}, ({ alloc, run }) => {
      const y = buffer(alloc(128));
      expect(refusalOf(() => run('add', [y, y])).message).toBe('launch: the kernel takes 3 arguments, not 2');
      expect(refusalOf(() => run('add', [y, y, u32(1), u32(1)])).message).toBe(
        'launch: the kernel takes 3 arguments, not 4',
      );
      expect(refusalOf(() => run('add', [y, u32(1), u32(1)])).message).toBe(
        'launch: argument 1 of the kernel is 8 bytes, not 4',
      );
    });
    expect([reported('violation'), reported('leak')]).toEqual([[], []]);
  });

  test('past the opt-in, local memory is refused by the driver', () => {
    withBench(rig, { chip: 'sm_86' }, ({ alloc, run }) => {
      const bytes = 100 * KIB;
      const call = () => run('last_of', [buffer(alloc(128)), u32(bytes / 4)], { dynamicLocalBytes: bytes });
      expect(refusalOf(call)).toMatchObject({
        failure: 'bad-argument',
        message: 'cuFuncSetAttribute: CUDA_ERROR_INVALID_VALUE (1): invalid argument',
      });
    });
    expect([reported('violation'), reported('leak')]).toEqual([[], []]);
  });

  test('clusters and cooperative launches are attributes of a launch', () => {
    withBench(rig, {}, ({ alloc, run, words }) => {
      const y = alloc(128);
      run('bounded', [buffer(y)], { cluster: 4, grid: [8, 1, 1] });
      run('bounded', [buffer(y)], { cluster: 16, grid: [16, 1, 1] });
      run('bounded', [buffer(y)], { cooperative: true, grid: [5, 1, 1] });
      run('bounded', [buffer(y)], { cooperative: true, cluster: 2, grid: [8, 1, 1] });
      expect(words(y, 1)).toEqual([7]);
      const tooMany = () => run('bounded', [buffer(y)], { cooperative: true, grid: [65_000, 1, 1] });
      expect(refusalOf(tooMany).message).toContain('CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE (720)');
    });
    withBench(rig, { chip: 'sm_80' }, ({ alloc, run }) => {
      const call = () => run('bounded', [buffer(alloc(128))], { cluster: 2, grid: [2, 1, 1] });
      expect(refusalOf(call)).toMatchObject({
        failure: 'bad-argument',
        message: 'cuLaunchKernelEx: CUDA_ERROR_NOT_SUPPORTED (801): operation not supported',
      });
    });
    expect([reported('violation'), reported('leak')]).toEqual([[], []]);
  });

  test('an old driver launches what it can, and names what it lacks', () => {
    withBench(old, {}, ({ alloc, run, words }) => {
      const y = alloc(128);
      run('bounded', [buffer(y)], { cooperative: true, grid: [3, 1, 1] });
      expect(words(y, 1)).toEqual([2]);
      expect(refusalOf(() => run('bounded', [buffer(y)], { cluster: 2, grid: [2, 1, 1] }))).toMatchObject({
        failure: 'absent',
        message: 'launch: the driver has no cuLaunchKernelEx, which a cluster needs; install one of CUDA 11.8 or later',
      });
    });
    expect([reported('violation'), reported('leak')]).toEqual([[], []]);
  });
});

describe('hip alone', () => {
  let rig: LoadedRig, old: LoadedRig;
  beforeAll(async () => {
    [rig, old] = await Promise.all([newLoadedRig('hip'), newLoadedRig('hip', 'old')]);
  }, 120_000);

  test('there are no clusters', () => {
    withBench(rig, {}, ({ alloc, run }) => {
      const call = () => run('bounded', [buffer(alloc(128))], { cluster: 2, grid: [2, 1, 1] });
      expect(refusalOf(call)).toMatchObject({ failure: 'bad-argument', message: 'launch: HIP has no clusters' });
    });
  });

  test('a cooperative launch needs ROCm 5.5', () => {
    withBench(rig, {}, ({ alloc, run, words }) => {
      const y = alloc(128);
      run('bounded', [buffer(y)], { cooperative: true, grid: [3, 1, 1] });
      expect(words(y, 1)).toEqual([2]);
    });
    withBench(old, {}, ({ alloc, run }) => {
      const call = () => run('bounded', [buffer(alloc(128))], { cooperative: true });
      expect(refusalOf(call)).toMatchObject({
        failure: 'absent',
        message: 'launch: the driver has no hipModuleLaunchCooperativeKernel; install one of ROCm 5.5 or later',
      });
    });
  });

  test('arguments that are missing are null: the runtime reads as many as the kernel takes', () => {
    withBench(rig, {}, ({ alloc, run }) => {
      expect(refusalOf(() => run('add', [buffer(alloc(128))])).failure).toBe('fault');
    });
    expect(reported('violation')).toEqual([]);
  });
});
