import { expect, test } from 'bun:test';
import { openHost } from '../../../src/device/host.ts';
import { buildRuntime } from '../../../src/device/toolchain/runtime.ts';
import { buffer, download, failureOf, imageOf, launchOf, run, upload } from './device.ts';
import type { Answer, Order } from './worker.ts';

const SOURCE = `
extern "C" __global__ void past_end(unsigned* y) { y[threadIdx.x + 64] = 1; }
extern "C" __global__ void endless(volatile unsigned* y) { y[63] = 0; while (y[63] == 0) {} }
extern "C" __global__ void diverges(unsigned* y) {
  if (threadIdx.x < 8) __syncthreads();
  else y[threadIdx.x] = __shfl_xor_sync(0xffffffffu, threadIdx.x, 1);
}
extern "C" __global__ void right(unsigned* y) {
  __shared__ unsigned part[64];
  part[threadIdx.x] = threadIdx.x + 1;
  __syncthreads();
  y[threadIdx.x] = part[63 - threadIdx.x];
}
`;

const ROUNDS = 10;

async function order(): Promise<Order> {
  return { runtime: await buildRuntime(), image: await imageOf(SOURCE), rounds: ROUNDS };
}

function answerOf(work: Order): Promise<Answer> {
  const worker = new Worker(new URL('./worker.ts', import.meta.url).href);
  return new Promise((resolve, reject) => {
    worker.onmessage = (event) => resolve(event.data as Answer);
    worker.onerror = (event) => reject(new Error(event.message));
    worker.postMessage(work);
  }).finally(() => worker.terminate()) as Promise<Answer>;
}

test('workers run, fault and hang beside each other, each on a device of its own', async () => {
  const work = await order();
  const answers = await Promise.all([answerOf(work), answerOf(work), answerOf(work)]);
  for (const { right, failures } of answers) {
    expect(right).toBe(ROUNDS);
    expect(failures).toEqual({ fault: ROUNDS, timeout: ROUNDS, divergence: ROUNDS });
  }
});

test('several devices are open in one thread, and a fault on one leaves the others alone', async () => {
  const { runtime, image } = await order();
  const devices = [1, 2, 3].map(() => openHost({ bytes: runtime }));
  const held = devices.map((device) => ({
    device,
    module: device.load(image),
    y: upload(device, new Uint32Array(64)),
  }));
  for (let round = 0; round < 5; round++) {
    for (const { device, module, y } of held) {
      expect(failureOf(device, launchOf(device.kernel(module, 'endless'), [buffer(y)]), 10).failure).toBe('timeout');
      expect(failureOf(device, launchOf(device.kernel(module, 'past_end'), [buffer(y)])).failure).toBe('fault');
      run(device, launchOf(device.kernel(module, 'right'), [buffer(y)], { group: [64, 1, 1] }));
      expect(download(device, y, new Uint32Array(64))[0]).toBe(64);
    }
  }
  held[0]!.device.close();
  const { device, module, y } = held[1]!;
  expect(failureOf(device, launchOf(device.kernel(module, 'past_end'), [buffer(y)])).failure).toBe('fault');
  for (const one of devices) one.close();
});

test("a fault that is no kernel's still ends the process, as without the host device", () => {
  const script = `
    import { read } from 'bun:ffi';
    import { newDevice } from '${import.meta.dir}/device.ts';
    const device = await newDevice();
    device.wait(100); // installs the handlers
    console.log('alive');
    read.u8(0, 16);`;
  const flags = { env: { ...process.env, DO_NOT_TRACK: '1' }, timeout: 20_000 };
  const child = Bun.spawnSync([process.execPath, '-e', script], flags);
  expect(child.stdout.toString()).toBe('alive\n');
  expect(child.signalCode).toBe('SIGSEGV');
});

test('collections of JavaScript memory between launches do no harm', async () => {
  const { runtime, image } = await order();
  const device = openHost({ bytes: runtime });
  const module = device.load(image);
  const y = upload(device, new Uint32Array(64));
  for (let i = 0; i < 100; i++) {
    run(device, launchOf(device.kernel(module, 'right'), [buffer(y)], { group: [64, 1, 1] }));
    Bun.gc(true);
  }
  device.close();
});
