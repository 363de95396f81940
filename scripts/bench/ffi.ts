/**
 * What the way from TypeScript to a GPU's driver costs, all in one run: a call of an empty C function, a launch and a wait through
 * the shim over a CUDA driver whose functions do nothing, the same from C; and copies over the emulated driver, whose memory is this
 * machine's, beside memcpy. None of it is a GPU's: bun scripts/bench/ffi.ts [ROUNDS].
 */
import { dlopen, FFIType, ptr } from 'bun:ffi';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LaunchBlock, SYMBOLS } from '../../src/device/abi.ts';
import type { DeviceLaunch } from '../../src/device/device.ts';
import { openShim } from '../../src/device/shim.ts';
import { shimImage } from '../../src/device/store.ts';
import { findClang } from '../../src/device/toolchain/clang.ts';
import { run } from '../../src/device/processes/process.ts';
import { setVariable } from '../../tests/device/gpu/environment.ts';
import { buildDriver } from '../../tests/drivers/build.ts';

const ROUNDS = Number(process.argv[2] ?? 31);
const CALLS = 20_000;
const BYTES = 64 << 20;
const { i32, u32, u64, ptr: pointer, void: nothing } = FFIType;

const folder = mkdtempSync(join(tmpdir(), 'tf-ffi-'));
try {
  const shim = await shimImage('cuda');
  calls(shim, await buildNull(folder));
  copies(shim, await buildDriver('cuda'));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function buildNull(into: string): Promise<string> {
  const path = join(into, 'null.so');
  const sources = ['null.c', 'calls.c'].map((name) => join(import.meta.dir, 'ffi', name));
  const flags = ['-std=c2x', '-O2', '-fPIC', '-shared', '-fuse-ld=lld', `-I${join(import.meta.dir, '../../ffi')}`];
  const { code, stderr } = await run([(await findClang()).path, ...flags, ...sources, '-o', path]);
  if (code !== 0) throw new Error(stderr);
  return path;
}

/** Calls, launches and waits; nanoseconds each. */
function calls(bytes: Uint8Array, driver: string): void {
  const path = join(folder, 'shim.so');
  writeFileSync(path, bytes);
  setVariable('TF_CUDA_DRIVER', driver);
  const shim = openShim({ path });
  const device = shim.open(0);
  const { symbols: own } = dlopen(driver, {
    bench_nothing: { args: [], returns: i32 },
    bench_launches: { args: [FFIType.cstring, u64, pointer, u32], returns: nothing },
  });
  const raw = dlopen(path, SYMBOLS);
  const launch = launchOfThree();
  const block = new LaunchBlock();
  const name = Buffer.from(`${path}\0`);
  const times = interleaved({
    'a call of an empty C function': () => repeat(() => own.bench_nothing()),
    'a call of the shim: its version': () => repeat(() => raw.symbols.tf_abi_version()),
    'a launch and a wait, from C': () => own.bench_launches(name, device, block.write(launch, {}), CALLS),
    'a launch and a wait, from TypeScript': () =>
      repeat(() => {
        shim.launch(device, launch, {});
        shim.wait(device, 1000);
      }),
  });
  for (const [name, ms] of times) console.log(`${name.padEnd(38)} ${((ms * 1e6) / CALLS).toFixed(1).padStart(8)} ns`);
  shim.close(device);
}

/** Copies of a buffer that no cache holds; GB/s. */
function copies(bytes: Uint8Array, driver: string): void {
  setVariable('TF_CUDA_DRIVER', driver);
  const shim = openShim({ bytes });
  const device = shim.open(0);
  const [address, spare] = [shim.alloc(device, BYTES), shim.alloc(device, BYTES)];
  const [from, to] = [new Uint8Array(new ArrayBuffer(BYTES)).fill(7), new Uint8Array(new ArrayBuffer(BYTES)).fill(1)];
  const { symbols } = dlopen(join(folder, 'null.so'), {
    bench_copy: { args: [pointer, pointer, u64], returns: nothing },
  });
  shim.upload(device, address, from);
  const times = interleaved({
    memcpy: () => symbols.bench_copy(to, from, BYTES),
    upload: () => shim.upload(device, address, from),
    download: () => shim.download(device, address, to),
    'download and compare': () => {
      shim.download(device, address, to);
      if (Buffer.compare(from, to) !== 0) throw new Error('what came back is not what was sent');
    },
    fill: () => shim.fill(device, spare, 0x7fa17fa1, BYTES),
  });
  for (const [name, ms] of times)
    console.log(`${name.padEnd(20)} of ${BYTES >> 20} MiB ${(BYTES / ms / 1e6).toFixed(2).padStart(8)} GB/s`);
  shim.free(device, address);
  shim.free(device, spare);
  shim.close(device);
}

/** A launch with three arguments, as most kernels have. */
function launchOfThree(): DeviceLaunch {
  return {
    kernel: { handle: ptr(new Uint8Array(new ArrayBuffer(8))), symbol: 'f', maxThreads: 0, staticLocalBytes: 0 },
    arguments: [
      { kind: 'buffer', address: 4096 },
      { kind: 'buffer', address: 8192 },
      { kind: 'u32', value: 7 },
    ],
    grid: [1, 1, 1],
    group: [256, 1, 1],
    dynamicLocalBytes: 0,
    cluster: 0,
    schedule: 0,
    localPoison: 0,
  };
}

function repeat(call: () => void): void {
  for (let i = 0; i < CALLS; i++) call();
}

/** The median milliseconds of each, rounds interleaved, after one that is not counted. */
function interleaved(works: Readonly<Record<string, () => void>>): [string, number][] {
  const times = new Map(Object.keys(works).map((name) => [name, [] as number[]]));
  for (let round = 0; round <= ROUNDS; round++)
    for (const [name, work] of Object.entries(works)) {
      const begun = performance.now();
      work();
      if (round > 0) times.get(name)?.push(performance.now() - begun);
    }
  return [...times].map(([name, list]) => [name, list.toSorted((a, b) => a - b)[list.length >> 1] ?? Number.NaN]);
}
