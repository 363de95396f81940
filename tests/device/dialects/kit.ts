/** What the tests of the dialects share: a source as a loaded module, and its kernels called by their names. */

import { join } from 'node:path';
import type { DeviceModule, LaunchArgument } from '../../../src/device/device.ts';
import type { HostDevice, HostLaunch } from '../../../src/device/host.ts';
import { compileHost, type HostDialect } from '../../../src/device/toolchain/host.ts';
import { buffer, download, launchOf, run, upload } from '../host/device.ts';

type Numbers = Float32Array | Uint32Array | Int32Array | Uint16Array;

/** A kernel's arguments after its result: arrays become buffers. */
export type Inputs = readonly (Numbers | LaunchArgument)[];

/** Schedules that every result must be the same under: index order and three seeds. */
export const SCHEDULES = [0, 1, 2, 3] as const;

/** The launch of kernel `symbol` with a buffer of `y` first; the buffer's address beside it. */
export function launchFor(
  device: HostDevice,
  module: DeviceModule,
  symbol: string,
  y: Numbers,
  inputs: Inputs = [],
  rest: Partial<HostLaunch> = {},
): { launch: HostLaunch; address: number } {
  const address = upload(device, y);
  const rests = inputs.map((input) => ('kind' in input ? input : buffer(upload(device, input))));
  return { launch: launchOf(device.kernel(module, symbol), [buffer(address), ...rests], rest), address };
}

/** What kernel `symbol` leaves in its first argument, which begins as `y`. */
export function call<T extends Numbers>(
  device: HostDevice,
  module: DeviceModule,
  symbol: string,
  y: T,
  inputs: Inputs = [],
  rest: Partial<HostLaunch> = {},
): T {
  const { launch, address } = launchFor(device, module, symbol, y, inputs, rest);
  run(device, launch);
  return download(device, address, y.slice() as T);
}

/** The kernels of `sources/NAME.EXTENSION`, for each name, as one source. */
export async function sourceOf(extension: 'metal' | 'cl', names: readonly string[]): Promise<string> {
  const files = names.map((name) => Bun.file(join(import.meta.dir, 'sources', `${name}.${extension}`)).text());
  return (await Promise.all(files)).join('');
}

/** The image of a source that is named k.metal or k.cl, or the message of one that does not compile. */
export async function compiled(dialect: HostDialect, source: string, defines = {}): Promise<Uint8Array | string> {
  const path = dialect === 'metal' ? 'k.metal' : 'k.cl';
  const result = await compileHost({ kind: 'fast', dialect, source, path, defines, includeDirs: [] });
  return 'error' in result ? result.error : result.image;
}

/** A source that compiles, loaded. */
export async function moduleOf(
  device: HostDevice,
  dialect: HostDialect,
  source: string,
  defines = {},
): Promise<DeviceModule> {
  const image = await compiled(dialect, source, defines);
  if (typeof image === 'string') throw new Error(image);
  return device.load(image);
}

/** The sum of 32 values as a butterfly adds them, each add rounded by `round`. */
export function butterfly(values: readonly number[], round: (value: number) => number): number {
  let parts = values.slice();
  while (parts.length > 1) {
    const half = parts.length / 2;
    parts = parts.slice(0, half).map((value, i) => round(value + (parts[i + half] ?? 0)));
  }
  return parts[0] ?? 0;
}

/** fp32 values of many magnitudes, the same on every run, whose sum depends on its order. */
export function mixed(count: number): Float32Array {
  return Float32Array.from({ length: count }, (_, i) => Math.sin(i * 12.9898 + 1) * 2 ** ((i * 7) % 19));
}
