/** What ends a device, over both emulated drivers: it is told once by its cause, then it is lost until it is opened again. */
import { afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { DeviceError } from '../../../src/device/device.ts';
import { setVariable } from './environment.ts';
import {
  type Bench,
  buffer,
  type Failure,
  failureOf,
  launchOf,
  newLoadedRig,
  refusalOf,
  reported,
  type LoadedRig,
  u32,
  withBench,
} from './kit.ts';

const LOST = 'the device is lost; close it and open it again. It was lost by: ';
const LIMIT = 30;

describe.each([
  {
    dialect: 'cuda',
    address: 'cuEventQuery: CUDA_ERROR_ILLEGAL_ADDRESS (700): an illegal memory access was encountered',
    misaligned: 'cuEventQuery: CUDA_ERROR_MISALIGNED_ADDRESS (716): misaligned address',
    gone: 'cuEventQuery: CUDA_ERROR_NO_DEVICE (100): no CUDA-capable device is detected',
    again: 'cuDeviceGetCount: CUDA_ERROR_ILLEGAL_ADDRESS (700): an illegal memory access was encountered',
  },
  {
    dialect: 'hip',
    address: 'hipEventQuery: hipErrorIllegalAddress (700): an illegal memory access was encountered',
    misaligned: 'hipEventQuery: hipErrorLaunchFailure (719): unspecified launch failure',
    gone: 'hipEventQuery: hipErrorNoDevice (100): no ROCm-capable device is detected',
    again: 'hipGetDeviceCount: hipErrorIllegalAddress (700): an illegal memory access was encountered',
  },
] as const)('$dialect', ({ dialect, address, misaligned, gone, again }) => {
  let rig: LoadedRig;
  beforeAll(async () => {
    rig = await newLoadedRig(dialect);
  }, 120_000);
  afterEach(() => setVariable('TF_EMULATE_LIMIT_MS', undefined));

  /** The error of a launch of `symbol`, and of two calls after it. */
  function endOf({ device, alloc, kernel }: Bench, symbol: string, at = 0, limitMs = 20_000): DeviceError[] {
    const y = alloc(128);
    rig.shim.fill(device, y, 0, 128);
    const args =
      symbol === 'endless' ? [buffer(y)] : symbol === 'add' ? [buffer(y), buffer(y), u32(1)] : [buffer(y), u32(at)];
    rig.shim.launch(device, launchOf(kernel(symbol), args, { group: [1, 1, 1] }), {});
    return [
      refusalOf(() => rig.shim.wait(device, limitMs)),
      refusalOf(() => rig.shim.free(device, y)),
      refusalOf(() => rig.shim.wait(device, limitMs)),
    ];
  }

  /** A device that is opened after another was lost works. */
  function worksAgain(): void {
    const { shim, image } = rig;
    const device = shim.open(0);
    const y = shim.alloc(device, 128);
    const module = shim.load(device, image);
    shim.launch(device, launchOf(shim.kernel(device, module, 'bounded').handle, [buffer(y)]), {});
    shim.wait(device, 20_000);
    shim.unload(device, module);
    shim.free(device, y);
    shim.close(device);
  }

  const expectEnd = (errors: readonly DeviceError[], failure: string, message: string): void => {
    expect(errors.map((error) => error.failure as string)).toEqual([failure, 'lost', 'lost']);
    expect(errors.map((error) => error.message)).toEqual([message, LOST + message, LOST + message]);
  };

  test('a fault that the driver sees later', () => {
    withBench(rig, { emulate: 'fault@1' }, (bench) => expectEnd(endOf(bench, 'add'), 'fault', address));
    worksAgain();
    expect([reported('violation'), reported('leak')]).toEqual([[], []]);
    expect(reported('close')).toHaveLength(2);
  });

  test('a kernel that leaves its buffer', () => {
    withBench(rig, {}, (bench) => expectEnd(endOf(bench, 'wild', 2 ** 20), 'fault', address));
    worksAgain();
    expect(reported('violation')).toEqual([]);
    expect(reported('fault')).toHaveLength(1);
  });

  test('a misaligned access', () => {
    withBench(rig, {}, ({ device, alloc, kernel }) => {
      const y = alloc(128);
      rig.shim.launch(device, launchOf(kernel('wild'), [buffer(y + 2), u32(0)], { group: [1, 1, 1] }), {});
      expect(refusalOf(() => rig.shim.wait(device, 20_000)).message).toBe(misaligned);
    });
  });

  test('a fault that outlives its context: only another process can go on', () => {
    withBench(rig, { emulate: 'sticky@1' }, (bench) => expectEnd(endOf(bench, 'add'), 'fault', address));
    const error = refusalOf(() => rig.shim.open(0));
    expect([error.failure, error.message]).toEqual(['lost', again]);
    expect(reported('violation')).toEqual([]);
  });

  test('a device that is taken away', () => {
    withBench(rig, { emulate: 'removed@1' }, (bench) => expectEnd(endOf(bench, 'add'), 'lost', gone));
    expect(refusalOf(() => rig.shim.open(0)).failure).toBe('absent');
    expect(reported('violation')).toEqual([]);
  });

  test('a planned bit flips once, or at every third launch', () => {
    const added = (emulate: string): number[][] => {
      const results: number[][] = [];
      withBench(rig, { emulate }, ({ device, alloc, run, words }) => {
        const [x, y] = [alloc(128), alloc(128)];
        rig.shim.fill(device, x, 0, 128);
        for (let i = 0; i < 6; i++) {
          rig.shim.fill(device, y, 0xffffffff, 128);
          run('add', [buffer(x), buffer(y), u32(0)]);
          results.push(words(y, 32).filter((word) => word !== 0));
        }
      });
      expect([reported('violation'), reported('leak')]).toEqual([[], []]);
      return results;
    };
    expect(added('flip-bit@2').map((wrong) => wrong.length)).toEqual([0, 1, 0, 0, 0, 0]);
    expect(added('every-third').map((wrong) => wrong.length)).toEqual([0, 0, 1, 0, 0, 1]);
  });
});

describe('a launch that never ends', () => {
  let rig: LoadedRig;
  beforeAll(async () => {
    rig = await newLoadedRig('cuda');
  }, 120_000);
  afterEach(() => setVariable('TF_EMULATE_LIMIT_MS', undefined));

  const TEXT = 'time limit: the launch still ran after 0.030 s';
  const END = [
    ['timeout', TEXT],
    ['lost', LOST + TEXT],
  ];

  test.each([
    ['hang@1', 'bounded'],
    ['', 'endless'],
  ])('cuda: the context ends with it (%s)', (emulate, symbol) => {
    const seen: Failure[] = [];
    setVariable('TF_EMULATE_LIMIT_MS', '20');
    withBench(rig, { emulate }, ({ device, alloc, kernel }) => {
      const y = alloc(128);
      rig.shim.fill(device, y, 0, 128);
      rig.shim.launch(device, launchOf(kernel(symbol), [buffer(y)]), {});
      seen.push(failureOf(() => rig.shim.wait(device, LIMIT)));
      seen.push(failureOf(() => rig.shim.free(device, y)));
    });
    expect<unknown>(seen).toEqual(END);
    rig.shim.close(rig.shim.open(0));
    expect([reported('violation'), reported('leak')]).toEqual([[], []]);
    expect(reported('close')).toHaveLength(2);
  });

  test('hip: the device stays held, and only another process can use it', async () => {
    const child = Bun.spawn([process.execPath, join(import.meta.dir, 'hung-hip.ts')], { stdout: 'pipe' });
    const told = await new Response(child.stdout).text();
    expect(JSON.parse(told)).toEqual({
      seen: [...END, ['lost', 'a launch that never ended holds HIP device 0; another process can use it']],
      violations: [],
      leaks: [],
    });
  }, 60_000);
});
