/**
 * The host device: kernels run on this processor, under the orders and with the memory behaviour that a launch asks
 * for. What it shows is the source's arithmetic, order and accesses, not a GPU's compiler or units.
 */

import type { LaunchFlags } from './abi.ts';
import type { DeviceKernel, DeviceLaunch, DeviceModule } from './device.ts';
import { openShim, type Shim, type ShimSource } from './shim.ts';
import { ShimDevice } from './shim-device.ts';

/** A launch on the host device. */
export interface HostLaunch extends DeviceLaunch, LaunchFlags {}

/** Opens a host device over its runtime; throws a DeviceError. Several may be open, each used by one thread. */
export function openHost(runtime: ShimSource): HostDevice {
  const shim = openShim(runtime);
  return new HostDevice(shim, shim.open(0));
}

export class HostDevice extends ShimDevice {
  readonly kind = 'host';
  readonly name: string;

  constructor(shim: Shim, handle: number) {
    super(shim, handle);
    const { name, driver } = shim.info(handle);
    this.name = `${name} (${driver})`;
  }

  /** The kernel `symbol`; its static local bytes are those of the launches that ran so far, 0 before the first. */
  kernel(module: DeviceModule, symbol: string): DeviceKernel {
    const { handle, attributes } = this.shim.kernel(this.use(), module.handle, symbol);
    const {
      max_threads: maxThreads = 0,
      static_local_bytes: staticLocalBytes = 0,
      warp = 0,
      required_warp: requiredWarp = 0,
      functions = [],
    } = attributes;
    return { handle, symbol, maxThreads, staticLocalBytes, warp, requiredWarp, functions: bitsOf(functions) };
  }
}

/** The numbers of the bits that are set, in words of 32. */
const bitsOf = (words: readonly number[]): number[] =>
  words.flatMap((word, i) =>
    Array.from({ length: 32 }, (_, bit) => 32 * i + bit).filter((bit) => (word >>> (bit % 32)) & 1),
  );
