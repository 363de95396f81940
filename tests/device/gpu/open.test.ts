/** Opening, description and closing, over both emulated drivers. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { FAILURES } from '../../../src/device/abi.ts';
import { newLoadedRig, type Plan, prepare, refusalOf, reported, type LoadedRig, withDevice } from './kit.ts';

const SIDES = { max_threads: 1024, max_grid: [2 ** 31 - 1, 65_535, 65_535] };
const KIB = 1024;

describe.each([
  {
    dialect: 'cuda',
    others: 'sm_86',
    name: 'Emulated H100',
    release: /^([\d.]+, )?CUDA 13\.0$/, // before it the system's own driver, where there is one
    absent: 'cuInit: CUDA_ERROR_NO_DEVICE (100): no CUDA-capable device is detected',
    count: 'no CUDA device 3; there are 2',
    info: {
      ...SIDES,
      chip: 'sm_90',
      max_group: [1024, 1024, 64],
      warp: 32,
      registers: 65_536,
      local_bytes: 48 * KIB,
      local_bytes_optin: 227 * KIB,
      multiprocessors: 132,
      memory_bytes: 80 * 2 ** 30,
    },
    other: { local_bytes: 48 * KIB, local_bytes_optin: 99 * KIB, multiprocessors: 82 },
  },
  {
    dialect: 'hip',
    others: 'gfx1100',
    name: 'Emulated MI300X',
    release: /^HIP 6\.4$/,
    absent: 'hipInit: hipErrorNoDevice (100): no ROCm-capable device is detected',
    count: 'no HIP device 3; there are 2',
    info: {
      max_threads: 1024,
      max_grid: [2 ** 31 - 1, 65_536, 65_536],
      chip: 'gfx942',
      max_group: [1024, 1024, 1024],
      warp: 64,
      registers: 65_536,
      local_bytes: 64 * KIB,
      local_bytes_optin: 64 * KIB,
      multiprocessors: 304,
      memory_bytes: 192 * 2 ** 30,
    },
    other: { local_bytes: 64 * KIB, local_bytes_optin: 64 * KIB, warp: 32 },
  },
] as const)('$dialect', ({ dialect, others, name, release, absent, count, info, other }) => {
  let rig: LoadedRig;
  beforeAll(async () => {
    rig = await newLoadedRig(dialect);
  }, 120_000);

  const refused = (plan: Plan, index = 0) => {
    prepare(rig, plan);
    return refusalOf(() => rig.shim.open(index));
  };

  test('a device describes itself in the words of ffi/shim.h', () => {
    withDevice(rig, {}, (device) => {
      const { driver, ...told } = rig.shim.info(device);
      expect<unknown>(told).toEqual({ name, ...info });
      expect(driver).toMatch(release);
    });
    withDevice(rig, { chip: others }, (device) =>
      expect<unknown>(rig.shim.info(device)).toMatchObject({ chip: others, ...other }),
    );
    expect(reported('violation')).toEqual([]);
  });

  test('an older driver gives the same chip', async () => {
    const old = await newLoadedRig(dialect, 'old');
    withDevice(old, {}, (device) => expect(old.shim.info(device).chip).toBe(info.chip));
    expect(reported('violation')).toEqual([]);
  }, 120_000);

  test('no device, and an index past the last one, are absent in words', () => {
    expect(refused({ emulate: 'no-device' })).toMatchObject({ failure: 'absent', message: absent });
    expect(refused({ devices: 2 }, 3)).toMatchObject({ failure: 'absent', message: count });
  });

  test('two devices are open at once, each with its own memory', () => {
    const { shim } = rig;
    prepare(rig, { devices: 2 });
    const [a, b] = [shim.open(0), shim.open(1)];
    const [x, y] = [shim.alloc(a, 64), shim.alloc(b, 64)];
    shim.fill(a, x, 1, 64);
    shim.fill(b, y, 2, 64);
    expect(refusalOf(() => shim.free(a, y)).failure).toBe('bad-argument');
    shim.free(a, x);
    shim.free(b, y);
    shim.close(a);
    shim.close(b);
    expect(reported('close').toSorted()).toEqual(['device 0', 'device 1']);
    expect(reported('violation')).toHaveLength(1); // the other device's buffer
    expect(reported('leak')).toEqual([]);
  });

  test('a device that is open twice goes on when one of the two is closed', () => {
    const { shim } = rig;
    prepare(rig);
    const [a, b] = [shim.open(0), shim.open(0)];
    const address = shim.alloc(b, 64);
    shim.fill(b, address, 0x01020304, 64);
    shim.close(a);
    const bytes = new Uint8Array(new ArrayBuffer(64));
    shim.download(b, address, bytes);
    expect([...bytes.subarray(0, 4)]).toEqual([4, 3, 2, 1]);
    shim.free(b, address);
    shim.close(b);
    expect([reported('violation'), reported('leak')]).toEqual([[], []]);
  });

  test('what a healthy device still holds when it is closed shows as a leak', () => {
    withDevice(rig, {}, (device) => {
      rig.shim.alloc(device, 100);
      rig.shim.load(device, rig.image);
    });
    expect(reported('leak')).toEqual(['1 buffers of 100 bytes, 1 modules, 0 events']);
  });

  test.each(['closed', 0, 1, 63, 64, 65, 2 ** 40])(
    'a device that is not open (%p) is a bad argument of every call',
    (which) => {
      const { shim } = rig;
      const closed = withDevice(rig, {}, (handle) => handle);
      const device = typeof which === 'number' ? which : closed;
      const calls = [
        () => shim.info(device),
        () => shim.alloc(device, 1),
        () => shim.free(device, 1),
        () => shim.upload(device, 1, new Uint8Array(1)),
        () => shim.download(device, 1, new Uint8Array(1)),
        () => shim.fill(device, 1, 0, 1),
        () => shim.load(device, rig.image),
        () => shim.unload(device, 1),
        () => shim.kernel(device, 1, 'add'),
        () => shim.wait(device, 1),
        () => shim.close(device),
      ];
      expect(calls.map((call) => refusalOf(call).failure)).toEqual(calls.map(() => FAILURES[2]!));
      expect(reported('violation')).toEqual([]);
    },
  );
});
