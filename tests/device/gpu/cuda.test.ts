/** ffi/cuda.c over an emulated driver, function by function. */
import { beforeAll, expect, test } from 'bun:test';
import type { LaunchArgument } from '../../../src/device/device.ts';
import { imageOf } from '../host/device.ts';
import { LIMIT_MS, launchOf, newRig, refusalOf, reported, type Rig, withDevice } from './kit.ts';

const SOURCE = `
extern "C" __global__ void add(const unsigned* x, unsigned* y, unsigned k) { y[threadIdx.x] = x[threadIdx.x] + k; }
`;

let rig: Rig;
let image: Uint8Array;
beforeAll(async () => {
  [rig, image] = await Promise.all([newRig('cuda'), imageOf(SOURCE)]);
}, 120_000);

const buffer = (address: number): LaunchArgument => ({ kind: 'buffer', address });

test('a kernel is loaded, launched and waited for, and nothing is left', () => {
  const { shim } = rig;
  const y = new Uint32Array(new ArrayBuffer(128));
  withDevice(rig, {}, (device) => {
    const [from, to] = [shim.alloc(device, 128), shim.alloc(device, 128)];
    shim.upload(device, from, new Uint8Array(Uint32Array.from({ length: 32 }, (_, i) => i).buffer));
    const module = shim.load(device, image);
    const { handle } = shim.kernel(device, module, 'add');
    shim.launch(device, launchOf(handle, [buffer(from), buffer(to), { kind: 'u32', value: 5 }]), {});
    shim.wait(device, LIMIT_MS);
    shim.download(device, to, new Uint8Array(y.buffer));
    shim.unload(device, module);
    shim.free(device, from);
    shim.free(device, to);
  });
  expect([...y]).toEqual(Array.from({ length: 32 }, (_, i) => i + 5));
  expect([reported('violation'), reported('leak')]).toEqual([[], []]);
  expect([reported('open'), reported('close')]).toEqual([['device 0'], ['device 0']]);
});

test('a launch that faults is told with the driver’s words, and the device is lost until it is opened again', () => {
  const { shim } = rig;
  withDevice(rig, { emulate: 'fault@1' }, (device) => {
    const address = shim.alloc(device, 128);
    const { handle } = shim.kernel(device, shim.load(device, image), 'add');
    shim.launch(device, launchOf(handle, [buffer(address), buffer(address), { kind: 'u32', value: 5 }]), {});
    expect(refusalOf(() => shim.wait(device, LIMIT_MS))).toMatchObject({
      failure: 'fault',
      message: 'cuEventQuery: CUDA_ERROR_ILLEGAL_ADDRESS (700): an illegal memory access was encountered',
    });
    expect(refusalOf(() => shim.free(device, address)).failure).toBe('lost');
  });
  expect(reported('violation')).toEqual([]);
});
