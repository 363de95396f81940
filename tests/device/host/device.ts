/** What the tests of the host device share: one device, kernels compiled from text, buffers of typed arrays. */

import { type Device, DeviceError, type DeviceKernel, type LaunchArgument } from '../../../src/device/device.ts';
import { type HostDevice, type HostLaunch, openHost } from '../../../src/device/host.ts';
import type { ImageKind } from '../../../src/device/images.ts';
import { compileHost, type HostDialect } from '../../../src/device/toolchain/host.ts';
import { buildRuntime } from '../../../src/device/toolchain/runtime.ts';

export const LIMIT_MS = 20_000;

/** A host device over the runtime of this checkout. */
export async function newDevice(): Promise<HostDevice> {
  return openHost({ bytes: await buildRuntime() });
}

/** The image of a source, which is expected to compile. */
export async function imageOf(
  source: string,
  dialect: HostDialect = 'cuda',
  kind: ImageKind = 'fast',
): Promise<Uint8Array> {
  const compiled = await compileHost({ kind, dialect, source, path: `test.${dialect}`, defines: {}, includeDirs: [] });
  if ('error' in compiled) throw new Error(compiled.error);
  return compiled.image;
}

/** The line, counted from 1, on which `text` first stands in `source`. */
export function lineOf(source: string, text: string): number {
  const at = source.indexOf(text);
  if (at < 0) throw new Error(`no ${text} in the source`);
  return source.slice(0, at).split('\n').length;
}

type Numbers = Float32Array | Uint32Array | Int32Array | Uint16Array;

/** A buffer that holds `data`. */
export function upload(device: Device, data: Numbers): number {
  const { address } = device.alloc(data.byteLength);
  device.upload(address, bytesOf(data));
  return address;
}

/** What lies at `address`, into `data`, which is returned. */
export function download<T extends Numbers>(device: Device, address: number, data: T): T {
  device.download(address, bytesOf(data));
  return data;
}

function bytesOf(data: Numbers): Uint8Array {
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

export function buffer(address: number): LaunchArgument {
  return { kind: 'buffer', address };
}

export function u32(value: number): LaunchArgument {
  return { kind: 'u32', value };
}

/** A launch of one group of 32 threads, unless said otherwise. */
export function launchOf(
  kernel: DeviceKernel,
  args: readonly LaunchArgument[],
  rest: Partial<HostLaunch> = {},
): HostLaunch {
  return {
    kernel,
    arguments: args,
    grid: [1, 1, 1],
    group: [32, 1, 1],
    dynamicLocalBytes: 0,
    cluster: 0,
    schedule: 0,
    localPoison: 0x7fa7dead,
    ...rest,
  };
}

/** Launches and waits. */
export function run(device: HostDevice, launch: HostLaunch, limitMs = LIMIT_MS): void {
  device.launch(launch);
  device.wait(limitMs);
}

/** The error of a launch that is expected to fail. */
export function failureOf(device: HostDevice, launch: HostLaunch, limitMs = LIMIT_MS): DeviceError {
  try {
    run(device, launch, limitMs);
  } catch (error) {
    if (error instanceof DeviceError) return error;
    throw error;
  }
  throw new Error('the launch did not fail');
}
