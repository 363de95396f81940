import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { HostDevice } from '../../../src/device/host.ts';
import { buffer, download, failureOf, imageOf, launchOf, newDevice, run, upload } from './device.ts';

const SOURCE = `
extern "C" __global__ void read_at(const unsigned char* x, unsigned* y, int i) { y[0] = x[i]; }
`;

let device: HostDevice;
let module: ReturnType<HostDevice['load']>;

beforeAll(async () => {
  device = await newDevice();
  module = device.load(await imageOf(SOURCE));
});
afterAll(() => device.close());

function read(address: number, i: number) {
  const y = upload(device, new Uint32Array(1));
  const launch = launchOf(device.kernel(module, 'read_at'), [buffer(address), buffer(y), { kind: 'i32', value: i }], {
    group: [1, 1, 1],
  });
  return { launch, y };
}

test('a buffer of a multiple of 256 bytes starts at one, and its last byte is the last accessible one', () => {
  for (const bytes of [256, 512, 4096, 4352, 1 << 20]) {
    const { address } = device.alloc(bytes);
    expect(address % 256).toBe(0);
    run(device, read(address, bytes - 1).launch);
    const { message } = failureOf(device, read(address, bytes).launch);
    expect(message).toContain(`at byte ${bytes} of a buffer of ${bytes} bytes`);
  }
});

test('buffers of other sizes start at a multiple of 16', () => {
  for (const bytes of [1, 2, 30, 33, 100, 4097]) expect(device.alloc(bytes).address % 16).toBe(0);
});

test('a page before the first one of a buffer is inaccessible', () => {
  const { address } = device.alloc(4096);
  expect(failureOf(device, read(address, -1).launch).message).toContain('1 bytes before a buffer of 4096 bytes');
});

test('a freed buffer is inaccessible, and its address is not taken again at once', () => {
  const freed = device.alloc(4096);
  device.free(freed);
  const next = device.alloc(4096);
  expect(next.address).not.toBe(freed.address);
  expect(failureOf(device, read(freed.address, 0).launch).failure).toBe('fault');
  expect(() => device.free(freed)).toThrow('no buffer starts at this address');
});

test('many buffers come and go', () => {
  const live: { address: number; bytes: number }[] = [];
  for (let i = 0; i < 2000; i++) {
    live.push(device.alloc(1 + ((i * 7919) % 20000)));
    if (live.length > 50) device.free(live.splice((i * 31) % 50, 1)[0]!);
  }
  const spans = live.map(({ address, bytes }) => [address, address + bytes] as const).sort((a, b) => a[0] - b[0]);
  spans.slice(1).forEach(([start], i) => expect(start).toBeGreaterThan(spans[i]![1]));
  for (const one of live) device.free(one);
});

test('copies and fills reach any part of a buffer and nothing past it', () => {
  const { address } = device.alloc(10);
  device.fill(address, 0x04030201, 10);
  const all = new Uint8Array(10);
  device.download(address, all);
  expect([...all]).toEqual([1, 2, 3, 4, 1, 2, 3, 4, 1, 2]);
  device.upload(address + 3, new Uint8Array([9, 8]));
  device.download(address, all);
  expect([...all]).toEqual([1, 2, 3, 9, 8, 2, 3, 4, 1, 2]);
  expect(() => device.upload(address + 3, new Uint8Array(8))).toThrow('past the end of a buffer');
  expect(() => device.download(address + 10, new Uint8Array(1))).toThrow('past the end of a buffer');
  expect(() => device.fill(address - 1, 0, 2)).toThrow('past the end of a buffer');
  expect(() => device.download(12345, new Uint8Array(1))).toThrow('past the end of a buffer');
});

test('addresses inside a buffer are arguments', () => {
  const address = upload(device, new Uint32Array([7, 8, 9]));
  const { launch, y } = read(address + 4, 0);
  run(device, launch);
  expect([...download(device, y, new Uint32Array(1))]).toEqual([8]);
});

test('an absurd size is refused', () => {
  expect(() => device.alloc(2 ** 50)).toThrow('no memory for a buffer');
});
