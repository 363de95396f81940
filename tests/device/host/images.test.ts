import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeviceError } from '../../../src/device/device.ts';
import { type HostDevice, openHost } from '../../../src/device/host.ts';
import { openShim } from '../../../src/device/shim.ts';
import { findClang } from '../../../src/device/toolchain/clang.ts';
import { buildRuntime } from '../../../src/device/toolchain/runtime.ts';
import { buffer, download, imageOf, launchOf, newDevice, run, upload } from './device.ts';

const source = (value: number) => `extern "C" __global__ void write(unsigned* y) { y[threadIdx.x] = ${value}; }`;

let device: HostDevice;

beforeAll(async () => {
  device = await newDevice();
});
afterAll(() => device.close());

function writes(module: ReturnType<HostDevice['load']>): number {
  const y = upload(device, new Uint32Array(32));
  run(device, launchOf(device.kernel(module, 'write'), [buffer(y)]));
  return download(device, y, new Uint32Array(32))[31] ?? 0;
}

test('images that define one symbol differently live side by side, and go away', async () => {
  const images = await Promise.all([1, 2, 3].map((value) => imageOf(source(value))));
  for (let round = 0; round < 5; round++) {
    const modules = images.map((image) => device.load(image));
    expect(modules.map(writes)).toEqual([1, 2, 3]);
    device.unload(modules[1]!);
    expect(writes(modules[2]!)).toBe(3);
    expect(() => device.kernel(modules[1]!, 'write')).toThrow('no such module');
    device.unload(modules[0]!);
    device.unload(modules[2]!);
  }
});

test('a symbol that an image does not have is named beside those that it has', async () => {
  const module = device.load(await imageOf(source(1)));
  expect(() => device.kernel(module, 'wrote')).toThrow('the image has no kernel wrote; it has write');
});

test('what is no image of this host device is refused in words', async () => {
  const image = await imageOf(source(1));
  const refusal = (bytes: Uint8Array): string => {
    try {
      device.load(bytes);
    } catch (error) {
      if (error instanceof DeviceError && error.failure === 'bad-image') return error.message;
      throw error;
    }
    return '';
  };
  expect(refusal(new Uint8Array(100))).toContain('not a 64-bit ELF file');
  expect(refusal(image.slice(0, 200))).toContain('image: ');
  const foreign = image.slice();
  foreign[18] = 0xf3; // RISC-V
  expect(refusal(foreign)).toContain('another processor');
  expect(refusal(await buildRuntime())).toContain('no tf_image');
});

/** An image by hand, whose table says `abi` and `layout` and has no kernel. */
async function emptyImage(abi: number, layout: number): Promise<Uint8Array> {
  const folder = mkdtempSync(join(tmpdir(), 'tf-test-'));
  const out = join(folder, 'image.so');
  const text = `
    struct image {
      unsigned abi, flags; unsigned long long layout; void* kernels; unsigned count, reserved; void* runtime;
    };
    static const struct image image = { ${abi}, 0, ${layout}, 0, 0, 0, 0 };
    const struct image* tf_image(void) { return &image; }`;
  const { path } = await findClang();
  const flags = ['-x', 'c', '-fPIC', '-shared', '-nostdlib', '-fuse-ld=lld', '-Wl,--hash-style=sysv', '-', '-o', out];
  const { exitCode, stderr } = Bun.spawnSync([path, ...flags], { stdin: Buffer.from(text) });
  if (exitCode !== 0) throw new Error(stderr.toString());
  const bytes = readFileSync(out);
  rmSync(folder, { recursive: true });
  return bytes;
}

test('an image of another version or of other headers is refused', async () => {
  const [older, other] = await Promise.all([emptyImage(0, 0), emptyImage(3, 12345)]);
  expect(() => device.load(older!)).toThrow('built for version 0 of the host device, this one is 3; build it again');
  expect(() => device.load(other!)).toThrow('built from other headers than this host device; build it again');
});

test('a launch that is queued keeps its module', async () => {
  const module = device.load(await imageOf(source(1)));
  const y = upload(device, new Uint32Array(32));
  device.launch(launchOf(device.kernel(module, 'write'), [buffer(y)]));
  expect(() => device.unload(module)).toThrow('wait first');
  device.wait(1000);
  device.unload(module);
});

test('the shim opens from a path as from bytes, and says when it cannot', async () => {
  expect(() => openShim({ path: '/nowhere/shim.so' })).toThrow('does not load');
  expect(() => openShim({ bytes: new Uint8Array(64) })).toThrow('does not load');
  const shim = openShim({ bytes: await buildRuntime() });
  expect(() => shim.open(1)).toThrow('one index');
});

test('a closed device says so', async () => {
  const closed = openHost({ bytes: await buildRuntime() });
  closed.close();
  closed.close();
  expect(() => closed.alloc(4)).toThrow('closed');
});

test('many devices open and close', async () => {
  const runtime = await buildRuntime();
  const shim = openShim({ bytes: runtime });
  for (let i = 0; i < 100; i++) shim.close(shim.open(0));
  const handles = Array.from({ length: 64 }, () => shim.open(0));
  expect(() => shim.open(0)).toThrow('64 host devices are open');
  for (const handle of handles) shim.close(handle);
});

test('the runtime asks the process for nothing but a few functions of libc', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tf-test-'));
  const path = join(folder, 'runtime.so');
  writeFileSync(path, await buildRuntime());
  const { linker } = await findClang();
  const flags = ['-shared', '-z', 'defs', '--no-allow-shlib-undefined', path, '-o', '/dev/null'];
  const refused = Bun.spawnSync([linker, ...flags]);
  rmSync(folder, { recursive: true });
  const names = [...refused.stderr.toString().matchAll(/undefined reference: (\w+)/g)].map((match) => match[1] ?? '');
  expect(names.length).toBeGreaterThan(5);
  const allowed = [
    'bcmp',
    'memcmp',
    'memcpy',
    'memmove',
    'memset',
    'mmap',
    'mprotect',
    'munmap',
    'sigaction',
    'sigaltstack',
    'signal',
    'syscall',
    'timer_create',
    'timer_delete',
    'timer_settime',
  ];
  expect(names.filter((name) => !allowed.includes(name))).toEqual([]);
});
