/** A shim over an emulated driver, whose report each test reads. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeviceError, type DeviceKernel, type DeviceLaunch, type LaunchArgument } from '../../../src/device/device.ts';
import type { LaunchFlags } from '../../../src/device/abi.ts';
import { openShim, type Shim } from '../../../src/device/shim.ts';
import { shimImage } from '../../../src/device/store.ts';
import { type Age, buildDriver, type Emulated } from '../../drivers/build.ts';
import { imageOf } from '../host/device.ts';
import { setVariable } from './environment.ts';
import { SOURCE } from './sources.ts';

export const VARIABLE = {
  cuda: 'TF_CUDA_DRIVER',
  hip: 'TF_HIP_DRIVER',
  xpu: 'TF_XPU_DRIVER',
  metal: 'TF_METAL_DRIVER',
} as const;
export const LIMIT_MS = 20_000;

const folder = mkdtempSync(join(tmpdir(), 'tf-emulated-'));
const report = join(folder, 'report');
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

/** A shim and the driver it opens. */
export interface Rig {
  readonly shim: Shim;
  readonly dialect: Emulated;
  readonly driver: string;
}

export async function newRig(dialect: Emulated, age: Age = 'new'): Promise<Rig> {
  const [bytes, driver] = await Promise.all([shimImage(dialect), buildDriver(dialect, age)]);
  return { shim: openShim({ bytes }), dialect, driver };
}

/** The same, and the image of the kernels of SOURCE. */
export interface LoadedRig extends Rig {
  readonly image: Uint8Array;
}

export async function newLoadedRig(dialect: 'cuda' | 'hip', age?: Age): Promise<LoadedRig> {
  const [rig, image] = await Promise.all([newRig(dialect, age), imageOf(SOURCE, dialect)]);
  return { ...rig, image };
}

let runs = 0;

/** What a driver is told before a device is opened; its counts begin again. */
export interface Plan {
  readonly emulate?: string;
  readonly chip?: string;
  readonly devices?: number;
}

/** Sets the environment of the next device, and empties the report. */
export function prepare({ dialect, driver }: Rig, { emulate = '', chip, devices }: Plan = {}): void {
  setVariable(VARIABLE[dialect], driver);
  setVariable('TF_EMULATE', `run-${runs++},${emulate}`);
  setVariable('TF_EMULATE_CHIP', chip);
  setVariable('TF_EMULATE_DEVICES', devices === undefined ? undefined : String(devices));
  setVariable('TF_EMULATE_REPORT', report);
  writeFileSync(report, '');
}

/** The texts of the report's lines that begin with a word. */
export function reported(word: 'violation' | 'leak' | 'open' | 'close' | 'fault' | 'flip' | 'refused'): string[] {
  const lines = readFileSync(report, 'utf8').split('\n');
  return lines.flatMap((line) => (line.includes(` ${word}: `) ? [line.slice(line.indexOf(': ') + 2)] : []));
}

/** An opened device, closed after `use`. */
export function withDevice<T>(rig: Rig, plan: Plan, use: (device: number) => T): T {
  prepare(rig, plan);
  const device = rig.shim.open(0);
  try {
    return use(device);
  } finally {
    rig.shim.close(device);
  }
}

/** A device in use, and what a test needs to launch on it. */
export interface Bench {
  readonly device: number;
  alloc(bytes: number): number;
  kernel(symbol: string): number;
  run(symbol: string, args: readonly LaunchArgument[], rest?: Partial<DeviceLaunch> & LaunchFlags): void;
  /** 32-bit words at an address. */
  words(address: number, count: number): number[];
}

/** An opened device with the rig's image loaded; what it was used for is released before it is closed, where it can be. */
export function withBench(rig: LoadedRig, plan: Plan, use: (bench: Bench) => void): void {
  const { shim } = rig;
  withDevice(rig, plan, (device) => {
    const module = shim.load(device, rig.image);
    const buffers: number[] = [];
    use({
      device,
      alloc: (bytes) => {
        buffers.push(shim.alloc(device, bytes));
        return buffers.at(-1)!;
      },
      kernel: (symbol) => shim.kernel(device, module, symbol).handle,
      run: (symbol, args, rest = {}) => {
        shim.launch(device, launchOf(shim.kernel(device, module, symbol).handle, args, rest), rest);
        shim.wait(device, LIMIT_MS);
      },
      words: (address, count) => {
        const words = new Uint32Array(new ArrayBuffer(4 * count));
        shim.download(device, address, new Uint8Array(words.buffer));
        return [...words];
      },
    });
    if (isLost(shim, device)) return;
    for (const address of buffers) shim.free(device, address);
    shim.unload(device, module);
  });
}

function isLost(shim: Shim, device: number): boolean {
  try {
    shim.info(device);
    return false;
  } catch {
    return true;
  }
}

export const buffer = (address: number): LaunchArgument => ({ kind: 'buffer', address });
export const u32 = (value: number): LaunchArgument => ({ kind: 'u32', value });

/** The error of a call that is expected to fail. */
export function refusalOf(call: () => unknown): DeviceError {
  try {
    call();
  } catch (error) {
    if (error instanceof DeviceError) return error;
    throw error;
  }
  throw new Error('the call did not fail');
}

/** Such an error as plain values. */
export type Failure = readonly [failure: string, message: string];
export function failureOf(call: () => unknown): Failure {
  const { failure, message } = refusalOf(call);
  return [failure, message];
}

/** A launch of one group of 32 threads, unless said otherwise. */
export function launchOf(
  kernel: number,
  args: readonly LaunchArgument[],
  rest: Partial<DeviceLaunch> = {},
): DeviceLaunch {
  const own: DeviceKernel = { handle: kernel, symbol: '', maxThreads: 0, staticLocalBytes: 0 };
  return {
    kernel: own,
    arguments: args,
    grid: [1, 1, 1],
    group: [32, 1, 1],
    dynamicLocalBytes: 0,
    cluster: 0,
    schedule: 0,
    localPoison: 0,
    ...rest,
  };
}
